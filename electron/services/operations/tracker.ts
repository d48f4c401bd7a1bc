import { commandKind } from '../../../shared/bridge/operation.ts'
import { endpoint } from '../../../shared/bridge/endpoints/index.ts'
import { AppError } from '../../../shared/errors.ts'
import type { BridgeClient, BridgeTarget } from '../bridge/types.ts'
import type { OperationRecord } from './record.ts'
import type { Records } from './records.ts'

const FIRST_MS = 500
const MOST_MS = 10_000
const GROWTH = 1.6
/** A record that has had no outcome for so long is given up; it can be taken up again. */
const GIVE_UP_AFTER_MS = 15 * 60_000
/** Looks that run at once, of all records. */
const AT_ONCE = 4

interface Watch {
  timer: NodeJS.Timeout | null
  pause: number
  readonly since: number
  readonly abort: AbortController
}

export interface TrackerOptions {
  readonly client: BridgeClient
  readonly records: Records
  /** Where a record's host can be asked now; null while it is away, or another host is connected. */
  readonly targetFor: (record: OperationRecord) => BridgeTarget | null
  /** Called once when a record has an outcome: it is read back then. */
  readonly onSettled: (record: OperationRecord) => void
}

/** Watches unfinished pencil commits to the end: one poller a record, with the same request id, slower and slower (spec §3 rule 1, §4). */
export class Tracker {
  readonly #watches = new Map<string, Watch>()
  readonly #options: TrackerOptions
  #running = 0

  constructor(options: TrackerOptions) {
    this.#options = options
  }

  /** Begins to watch, unless it is watched already or has nothing to be asked for. */
  watch(record: OperationRecord): void {
    if (this.#watches.has(record.id) || !record.open || !canBeAsked(record)) return
    const watch: Watch = { timer: null, pause: FIRST_MS, since: Date.now(), abort: new AbortController() }
    this.#watches.set(record.id, watch)
    this.#plan(record, watch)
  }

  stop(record: OperationRecord, to: 'stopped' | 'ended'): void {
    const watch = this.#watches.get(record.id)
    this.#watches.delete(record.id)
    watch?.abort.abort()
    if (watch?.timer) clearTimeout(watch.timer)
    record.tracking = to
    record.nextLookAt = null
    this.#options.records.touch(record)
  }

  /** The connection has changed: what waited for the host is looked at again soon. */
  wake(): void {
    for (const [id, watch] of this.#watches) {
      const record = this.#options.records.get(id)
      if (record.tracking !== 'paused-offline') continue
      watch.pause = FIRST_MS
      this.#plan(record, watch)
    }
  }

  /** Looks once, now. */
  async look(record: OperationRecord, signal?: AbortSignal): Promise<void> {
    const { records, client } = this.#options
    const target = this.#options.targetFor(record)
    if (!target || record.stored.requestId === null) return
    const source = 'pencil-result' as const
    try {
      const { value, meta } = await client.requestJson(target, {
        endpoint: endpoint('writing.pencilResult'),
        body: { requestId: record.stored.requestId },
        attempts: 1,
        ...(signal ? { signal } : {}),
      })
      const { status, exchangeId } = meta
      records.observe(record, {
        kind: 'observation',
        at: Date.now(),
        source,
        status,
        body: value,
        cut: false,
        exchangeId,
      })
    } catch (error) {
      if (!isMissing(error)) throw error
      const { status = 404, code, message } = error.wire
      records.observe(record, { kind: 'record-gone', at: Date.now(), status, body: { error: { code, message } } })
    }
  }

  dispose(): void {
    for (const { timer, abort } of this.#watches.values()) {
      abort.abort()
      if (timer) clearTimeout(timer)
    }
    this.#watches.clear()
  }

  #plan(record: OperationRecord, watch: Watch, after = watch.pause): void {
    if (watch.timer) clearTimeout(watch.timer)
    const reachable = this.#options.targetFor(record) !== null
    // Jitter, so that many records do not ask at one moment.
    const pause = reachable ? after * (0.8 + Math.random() * 0.4) : MOST_MS
    record.tracking = reachable ? 'polling' : 'paused-offline'
    record.nextLookAt = reachable ? Date.now() + pause : null
    watch.timer = setTimeout(() => void this.#turn(record, watch), pause)
    watch.timer.unref()
    this.#options.records.touch(record)
  }

  async #turn(record: OperationRecord, watch: Watch): Promise<void> {
    if (this.#watches.get(record.id) !== watch) return
    if (this.#options.targetFor(record) === null) return this.#plan(record, watch)
    if (this.#running >= AT_ONCE) return this.#plan(record, watch, FIRST_MS)
    let wait = 0
    this.#running += 1
    try {
      await this.look(record, watch.abort.signal)
    } catch (error) {
      // Nothing was seen: asked again later, as late as the host wants.
      wait = (error instanceof AppError ? (error.wire.retryAfterSeconds ?? 0) : 0) * 1000
    } finally {
      this.#running -= 1
    }
    if (this.#watches.get(record.id) !== watch) return
    // The host has no record of it: asking on would give nothing else.
    const gone = record.events.at(-1)?.kind === 'record-gone'
    if (!record.open || gone) {
      this.stop(record, 'ended')
      this.#options.onSettled(record)
      return
    }
    if (Date.now() - watch.since > GIVE_UP_AFTER_MS) {
      this.#options.records.observe(record, { kind: 'given-up', at: Date.now(), by: 'time-limit' })
      return this.stop(record, 'ended')
    }
    watch.pause = Math.min(MOST_MS, watch.pause * GROWTH)
    this.#plan(record, watch, Math.max(watch.pause, wait))
  }
}

/** Only pencil commits have an outcome that can be asked for by their request id. */
export const canBeAsked = ({ stored }: OperationRecord): boolean =>
  stored.requestId !== null && commandKind(stored.endpoint) === 'pencil'

const isMissing = (error: unknown): error is AppError => error instanceof AppError && error.wire.status === 404
