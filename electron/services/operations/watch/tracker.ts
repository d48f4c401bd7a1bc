import { getNextSteps } from '../outcome/next-steps.ts'
import { getCommandKind } from '../../../../shared/bridge/endpoints/index.ts'
import type { AppError } from '../../../../shared/errors.ts'
import type { BridgeClient } from '../../bridge/types.ts'
import { ConcurrencyLimit } from '../../media/concurrency-limit.ts'
import type { StoredOperation } from '../../journal/types.ts'
import type { ConnectedHost } from '../../bridge/connection/connected-host.ts'
import { canPollOutcome, pollPencilResult, createNoConfirmationResult, type PollResult } from './poll-result.ts'
import type { OperationRecord } from '../records/record.ts'
import type { OperationRecords } from '../records/records.ts'
import { NodeAbortController } from '../../../core/node-abort.ts'

const FIRST_POLL_DELAY_MS = 500
const MAX_POLL_DELAY_MS = 10_000
const POLL_DELAY_FACTOR = 1.6
/** The longest `Retry-After` that is respected, because a person is waiting for the outcome. */
const MAX_RETRY_AFTER_MS = 120_000
/** Watching is given up after this long without an outcome; it can be resumed. */
const MAX_WATCH_MS = { pencil: 15 * 60_000, session: 60_000, plain: 0 }
/**
 * Consecutive polls without a record, or with the session of another command, before watching ends.
 * A slow host may still write the record, but a host that has lost it never will.
 */
const MAX_GONE_POLLS = 4
const MAX_CONCURRENT_POLLS = 4

interface Watch {
  timer: NodeJS.Timeout | null
  delayMs: number
  missedPolls: number
  /** Time while the host is away or the machine sleeps does not count. */
  remainingMs: number
  /** The delay of the poll that was scheduled last; 0 if none was. */
  scheduledMs: number
  /** True while a poll is under way. The next poll is scheduled when the current one has ended. */
  isPolling: boolean
  readonly abort: AbortController
}

interface TrackerOptions {
  readonly client: BridgeClient
  readonly records: OperationRecords
  /** Returns the record's host; null while this host is away or another host is connected. */
  readonly findReachableHost: (stored: StoredOperation) => ConnectedHost | null
  /** Called once per record, when watching of the record has ended. */
  readonly onEnded: (record: OperationRecord) => void
  /** Called when a poll failed in a way that concerns the connection. */
  readonly onFailure: (error: AppError) => void
  /** Replaces the limits of `MAX_WATCH_MS` in tests, in milliseconds. */
  readonly patienceMs?: number
}

/** One poller for each record, with one request id and growing intervals (spec §3 rule 1, §4). */
export class OperationTracker {
  readonly #watches = new Map<string, Watch>()
  readonly #options: TrackerOptions
  readonly #slots = new ConcurrencyLimit(MAX_CONCURRENT_POLLS)

  constructor(options: TrackerOptions) {
    this.#options = options
  }

  /** Starts watching, unless the record is already watched or no outcome can come. */
  watch(record: OperationRecord): void {
    const kind = getCommandKind(record.stored.endpoint)
    if (this.#watches.has(record.id) || !getNextSteps(record.state).canPoll) return
    if (kind === 'plain' || record.stored.requestId === null) return
    const remainingMs = this.#options.patienceMs ?? MAX_WATCH_MS[kind]
    const initial = { timer: null, missedPolls: 0, scheduledMs: 0, isPolling: false }
    const watch: Watch = { ...initial, delayMs: FIRST_POLL_DELAY_MS, remainingMs, abort: new NodeAbortController() }
    this.#watches.set(record.id, watch)
    this.#schedule(record, watch, getAskedWaitMs(record))
  }

  /** @param tracking `stopped` if the user asked for it. */
  stop(record: OperationRecord, tracking: 'stopped' | 'ended'): void {
    const watch = this.#watches.get(record.id)
    this.#watches.delete(record.id)
    watch?.abort.abort()
    if (watch?.timer) clearTimeout(watch.timer)
    record.tracking = tracking
    record.nextPollAt = null
    this.#options.records.touch(record)
  }

  /** Call when the connection changed: records whose host is back are polled soon. */
  wake(): void {
    for (const [id, watch] of this.#watches) {
      const record = this.#options.records.find(id)
      if (!record) this.#watches.delete(id)
      else if (record.tracking === 'paused-offline' || this.#options.findReachableHost(record.stored) === null) {
        watch.delayMs = FIRST_POLL_DELAY_MS
        this.#schedule(record, watch)
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

  /** Schedules the next poll, at least `minDelayMs` from now. */
  #schedule(record: OperationRecord, watch: Watch, minDelayMs = 0): void {
    if (watch.timer) clearTimeout(watch.timer)
    watch.timer = null
    const isReachable = this.#options.findReachableHost(record.stored) !== null
    record.tracking = isReachable ? 'polling' : 'paused-offline'
    // Jitter spreads many records. While the host is away, `wake` schedules polls later.
    const delayMs = Math.max(minDelayMs, watch.delayMs * (0.8 + Math.random() * 0.4))
    const canSchedule = isReachable && !watch.isPolling
    record.nextPollAt = canSchedule ? Date.now() + delayMs : null
    watch.scheduledMs = canSchedule ? delayMs : 0
    if (canSchedule) watch.timer = setTimeout(() => void this.#poll(record, watch), delayMs).unref()
    this.#options.records.touch(record)
  }

  async #poll(record: OperationRecord, watch: Watch): Promise<void> {
    watch.isPolling = true
    const result = await this.#requestOutcome(record, watch)
    watch.isPolling = false
    watch.remainingMs -= watch.scheduledMs
    if (this.#watches.get(record.id) !== watch) return
    const { records, onEnded } = this.#options
    if (result) this.#applyResult(record, watch, result)
    const isRecordLost = watch.missedPolls >= MAX_GONE_POLLS || (result?.kind === 'gone' && wasRecordedByHost(record))
    if (record.isOpen && !isRecordLost && watch.remainingMs <= 0) {
      records.observe(record, { kind: 'given-up', at: Date.now(), by: 'time-limit' })
    }
    if (!record.isOpen || isRecordLost) {
      this.stop(record, 'ended')
      return onEnded(record)
    }
    watch.delayMs = Math.min(MAX_POLL_DELAY_MS, watch.delayMs * POLL_DELAY_FACTOR)
    this.#schedule(record, watch, Math.min(result?.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS))
  }

  /** Returns null if the host cannot be polled. */
  async #requestOutcome(
    { stored, events, instanceNonce }: OperationRecord,
    { abort }: Watch,
  ): Promise<PollResult | null> {
    const releaseSlot = await this.#slots.acquire('', abort.signal).catch(() => null)
    try {
      const host = releaseSlot && this.#options.findReachableHost(stored)
      if (!host) return null
      if (!canPollOutcome(stored, host)) return createNoConfirmationResult()
      return await pollPencilResult(this.#options.client, host, { ...stored, instanceNonce }, events, abort.signal)
    } finally {
      releaseSlot?.()
    }
  }

  #applyResult(record: OperationRecord, watch: Watch, result: PollResult): void {
    const { records, onFailure } = this.#options
    // A missing record is noted once, however often the host reports it.
    if (result.kind === 'seen' || (result.kind === 'gone' && !record.isRecordGone))
      records.observe(record, result.event)
    else record.unrecordedPolls += 1
    if (result.kind === 'nothing') {
      if (result.error) onFailure(result.error)
      return
    }
    if (result.kind === 'absent') {
      watch.missedPolls += 1
      if (watch.missedPolls >= MAX_GONE_POLLS) records.observe(record, createNoConfirmationResult().event)
      return
    }
    const isOtherSession = result.event.kind === 'observation' && result.event.matches === false
    watch.missedPolls = result.kind === 'gone' || isOtherSession ? watch.missedPolls + 1 : 0
    if (isOtherSession && watch.missedPolls >= MAX_GONE_POLLS)
      records.observe(record, createNoConfirmationResult().event)
  }
}

/** The rest of the wait that the host asked for when it accepted the command. */
function getAskedWaitMs({ events }: OperationRecord): number {
  const response = events.find((event) => event.kind === 'answer')
  const waitMs = Math.min((response?.retryAfterSeconds ?? 0) * 1_000, MAX_RETRY_AFTER_MS)
  return response && waitMs > 0 ? Math.max(0, response.at + waitMs - Date.now()) : 0
}

/** The host once had a record of the command; if it has none now, the record will not come back. */
const wasRecordedByHost = ({ events, stored }: OperationRecord): boolean =>
  stored.source === 'sent' &&
  events.some(
    (event) => event.kind === 'observation' || (event.kind === 'answer' && event.status >= 200 && event.status < 300),
  )
