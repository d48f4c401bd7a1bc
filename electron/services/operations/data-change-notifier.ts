import {
  collectDataFacts,
  collectIds,
  DataFactHistory,
  NO_IDS,
  type DataChange,
} from '../../../shared/bridge/data-change.ts'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { decodePercent, createTemplatePattern } from '../../../shared/bridge/endpoints/path-template.ts'
import { findCommandRow } from '../../../shared/bridge/listed-row.ts'
import { createHostMatcher } from '../../../shared/bridge/host-matcher.ts'
import { inspectJson } from '../../../shared/json/inspection.ts'
import { parseBodyText } from '../../../shared/operations/prepared-write.ts'
import { unacceptedStates } from '../../../shared/operations/operation-events.ts'
import { getRowAccess } from '../../../shared/bridge/row-access.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { ExchangeStart, ExchangeEnd } from '../bridge/types.ts'
import type { Bus } from '../bus.ts'
import type { StoredOperation } from '../journal/types.ts'
import { judgeOutcome } from './outcome/reported-facts.ts'
import { deriveOperation } from './outcome/derived-operation.ts'

/** Longer bodies are not searched for ids: what they name is then not known. */
const MAX_BODY_BYTES = 262_144
const MAX_PATH_CHARS = 500
/** Pages hear of changes together, however many there are. */
const PUBLISH_INTERVAL_MS = 100
const MAX_PUBLISHED = 200

interface Options {
  readonly bus: Bus
  readonly connection: Pick<Connection, 'state'>
}

/** What the host last said of its data without being asked for any. */
interface Heartbeat {
  readonly path: string
  readonly epoch: number
  readonly history: DataFactHistory
}

/**
 * Tells every page what data of the host has changed, or may have, whoever changed it: each request that is not a read passes here when it
 * has ended, a watched command once more when its outcome is known, and what a heartbeat noticed.
 */
export class DataChangeNotifier {
  readonly #options: Options
  readonly #waiting: DataChange[] = []
  #timer: NodeJS.Timeout | null = null
  #heartbeat: Heartbeat = { path: '', epoch: -1, history: new DataFactHistory() }
  /** Requests since the last heartbeat, which explain what it finds changed. */
  #sinceHeartbeat = 0

  constructor(options: Options) {
    this.#options = options
  }

  /** Call with each exchange that has ended. */
  handleExchange(begun: ExchangeStart, ended: ExchangeEnd): void {
    const { endpoint, target, origin, method, path, id } = begun
    const { profile } = this.#options.connection.state()
    if (!profile || !createHostMatcher(profile.baseUrl)(target.baseUrl)) return
    if (origin.kind === 'heartbeat' && ended.isComplete && ended.error === null) this.#noteHeartbeat(begun, ended)
    if (!mayChange(endpoint)) return
    const body = valueOf(bodySent(begun, ended))
    if (getRowAccess(endpoint, body) === 'read') return
    const response = valueOf(ended.body)
    const effect = effectOf(begun, ended, response)
    if (effect === 'none') return
    // A read that takes over the screen changes nothing else.
    const concerns = endpoint.access === 'read' ? (['screen'] as const) : endpoint.dataKinds
    this.#note(concerns, {
      cause: { exchangeId: id, origin, endpoint: endpoint.id, method, path: path.slice(0, MAX_PATH_CHARS) },
      ids: idsOf(endpoint, target.pathOverrides[endpoint.id], path, body, response),
      isCertain: effect === 'done',
    })
  }

  /** Call when a watched command has ended: one that was only accepted has been done by now. */
  handleCommandEnd({ id, endpoint, source, caller, method, path, body, host }: StoredOperation): void {
    const { profile } = this.#options.connection.state()
    const row = findCommandRow(endpoint)
    if (!profile || !createHostMatcher(profile.baseUrl)(host) || !row || row.command === 'plain' || !mayChange(row))
      return
    const origin = source === 'recorded' ? { kind: 'recorded', label: caller } : { kind: 'write', label: id }
    this.#note(row.dataKinds, {
      cause: { exchangeId: null, origin, endpoint, method, path: path.slice(0, MAX_PATH_CHARS) } as DataChange['cause'],
      ids: idsOf(row, undefined, path, parseBodyText(body), null),
      isCertain: false,
    })
  }

  /** What the host says of its data differs from the heartbeat before. A request through this program explains that by itself. */
  #noteHeartbeat({ path, target: { epoch } }: ExchangeStart, { body }: ExchangeEnd): void {
    const isExplained = this.#sinceHeartbeat > 0
    this.#sinceHeartbeat = 0
    // In another epoch everything counts as read before anyway.
    if (this.#heartbeat.path !== path || this.#heartbeat.epoch !== epoch) {
      this.#heartbeat = { path, epoch, history: new DataFactHistory() }
    }
    const fact = this.#heartbeat.history.update(collectDataFacts(valueOf(body)))
    if (fact !== null && !isExplained) {
      this.#publish({ at: Date.now(), cause: null, fact, matters: null, ids: NO_IDS, isCertain: false })
    }
  }

  dispose(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #note(concerns: Endpoint['dataKinds'], change: Pick<DataChange, 'cause' | 'ids' | 'isCertain'>): void {
    this.#sinceHeartbeat += 1
    this.#publish({ at: Date.now(), fact: null, matters: concerns && [...concerns], ...change })
  }

  #publish(change: DataChange): void {
    this.#waiting.push(change)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      const changes = this.#waiting.splice(0)
      this.#options.bus.publish('bridge.dataChanged', { changes: summarized(changes) })
    }, PUBLISH_INTERVAL_MS)
  }
}

const mayChange = ({
  access,
  navigationMember: navigatesWith,
  createsProfile: pairs,
  returnsSecret: secret,
  dataKinds: concerns,
}: Endpoint): boolean => (access !== 'read' || navigatesWith !== null) && !pairs && !secret && concerns?.length !== 0

/** Whether the request changed anything, as far as its response says. */
function effectOf(begun: ExchangeStart, ended: ExchangeEnd, response: unknown): 'done' | 'unknown' | 'none' {
  const { status, isComplete: complete, durationMs, requestHeaders } = ended
  if (status === null || !complete) return requestHeaders.length === 0 ? 'none' : 'unknown'
  const at = begun.startedAt
  const { id } = begun.endpoint
  const answer = { kind: 'answer' as const, at, status, body: response, cut: false, durationMs, exchangeId: begun.id }
  const events = [
    { kind: 'intent' as const, at },
    { kind: 'sent' as const, at },
    { ...answer, instanceNonce: null },
  ]
  const { state } = deriveOperation(id, events)
  if (unacceptedStates.has(state)) return 'none'
  if (state === 'unknown-no-answer') return 'unknown'
  const { done } = judgeOutcome(id, response)
  if (done === 'no') return 'none'
  return state === 'persisted' || done === 'partly' ? 'done' : 'unknown'
}

/** The ids that a request names and, of the kinds that it names, those of its response too. */
function idsOf(
  { path: template, parameters }: Endpoint,
  override: string | undefined,
  path: string,
  body: unknown,
  response: unknown,
): DataChange['ids'] {
  const [bare = '', query = ''] = path.split('?', 2)
  const values =
    createTemplatePattern(override ?? template)
      .exec(bare)
      ?.slice(1) ?? []
  const names = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const params = Object.fromEntries(names.map((name, index) => [name, decodePercent(values[index] ?? '')]))
  const sent = collectIds(params, Object.fromEntries(new URLSearchParams(query)), body)
  const received = collectIds(response)
  const both = (some: readonly string[], more: readonly string[]): string[] =>
    some.length === 0 ? [] : [...new Set([...some, ...more])].slice(0, 500)
  return {
    cards: both(sent.cards, received.cards),
    sets: both(sent.sets, received.sets),
    documents: both(sent.documents, received.documents),
    bundles: both(sent.bundles, received.bundles),
  }
}

function bodySent({ body, endpoint }: ExchangeStart, { sentBody: sent }: ExchangeEnd): Uint8Array | null {
  return endpoint.isUpload ? null : sent ? sent.body : body
}

function valueOf(bytes: Uint8Array | null): unknown {
  if (bytes === null) return undefined
  return bytes.byteLength > MAX_BODY_BYTES ? null : inspectJson(bytes).value
}

/** The changes as one message holds them: of more than it can hold, all that is said is that there were some. */
function summarized(changes: readonly DataChange[]): DataChange[] {
  if (changes.length <= MAX_PUBLISHED) return [...changes]
  const [first, ...rest] = changes
  const matters = rest.some((change) => change.matters === null)
    ? null
    : changes.flatMap((change) => change.matters ?? [])
  return first
    ? [{ ...first, cause: null, matters: matters && [...new Set(matters)], ids: NO_IDS, isCertain: false }]
    : []
}
