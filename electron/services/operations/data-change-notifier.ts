import {
  collectDataFacts,
  collectIds,
  DataFactHistory,
  NO_IDS_BY_KIND,
  type DataChange,
} from '../../../shared/bridge/data-change.ts'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { decodePercent, matchPathTemplate } from '../../../shared/bridge/endpoints/path-template.ts'
import { findCommandRow } from '../../../shared/bridge/listed-row.ts'
import { createHostMatcher } from '../../../shared/bridge/host-matcher.ts'
import { inspectJson } from '../../../shared/json/inspection.ts'
import { parseBodyText } from '../../../shared/operations/prepared-write.ts'
import { unacceptedStates } from '../../../shared/operations/operation-events.ts'
import { getRowAccess } from '../../../shared/bridge/row-access.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { ExchangeStart, ExchangeEnd } from '../bridge/types.ts'
import type { Bus, ChangeSource } from '../bus.ts'
import type { StoredOperation } from '../journal/types.ts'
import { judgeOutcome } from './outcome/reported-facts.ts'
import { deriveOperation } from './outcome/derived-operation.ts'

/** Ids are not collected from longer bodies. */
const MAX_BODY_BYTES = 262_144
const MAX_PATH_CHARS = 500
/** Changes within this interval go to the pages as one message. */
const PUBLISH_INTERVAL_MS = 100
const MAX_PUBLISHED_CHANGES = 200

interface Options {
  readonly bus: Bus
  readonly connection: Pick<Connection, 'state'>
}

/** The facts of the host's data in its last heartbeat. */
interface Heartbeat {
  readonly path: string
  readonly epoch: number
  readonly history: DataFactHistory
}

/**
 * Tells every page what data of the host has changed or may have changed, even if the change was
 * made in the host itself. Its sources are ended requests that are not reads, watched commands that
 * end, and differences between heartbeats.
 */
export class DataChangeNotifier {
  readonly #options: Options
  readonly #pendingChanges: DataChange[] = []
  #timer: NodeJS.Timeout | null = null
  #heartbeat: Heartbeat = { path: '', epoch: -1, history: new DataFactHistory() }
  /** If there were any, they are assumed to be the cause of changes in the next heartbeat. */
  #requestsSinceHeartbeat = 0

  constructor(options: Options) {
    this.#options = options
  }

  handleExchange(start: ExchangeStart, end: ExchangeEnd): void {
    const { endpoint, target, origin, method, path, id, startedAt } = start
    const isCurrent = this.#isCurrentHost(target.baseUrl)
    if (isCurrent && origin.kind === 'heartbeat' && end.isComplete && end.error === null)
      this.#compareHeartbeat(start, end)
    if (!canChangeData(endpoint)) return
    const body = parseBody(getSentBody(start, end))
    if (getRowAccess(endpoint, body) === 'read') return
    const response = parseBody(end.body)
    const effect = getEffect(start, end, response)
    if (effect === 'none') return
    // A read that takes over the screen changes no other data.
    const dataKinds = endpoint.access === 'read' ? (['screen'] as const) : endpoint.dataKinds
    const change = createChange(dataKinds, {
      cause: { exchangeId: id, origin, endpoint: endpoint.id, method, path: path.slice(0, MAX_PATH_CHARS) },
      ids: collectChangedIds(endpoint, target.pathOverrides[endpoint.id], path, body, response),
      isCertain: effect === 'done',
      // The clock is not asked, because the exchange may be of an earlier day.
      at: start.startedAt + end.durationMs,
    })
    this.#publishCause(change, { host: target.baseUrl, startedAt, body })
  }

  #isCurrentHost(host: string): boolean {
    const { profile } = this.#options.connection.state()
    return profile !== null && createHostMatcher(profile.baseUrl)(host)
  }

  /** Call when a watched command has ended, because its acknowledgement alone changed nothing. */
  handleCommandEnd({ id, endpoint, source, caller, method, path, body, host }: StoredOperation): void {
    const row = findCommandRow(endpoint)
    if (!row || row.command === 'plain' || !canChangeData(row)) return
    const ownKind = caller === 'console' ? 'console' : 'write'
    const origin = source === 'recorded' ? { kind: 'recorded', label: caller } : { kind: ownKind, label: id }
    const parsedBody = parseBodyText(body)
    const change = createChange(row.dataKinds, {
      cause: { exchangeId: null, origin, endpoint, method, path: path.slice(0, MAX_PATH_CHARS) } as DataChange['cause'],
      ids: collectChangedIds(row, undefined, path, parsedBody, null),
      isCertain: false,
    })
    this.#publishCause(change, { host, startedAt: change.at, body: parsedBody })
  }

  /** Publishes a change of the host's facts that no request through this program explains. */
  #compareHeartbeat({ path, target: { epoch } }: ExchangeStart, { body }: ExchangeEnd): void {
    const isExplained = this.#requestsSinceHeartbeat > 0
    this.#requestsSinceHeartbeat = 0
    // Pages reload everything when the epoch changes.
    if (this.#heartbeat.path !== path || this.#heartbeat.epoch !== epoch) {
      this.#heartbeat = { path, epoch, history: new DataFactHistory() }
    }
    const fact = this.#heartbeat.history.update(collectDataFacts(parseBody(body)))
    if (fact !== null && !isExplained) {
      this.#publish({ at: Date.now(), cause: null, fact, matters: null, ids: NO_IDS_BY_KIND, isCertain: false })
    }
  }

  dispose(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #publishCause(change: DataChange, source: ChangeSource): void {
    this.#options.bus.publish('operations.changedData', { change, source })
    if (!this.#isCurrentHost(source.host)) return
    this.#requestsSinceHeartbeat += 1
    this.#publish(change)
  }

  #publish(change: DataChange): void {
    this.#pendingChanges.push(change)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      const changes = this.#pendingChanges.splice(0)
      this.#options.bus.publish('bridge.dataChanged', { changes: summarizeChanges(changes) })
    }, PUBLISH_INTERVAL_MS)
  }
}

const createChange = (
  dataKinds: Endpoint['dataKinds'],
  change: Pick<DataChange, 'cause' | 'ids' | 'isCertain'> & Partial<Pick<DataChange, 'at'>>,
): DataChange => ({ at: Date.now(), fact: null, matters: dataKinds && [...dataKinds], ...change })

const canChangeData = ({ access, navigationMember, createsProfile, returnsSecret, dataKinds }: Endpoint): boolean =>
  (access !== 'read' || navigationMember !== null) && !createsProfile && !returnsSecret && dataKinds?.length !== 0

function getEffect(start: ExchangeStart, end: ExchangeEnd, response: unknown): 'done' | 'unknown' | 'none' {
  const { status, isComplete, durationMs, requestHeaders } = end
  if (status === null || !isComplete) return requestHeaders.length === 0 ? 'none' : 'unknown'
  const timestamp = start.startedAt
  const { id } = start.endpoint
  const responseEvent = {
    kind: 'answer' as const,
    at: timestamp,
    status,
    body: response,
    cut: false,
    durationMs,
    exchangeId: start.id,
  }
  const events = [
    { kind: 'intent' as const, at: timestamp },
    { kind: 'sent' as const, at: timestamp },
    { ...responseEvent, instanceNonce: null },
  ]
  const { state } = deriveOperation(id, events)
  if (unacceptedStates.has(state)) return 'none'
  if (state === 'unknown-no-answer') return 'unknown'
  const { done } = judgeOutcome(id, response)
  if (done === 'no') return 'none'
  return state === 'persisted' || done === 'partly' ? 'done' : 'unknown'
}

/** The ids in a request and, for each kind that it names, those in its response. */
function collectChangedIds(
  { path: template, parameters }: Endpoint,
  override: string | undefined,
  path: string,
  body: unknown,
  response: unknown,
): DataChange['ids'] {
  const [pathname = '', query = ''] = path.split('?', 2)
  const values = matchPathTemplate(override ?? template, pathname) ?? []
  const names = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const params = Object.fromEntries(names.map((name, index) => [name, decodePercent(values[index] ?? '')]))
  const requestIds = collectIds(params, Object.fromEntries(new URLSearchParams(query)), body)
  const responseIds = collectIds(response)
  const mergeIds = (fromRequest: readonly string[], fromResponse: readonly string[]): string[] =>
    fromRequest.length === 0 ? [] : [...new Set([...fromRequest, ...fromResponse])].slice(0, 500)
  return {
    cards: mergeIds(requestIds.cards, responseIds.cards),
    sets: mergeIds(requestIds.sets, responseIds.sets),
    documents: mergeIds(requestIds.documents, responseIds.documents),
    bundles: mergeIds(requestIds.bundles, responseIds.bundles),
  }
}

function getSentBody({ body, endpoint }: ExchangeStart, { sentBody }: ExchangeEnd): Uint8Array | null {
  return endpoint.isUpload ? null : sentBody ? sentBody.body : body
}

function parseBody(bytes: Uint8Array | null): unknown {
  if (bytes === null) return undefined
  return bytes.byteLength > MAX_BODY_BYTES ? null : inspectJson(bytes).value
}

/** Replaces changes that are too many for one message with a single change that covers them all. */
function summarizeChanges(changes: readonly DataChange[]): DataChange[] {
  if (changes.length <= MAX_PUBLISHED_CHANGES) return [...changes]
  const [first, ...rest] = changes
  const matters = rest.some((change) => change.matters === null)
    ? null
    : changes.flatMap((change) => change.matters ?? [])
  return first
    ? [{ ...first, cause: null, matters: matters && [...new Set(matters)], ids: NO_IDS_BY_KIND, isCertain: false }]
    : []
}
