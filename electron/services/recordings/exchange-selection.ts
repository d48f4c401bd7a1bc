import { createRefusedError } from '../../../shared/errors.ts'
import type { RecordingSelectionInput } from '../../../shared/ipc/recordings.ts'
import { MAX_ROWS_PER_CALL } from '../../../shared/ipc/traffic.ts'
import { getEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { groupFindings } from '../../../shared/protocol/finding.ts'
import { contextEndpoints, type RecordingSelection } from '../../../shared/recordings/recording.ts'
import type { ExchangeRow, StoredBody } from '../../../shared/traffic/exchange.ts'
import type { TrafficFilter } from '../../../shared/traffic/traffic-filter.ts'
import type { Findings } from '../findings/findings.ts'
import type { OperationRecords } from '../operations/records/records.ts'
import type { TrafficStore } from '../traffic/traffic-store.ts'

const NEWEST_FIRST = { by: 'time', descending: true } as const

export type SelectionStore = Pick<TrafficStore, 'find' | 'head' | 'rows' | 'exchange' | 'seqOf' | 'body' | 'listBodies'>

export interface SelectionSources {
  readonly store: SelectionStore
  readonly findings: Pick<Findings, 'listAll'>
  readonly records: Pick<OperationRecords, 'find'>
  /** The exchange was only saved so that the recording can be opened. */
  readonly isContext?: (seq: number) => boolean
}

export interface BodyPlace {
  readonly seq: number
  readonly side: 'request' | 'response'
  readonly bytes: number
}

export interface SelectedExchange {
  readonly seq: number
  readonly id: string
  /** A read of the connection from before the span. */
  readonly isContext: boolean
}

/** The selected exchanges in the order in which they began, and what leads to related data. */
export interface ExchangeSelection {
  readonly selection: RecordingSelection
  readonly exchanges: readonly SelectedExchange[]
  readonly seqs: ReadonlySet<number>
  readonly ids: ReadonlySet<string>
  /** Time of the selected exchanges, without context; null if only context was selected. */
  readonly span: { readonly from: number; readonly to: number } | null
  /** Base URLs. */
  readonly hosts: ReadonlySet<string>
  /** Openings of panels that made selected exchanges. */
  readonly panelCallers: ReadonlySet<string>
  /** Names of the override rules that responded. */
  readonly rules: ReadonlySet<string>
  readonly topicids: ReadonlySet<string>
  /** The newest exchange in which its host said what it is; `seq` is null if none did. */
  readonly status: { readonly baseUrl: string | null; readonly seq: number | null }
  /** Keyed by the hash of the stored bytes. */
  readonly bodies: ReadonlyMap<string, BodyPlace>
  /** Bodies of which bytes are missing, by the reason. */
  readonly missingBodies: ReadonlyMap<NonNullable<StoredBody['missing']>, number>
}

/** Resolves a user's selection. @throws SELECTION_EMPTY, OPERATION_UNKNOWN, FINDING_UNKNOWN */
export async function selectExchanges(
  input: RecordingSelectionInput,
  sources: SelectionSources,
  signal: AbortSignal,
): Promise<ExchangeSelection> {
  const seqs = new Set(await findSelected(input, sources))
  const collector = new SelectionCollector()
  for await (const row of readRows(sources.store, [...seqs], signal))
    collector.addRow(row, sources.isContext?.(row.seq) ?? false)
  if (collector.isEmpty) throw createRefusedError('SELECTION_EMPTY', 'None of the selected exchanges is stored.')
  for (const row of await findContext(sources.store, collector, seqs)) collector.addRow(row, true)
  await collector.addBodies(sources.store, signal)
  return collector.build(describeSelection(input, collector.origin))
}

async function findSelected(
  input: RecordingSelectionInput,
  { store, findings, records }: SelectionSources,
): Promise<Iterable<number>> {
  if (input.kind === 'exchanges') return input.seqs
  if (input.kind === 'filter') return findSeqs(store, input.filter)
  if (input.kind === 'command') return findSeqs(store, { origins: ['recorded'], thisRun: true })
  if (input.kind === 'finding') {
    const group = groupFindings(findings.listAll()).find(({ id }) => id === input.id)
    if (!group) throw createRefusedError('FINDING_UNKNOWN', 'There is no such finding (any more).')
    const details = await Promise.all(group.exchanges.map((seq) => store.exchange({ seq })))
    return details.flatMap((detail) => detail?.attempts ?? [])
  }
  const record = records.find(input.id)
  if (!record) throw createRefusedError('OPERATION_UNKNOWN', 'There is no such operation (any more).')
  const { requestId } = record.stored
  const lists = await Promise.all(
    [record.id, ...(requestId === null ? [] : [requestId])].map((id) => findSeqs(store, { id })),
  )
  const eventSeqs = await Promise.all(
    record.events.map((event) => ('exchangeId' in event ? store.seqOf(event.exchangeId) : null)),
  )
  return [...lists.flatMap((list) => [...list]), ...eventSeqs.filter((seq) => seq !== null)]
}

const findSeqs = async (store: SelectionStore, filter: TrafficFilter): Promise<Uint32Array> =>
  (await store.find(filter, { by: 'time', descending: false }, 0)).seqs

async function* readRows(
  store: SelectionStore,
  seqs: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<ExchangeRow> {
  for (let start = 0; start < seqs.length; start += MAX_ROWS_PER_CALL) {
    signal.throwIfAborted()
    yield* await store.rows(seqs.slice(start, start + MAX_ROWS_PER_CALL))
  }
}

/** The last successful reads of the connections before the span, of each host. */
async function findContext(
  store: SelectionStore,
  { hosts, from }: Pick<SelectionCollector, 'hosts' | 'from'>,
  selected: ReadonlySet<number>,
): Promise<ExchangeRow[]> {
  const rows: ExchangeRow[] = []
  for (const host of hosts) {
    for (const endpoint of contextEndpoints) {
      const { path: template } = getEndpointById(endpoint)
      const filter = { host, template, methods: ['GET'], statuses: ['2' as const], to: from, heartbeats: true }
      const row = (await store.head(filter, NEWEST_FIRST)).rows.find(({ rule }) => rule === null)
      if (row && !selected.has(row.seq)) rows.push(row)
    }
  }
  return rows
}

/** Members of a filter that the manifest describes; one with others is saved as `exchanges`. */
const DESCRIBED_FILTERS = new Set(['caller', 'load', 'origins', 'from', 'to', 'thisRun', 'heartbeats'])

function describeSelection(input: RecordingSelectionInput, origin: ExchangeRow['origin'] | null): RecordingSelection {
  if (input.kind === 'finding' || input.kind === 'operation') return { kind: input.kind, id: input.id }
  if (input.kind === 'command') return { kind: 'command' }
  if (input.kind === 'exchanges') return { kind: input.isComparison === true ? 'comparison' : 'exchanges' }
  const { caller, load, origins, from, to } = input.filter
  if (Object.keys(input.filter).some((name) => !DESCRIBED_FILTERS.has(name))) return { kind: 'exchanges' }
  if (caller !== undefined && load !== undefined) return { kind: 'load', caller, load }
  if (origin && (caller !== undefined || origins?.length === 1)) return { kind: 'origin', origin }
  return { kind: from === undefined && to === undefined && !origins?.length ? 'all' : 'span' }
}

class SelectionCollector {
  readonly #exchanges: SelectedExchange[] = []
  readonly #orderedAt = new Map<number, number>()
  readonly #related = {
    hosts: new Set<string>(),
    panelCallers: new Set<string>(),
    rules: new Set<string>(),
    topicids: new Set<string>(),
    bodies: new Map<string, BodyPlace>(),
    missingBodies: new Map<NonNullable<StoredBody['missing']>, number>(),
  }
  /** The caller of all exchanges; null if there are several. */
  origin: ExchangeRow['origin'] | null = null
  from = Infinity
  #last: ExchangeRow | null = null
  readonly #statuses = new Map<string, ExchangeRow>()
  #to = -Infinity

  get hosts(): ReadonlySet<string> {
    return this.#related.hosts
  }

  get isEmpty(): boolean {
    return this.#exchanges.length === 0
  }

  addRow(row: ExchangeRow, isContext: boolean): void {
    if (!isContext) this.#addFacts(row)
    const isNewer = (this.#statuses.get(row.host)?.startedAt ?? -Infinity) <= row.startedAt
    if (row.endpoint === 'status.get' && row.status === 200 && isNewer) this.#statuses.set(row.host, row)
    this.#exchanges.push({ seq: row.seq, id: row.id, isContext })
  }

  #addFacts(row: ExchangeRow): void {
    const { origin, startedAt, durationMs, host, rule, path } = row
    if (startedAt >= (this.#last?.startedAt ?? -Infinity)) this.#last = row
    const isFirst = this.isEmpty
    const isSameOrigin = this.origin?.kind === origin.kind && this.origin.caller === origin.caller
    if (isFirst) this.origin = origin
    else if (!isSameOrigin) this.origin = null
    this.from = Math.min(this.from, startedAt)
    this.#to = Math.max(this.#to, startedAt + (durationMs ?? 0))
    const { hosts, panelCallers, rules, topicids } = this.#related
    hosts.add(host)
    if (origin.kind === 'panel' && origin.caller !== undefined) panelCallers.add(origin.caller)
    if (rule !== null) rules.add(rule)
    const topicid = findTopicid(path)
    if (topicid !== null) topicids.add(topicid)
  }

  async addBodies(store: SelectionStore, signal: AbortSignal): Promise<void> {
    for (let start = 0; start < this.#exchanges.length; start += MAX_ROWS_PER_CALL) {
      signal.throwIfAborted()
      const part = this.#exchanges.slice(start, start + MAX_ROWS_PER_CALL)
      for (const { seq, orderedAt, ...sides } of await store.listBodies(part.map((exchange) => exchange.seq))) {
        this.#orderedAt.set(seq, orderedAt)
        for (const side of ['request', 'response'] as const) this.#addBody({ seq, side }, sides[side])
      }
    }
  }

  #addBody(place: Pick<BodyPlace, 'seq' | 'side'>, { hash, kept, missing }: StoredBody): void {
    const { bodies, missingBodies } = this.#related
    // All bytes of a body that does not decode are there.
    if (missing !== null && missing !== 'encoded') missingBodies.set(missing, (missingBodies.get(missing) ?? 0) + 1)
    if (hash !== null) bodies.set(hash, { ...place, bytes: kept })
  }

  build(selection: RecordingSelection): ExchangeSelection {
    const getPosition = ({ seq }: SelectedExchange): number => this.#orderedAt.get(seq) ?? 0
    // An exchange that was removed meanwhile has no position.
    const exchanges = this.#exchanges
      .filter(({ seq }) => this.#orderedAt.has(seq))
      .sort((first, second) => getPosition(first) - getPosition(second) || first.seq - second.seq)
    return {
      selection,
      exchanges,
      seqs: new Set(exchanges.map(({ seq }) => seq)),
      ids: new Set(exchanges.map(({ id }) => id)),
      ...this.#related,
      span: this.from === Infinity ? null : { from: this.from, to: this.#to },
      status: {
        baseUrl: this.#last?.host ?? null,
        seq: this.#statuses.get(this.#last?.host ?? '')?.seq ?? null,
      },
    }
  }
}

/** The study set that a path or its query names. */
function findTopicid(path: string): string | null {
  const [, inPath, inQuery] = /^(?:.*\/study-sets\/([^/?]+)|.*[?&]topicid=([^&]+))/.exec(path) ?? []
  try {
    return decodeURIComponent(inPath ?? inQuery ?? '') || null
  } catch {
    return null
  }
}
