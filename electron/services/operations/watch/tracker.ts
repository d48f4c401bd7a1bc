import { getCommandKind } from '../../../../shared/bridge/endpoints/index.ts'
import type { AppError } from '../../../../shared/errors.ts'
import type { BridgeClient } from '../../bridge/types.ts'
import { ConcurrencyLimit } from '../../media/concurrency-limit.ts'
import type { StoredOperation } from '../../journal/types.ts'
import type { ConnectedHost } from '../../bridge/connection/connected-host.ts'
import { canPollOutcome, pollPencilResult, createNoConfirmationResult, type PollResult } from './poll-result.ts'
import type { OperationRecord } from '../records/record.ts'
import type { OperationRecords } from '../records/records.ts'

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 10_000
const GROWTH = 1.6
/** The longest wait that a host can ask for: somebody is waiting for the outcome. */
const MAX_RETRY_AFTER_MS = 120_000
/** A record without an outcome for this long is given up; watching can be resumed. */
const MAX_WATCH_MS = { pencil: 15 * 60_000, session: 60_000, plain: 0 }
/**
 * Consecutive looks at which the host has no record, or a session of another command: a slow host may still write it, but one that has
 * lost it, or has moved on, never will.
 */
const MAX_GONE_POLLS = 4
/** Maximum looks at once, over all records. */
const MAX_CONCURRENT_POLLS = 4

interface Watch {
  timer: NodeJS.Timeout | null
  pause: number
  gone: number
  /** Milliseconds of waiting that are left; time in which nobody could be asked, or the machine slept, does not count. */
  left: number
  /** The pause that was planned last. */
  planned: number
  /** A look is under way; the next one is planned when it has ended. */
  looking: boolean
  readonly abort: AbortController
}

interface TrackerOptions {
  readonly client: BridgeClient
  readonly records: OperationRecords
  /** Where a record's host can be asked now; null while it is away, or another host is connected. */
  readonly findReachableHost: (stored: StoredOperation) => ConnectedHost | null
  /** Called once when there is nothing more to watch, so that what the command touches is read again. */
  readonly onEnded: (record: OperationRecord) => void
  /** A look failed in a way that says something about the connection. */
  readonly onFailure: (error: AppError) => void
  /** For tests. */
  readonly patienceMs?: number
}

/**
 * Watches unfinished records to the end: one poller per record, always with the same request id, slower and slower (spec §3 rule 1, §4).
 */
export class OperationTracker {
  readonly #watches = new Map<string, Watch>()
  readonly #options: TrackerOptions
  readonly #slots = new ConcurrencyLimit(MAX_CONCURRENT_POLLS)

  constructor(options: TrackerOptions) {
    this.#options = options
  }

  /** Starts watching, unless it is being watched already or no outcome can come. */
  watch(record: OperationRecord): void {
    const kind = getCommandKind(record.stored.endpoint)
    if (this.#watches.has(record.id) || !record.isOpen || record.state === 'sent' || record.stored.requestId === null)
      return
    if (kind === 'plain') return
    const left = this.#options.patienceMs ?? MAX_WATCH_MS[kind]
    const none = { timer: null, gone: 0, planned: 0, looking: false }
    const watch: Watch = { ...none, pause: FIRST_PAUSE_MS, left, abort: new AbortController() }
    this.#watches.set(record.id, watch)
    this.#plan(record, watch)
  }

  /** Stops watching; `stopped` if the user wanted that. */
  stop(record: OperationRecord, to: 'stopped' | 'ended'): void {
    const watch = this.#watches.get(record.id)
    this.#watches.delete(record.id)
    watch?.abort.abort()
    if (watch?.timer) clearTimeout(watch.timer)
    record.tracking = to
    record.nextPollAt = null
    this.#options.records.touch(record)
  }

  /** The connection has changed: records that waited for their host are looked at again soon, and those that lost it wait. */
  wake(): void {
    for (const [id, watch] of this.#watches) {
      const record = this.#options.records.find(id)
      if (!record) this.#watches.delete(id)
      else if (record.tracking === 'paused-offline' || this.#options.findReachableHost(record.stored) === null) {
        watch.pause = FIRST_PAUSE_MS
        this.#plan(record, watch)
      }
    }
  }

  dispose(): void {
    for (const { timer, abort } of this.#watches.values()) {
      abort.abort()
      if (timer) clearTimeout(timer)
    }
    this.#watches.clear()
  }

  /** `least`: how long the host wants to be left alone. */
  #plan(record: OperationRecord, watch: Watch, least = 0): void {
    if (watch.timer) clearTimeout(watch.timer)
    watch.timer = null
    const reachable = this.#options.findReachableHost(record.stored) !== null
    record.tracking = reachable ? 'polling' : 'paused-offline'
    // Jitter, so that many records do not ask at the same moment. While the host is away nothing is planned; `wake` does that.
    const pause = Math.max(least, watch.pause * (0.8 + Math.random() * 0.4))
    const planned = reachable && !watch.looking
    record.nextPollAt = planned ? Date.now() + pause : null
    watch.planned = planned ? pause : 0
    if (planned) watch.timer = setTimeout(() => void this.#turn(record, watch), pause).unref()
    this.#options.records.touch(record)
  }

  async #turn(record: OperationRecord, watch: Watch): Promise<void> {
    watch.looking = true
    const look = await this.#look(record, watch)
    watch.looking = false
    watch.left -= watch.planned
    if (this.#watches.get(record.id) !== watch) return
    const { records, onEnded } = this.#options
    const least = look ? this.#take(record, watch, look) : 0
    const lost = watch.gone >= MAX_GONE_POLLS || (look?.kind === 'gone' && wasKnown(record))
    if (record.isOpen && !lost && watch.left <= 0) {
      records.observe(record, { kind: 'given-up', at: Date.now(), by: 'time-limit' })
    }
    if (!record.isOpen || lost) {
      this.stop(record, 'ended')
      return onEnded(record)
    }
    watch.pause = Math.min(MAX_PAUSE_MS, watch.pause * GROWTH)
    this.#plan(record, watch, least)
  }

  /** Null if nobody can be asked now. */
  async #look({ stored, events, instanceNonce: nonce }: OperationRecord, { abort }: Watch): Promise<PollResult | null> {
    const leave = await this.#slots.acquire('', abort.signal).catch(() => null)
    try {
      const here = leave && this.#options.findReachableHost(stored)
      if (!here) return null
      if (!canPollOutcome(stored, here)) return createNoConfirmationResult()
      return await pollPencilResult(
        this.#options.client,
        here,
        { ...stored, instanceNonce: nonce },
        events,
        abort.signal,
      )
    } finally {
      leave?.()
    }
  }

  /** Records what was seen. Returns how long the host wants to be left alone, in milliseconds. */
  #take(record: OperationRecord, watch: Watch, look: PollResult): number {
    const { records, onFailure } = this.#options
    if (look.kind === 'nothing') {
      if (look.error) onFailure(look.error)
      return Math.min(look.retryAfterMs, MAX_RETRY_AFTER_MS)
    }
    if (look.kind === 'absent') {
      watch.gone += 1
      if (watch.gone >= MAX_GONE_POLLS) records.observe(record, createNoConfirmationResult().event)
      return 0
    }
    // That there is no record is written once, however often the host says so.
    if (look.kind === 'seen' || !record.isRecordGone) records.observe(record, look.event)
    const other = look.event.kind === 'observation' && look.event.matches === false
    watch.gone = look.kind === 'gone' || other ? watch.gone + 1 : 0
    if (other && watch.gone >= MAX_GONE_POLLS) records.observe(record, createNoConfirmationResult().event)
    return 0
  }
}

/** The host once had a record of it: if it has none now, the record will not come back. */
const wasKnown = ({ events, stored }: OperationRecord): boolean =>
  stored.source === 'sent' &&
  events.some(
    (event) => event.kind === 'observation' || (event.kind === 'answer' && event.status >= 200 && event.status < 300),
  )
