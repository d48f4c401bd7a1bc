import {
  collectDataFacts,
  DataFactHistory,
  NO_IDS_BY_KIND,
  type DataChange,
} from '../../../shared/bridge/data-change.ts'
import { findCommandRow } from '../../../shared/bridge/listed-row.ts'
import { createHostMatcher } from '../../../shared/bridge/host-matcher.ts'
import { inspectJson } from '../../../shared/json/inspection.ts'
import { parseBodyText } from '../../../shared/operations/prepared-write.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { ExchangeStart, ExchangeEnd } from '../bridge/types.ts'
import type { Bus, ChangeSource } from '../bus.ts'
import type { StoredOperation } from '../journal/types.ts'
import { canChangeData, findCommandChange, findDataChange } from './outcome/data-effect.ts'

/** Ids are not collected from longer bodies. */
const MAX_BODY_BYTES = 262_144
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
    const change = findDataChange({
      id,
      endpoint,
      origin,
      method,
      path,
      pathOverride: target.pathOverrides[endpoint.id],
      startedAt,
      durationMs: end.durationMs,
      status: end.status,
      isComplete: end.isComplete,
      isSent: end.requestHeaders.length > 0,
      body,
      response: parseBody(end.body),
    })
    if (change) this.#publishCause(change, { host: target.baseUrl, startedAt, body })
  }

  #isCurrentHost(host: string): boolean {
    const { profile } = this.#options.connection.state()
    return profile !== null && createHostMatcher(profile.baseUrl)(host)
  }

  /** Call when a watched command has ended, because its acknowledgement alone changed nothing. */
  handleCommandEnd({ id, endpoint, source, caller, method, path, body, host }: StoredOperation): void {
    const row = findCommandRow(endpoint)
    if (!row) return
    const ownKind = caller === 'console' ? 'console' : 'write'
    const origin = source === 'recorded' ? { kind: 'recorded', label: caller } : { kind: ownKind, label: id }
    const parsedBody = parseBodyText(body)
    const cause = { exchangeId: null, origin, endpoint, method, path } as NonNullable<DataChange['cause']>
    const change = findCommandChange(row, { at: Date.now(), cause, body: parsedBody })
    if (change) this.#publishCause(change, { host, startedAt: change.at, body: parsedBody })
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
