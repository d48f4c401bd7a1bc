/**
 * A simulated note-taking host with its bridge, for demonstrations, development and tests.
 * No other part of the program depends on its routes and its state.
 * Read `startDemoHost` first, then `request-handler.ts` and `routes/index.ts`.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { documentedLimits } from '../../shared/bridge/documented-limits.ts'
import { getEndpointById } from '../../shared/bridge/endpoints/index.ts'
import { DemoAuth } from './demo-auth.ts'
import { type DemoState, getCardForChange } from './state/context.ts'
import { createDialect, type DialectName } from './dialects/index.ts'
import { NEWEST_VERSION, type DriftVersion } from './drift/drift-list.ts'
import type { FaultName } from './faults.ts'
import { startLoopbackServer, type LoopbackServer } from './loopback-server.ts'
import { createRequestHandler, BRIDGE_PATH_PREFIX, type DemoLogEntry } from './request-handler.ts'
import { generateBooks } from './library/books.ts'
import { parseLibraryFile } from './library/library-file.ts'
import { buildOwnLibrary } from './library/own-library.ts'
import { buildLibrary } from './library/small-library.ts'
import { PAGES_PER_GENERATED_BOOK, generateStudySet } from './library/generated-set.ts'
import { demoPlugins, type DemoStudySet, type DemoCard } from './library/model.ts'
import { createDemoBundles } from './routes/bundles.ts'
import { SyncLog } from './state/sync-log.ts'
import { WritingStore } from './state/writing.ts'
import { insertBranch, removeCards } from './routes/card-moves.ts'
import { createRandom } from './library/random.ts'

/** A change that the simulated user makes to a card. */
export interface UserEdit {
  readonly noteid: string
  /** The id of its study set. */
  readonly topicid: string
  readonly kind: 'renamed' | 'recoloured' | 'tags' | 'moved'
}

const editKinds = ['renamed', 'recoloured', 'tags', 'moved'] as const satisfies readonly UserEdit['kind'][]

/**
 * Creates the simulated user, who edits cards of the open study set as a person in front of the
 * host does: no request tells of it. The same seed gives the same edits of the same library.
 * @returns does the next edit; null if there is no card that it can be done to
 */
function createUserEdits(state: DemoState, seed: number): () => UserEdit | null {
  const random = createRandom(seed)
  let count = 0
  const choose = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)]

  /** Puts a card without children below another one. */
  function move(cards: readonly DemoCard[]): DemoCard | null {
    const parentIds = new Set(cards.map(({ parent }) => parent))
    const card = choose(cards.filter(({ noteid }) => !parentIds.has(noteid)))
    const target = choose(cards.filter((entry) => entry !== card && entry.noteid !== card?.parent))
    if (!card || !target) return null
    removeCards(state, [card])
    insertBranch(state, target.topicid, target, [card])
    return card
  }

  function change(kind: UserEdit['kind'], cards: readonly DemoCard[]): DemoCard | null {
    if (kind === 'moved') return move(cards)
    const chosenCard = choose(cards)
    if (!chosenCard) return null
    const card = getCardForChange(state, chosenCard.noteid)
    if (kind === 'renamed') card.title = `${card.title} (edit ${count})`
    if (kind === 'recoloured') card.colorIndex = (card.colorIndex + 1) % 16
    if (kind === 'tags') card.hashtags = [...card.hashtags, `#by-hand-${count}`]
    card.revision += 1
    return card
  }

  return () => {
    const { sets } = state.library
    const set = sets.find(({ topicid }) => topicid === state.openState.topicid) ?? sets[0]
    const kind = editKinds[count % editKinds.length] ?? 'renamed'
    count += 1
    const card = set ? change(kind, set.cards) : null
    return card && { noteid: card.noteid, topicid: card.topicid, kind }
  }
}

export interface DemoHostOptions {
  /** With 0, the system chooses a free port. */
  readonly port?: number
  readonly token?: string
  /** The number of cards in the generated study set, which an own library has only with `nodes`. */
  readonly nodes?: number
  /** The content of a library file, which is checked. Default: a library that `seed` generates. */
  readonly library?: unknown
  readonly seed?: number
  readonly latencyMs?: number
  readonly fault?: FaultName | null
  /** The version that the host has with the fault `drift`; default: the newest. */
  readonly driftVersion?: DriftVersion
  /** How the host behaves where the spec leaves room; default `0.91`. */
  readonly dialect?: DialectName
  /** Chooses a fault for each request to this endpoint; null means that `fault` applies. */
  readonly chooseFault?: (endpointId: string) => FaultName | null
  /** If true, a request chooses its own fault with the header `x-demo-fault`. */
  readonly allowFaultHeader?: boolean
  /** The six digits that `POST /pair` accepts. */
  readonly pairingCode?: string | null
  /** The maximum number of nodes in one card listing (spec §8 traversal hard cap). */
  readonly walkLimit?: number
  readonly excerptLimit?: number
  /** The maximum number of ids in one `POST /notes/batch-get`. */
  readonly noteLimit?: number
  /** Duration of one background step, for example of an export. */
  readonly stepMs?: number
  /** How long a pencil commit stays unfinished. */
  readonly settleMs?: number
  /** How often the simulated user edits a card of the open study set; by default never. */
  readonly userEditMs?: number
}

export interface DemoHost {
  readonly baseUrl: string
  readonly port: number
  readonly token: string
  /** The most recent requests, in the order in which they ended. */
  readonly log: readonly DemoLogEntry[]
  readonly state: DemoState
  setFault(fault: FaultName | null): void
  setDriftVersion(version: DriftVersion): void
  setLatency(ms: number): void
  /** Lets the simulated user edit a card. Null if the open study set has none. */
  editAsUser(): UserEdit | null
  /** Listens again after `gapMs` with a new `instanceNonce` and no operation records (spec §4). */
  restart(gapMs?: number): Promise<void>
  close(): Promise<void>
}

const MAX_LOG_ENTRIES = 20_000
const DEFAULT_SEED = 20_260

/** Starts the whole contract over real HTTP on loopback. Rejects if the port is in use. */
export async function startDemoHost(options: DemoHostOptions = {}): Promise<DemoHost> {
  const token = options.token ?? `mnb0.${randomBytes(24).toString('base64url')}`
  const desk = new WritingStore(options.settleMs ?? 1_500)
  let nonce = randomUUID()
  let fault = options.fault ?? null
  let driftVersion = options.driftVersion ?? NEWEST_VERSION
  let latency = options.latencyMs ?? 0
  const log: DemoLogEntry[] = []
  const state = buildState(options, desk, () => nonce)
  const editAsUser = createUserEdits(state, options.seed ?? DEFAULT_SEED)
  const handleRequest = createRequestHandler({
    state,
    auth: new DemoAuth(token, options.pairingCode ?? null, state.plugins[0]?.id),
    dialect: createDialect(options.dialect ?? '0.91', (id) => getEndpointById(id).path),
    fault: (endpointId) => options.chooseFault?.(endpointId) ?? fault,
    driftVersion: () => driftVersion,
    latencyMs: () => latency,
    allowFaultHeader: options.allowFaultHeader ?? false,
    restart: () => void restart().catch(() => undefined),
    record(entry) {
      if (log.length >= MAX_LOG_ENTRIES) log.shift()
      log.push(entry)
    },
  })
  const server: LoopbackServer = await startLoopbackServer(
    (request, response) => void handleRequest(request, response),
    options.port ?? 0,
  )
  const { port } = server
  const userTimer = options.userEditMs === undefined ? null : setInterval(editAsUser, options.userEditMs)
  const restart = (gapMs?: number): Promise<void> =>
    server.restart(() => {
      nonce = randomUUID()
      desk.forgetRecords()
    }, gapMs)

  return {
    baseUrl: `http://127.0.0.1:${port}${BRIDGE_PATH_PREFIX}`,
    port,
    token,
    log,
    state,
    setFault(next) {
      fault = next
    },
    setDriftVersion(version) {
      driftVersion = version
    },
    setLatency(ms) {
      latency = ms
    },
    editAsUser,
    restart,
    async close() {
      if (userTimer) clearInterval(userTimer)
      await server.close()
    },
  }
}

function buildState(options: DemoHostOptions, desk: WritingStore, getInstanceNonce: () => string): DemoState {
  const seed = options.seed ?? DEFAULT_SEED
  const stepMs = options.stepMs ?? 1_500
  const file = options.library === undefined ? null : parseLibraryFile(options.library)
  const ownLibrary = file && buildOwnLibrary(file)
  const library = ownLibrary?.library ?? buildLibrary(seed)
  const generatedSet = generateStudySet(seed, options.nodes ?? (ownLibrary ? 0 : 200_000))
  for (const book of generateBooks(seed, generatedSet.books, PAGES_PER_GENERATED_BOOK))
    library.books.set(book.bookmd5, book)
  const [first] = library.sets
  const openState = ownLibrary?.openState ?? {
    topicid: first?.topicid ?? '',
    bookmd5: first?.documents[0] ?? null,
    noteid: first?.cards[3]?.noteid ?? null,
    page: 12,
  }
  return {
    library,
    generatedSet,
    plugins: ownLibrary?.plugins ?? demoPlugins,
    bundles: ownLibrary ? [] : createDemoBundles(library),
    discardedBundleIds: new Set(),
    syncLog: new SyncLog(stepMs),
    exports: { busyUntil: 0, files: [] },
    install: { code: null, until: 0 },
    tocGenerations: new Map(),
    deletedStudySets: new Map(),
    blankTexts: new Map(),
    stepMs,
    writingDesk: desk,
    walkLimit: options.walkLimit ?? file?.limits?.walkLimit ?? 2_000_000,
    excerptLimit: options.excerptLimit ?? file?.limits?.excerptLimit ?? 50_000,
    noteLimit: options.noteLimit ?? file?.limits?.batchNoteIds ?? documentedLimits.batchNoteIds,
    getInstanceNonce,
    openState: { ...openState, rest: {} },
    documentOrders: new Map(),
    snapshotCards: createInitialSnapshots(library.sets),
  }
}

/** The first version points show the study sets in their initial state. */
function createInitialSnapshots(sets: readonly DemoStudySet[]): DemoState['snapshotCards'] {
  const versions: DemoState['snapshotCards'] = new Map()
  for (const { cards, snapshots } of sets) {
    const copy = structuredClone(cards)
    for (const { snapshotId } of snapshots) versions.set(snapshotId, copy)
  }
  return versions
}
