import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import type { IpcPayload } from '../../../shared/ipc/index.ts'
import type { TrafficInfo } from '../../../shared/ipc/traffic.ts'
import { isOriginWithin, type FindingScope } from '../../../shared/protocol/finding.ts'
import type { PendingExchange } from '../../core/protocol/rules/rule-engine.ts'
import type { ExchangeStart, ExchangeRecorder } from '../bridge/types.ts'
import type { Bus } from '../bus.ts'
import { createEntry, createPendingRow, type PendingRow, type BodyAllowance } from './entry.ts'
import type { StoreChange, StoreListeners, TrafficStore } from './traffic-store.ts'

type TrafficChanged = IpcPayload<'traffic.changed'>

/** Begin and end of a quick exchange are notified together. */
const PUBLISH_DELAY_MS = 100
/** Each notification makes every page read and render its list, so few are sent in a row. */
const PUBLISH_INTERVAL_MS = 240
/** A longer exchange is stored before it ends, in case the program ends first. */
const PENDING_AFTER_MS = 1_000
/** Maximum number of exchanges in progress that are sent to pages. */
const MAX_PENDING_SHOWN = 100
/** Maximum bytes of a streamed body that are recorded. */
const MAX_MEDIA_BYTES = 4 * 1024 * 1024
const FIRST_ERROR_STATUS = 400

/** Checks for missing requests: their interval, and how long they continue without exchanges. */
const TICK_MS = 2_500
const TICK_FOR_MS = 40_000
/** How long the end of a caller waits for the ends of its exchanges. */
const MAX_IN_FLIGHT_MS = 2_000
const END_CHECK_MS = 50
/** A page that is reloading has begun its next load by then. */
const RELOAD_MS = 3_000
/** A page that polls once a second has done so by then. */
const CALLER_GRACE_MS = 3_000

interface Options {
  readonly createStore: (onChange: StoreListeners['onChange']) => TrafficStore
  readonly bus: Bus
  readonly getMaxBodyBytes: () => number
  /** Removes tokens from the paths of exchanges in progress, which are sent to pages. */
  readonly conceal: (text: string) => string
}

interface EndOptions {
  /** Default false. */
  readonly isByItself?: boolean
  /** How long running callers may send due requests; by default 0 if all ended themselves. */
  readonly graceMs?: number
  /** Milliseconds until the end is decided, with the time at which it was reported; default 0. */
  readonly delayMs?: number
  /** Returns true if it turns out by then that the callers have not ended. */
  readonly isObsolete?: () => boolean
}

export interface Recorder extends ExchangeRecorder {
  /** No finding comes from a person's delay or changes. Call the result when the call goes on. */
  recordHold(caller: PendingExchange): () => void
  /** Reports due requests that were not sent. Resolves when the findings are there. */
  endCallers(scope: FindingScope, options?: EndOptions): Promise<void>
  readonly store: TrafficStore
  info(): Promise<TrafficInfo>
  isPaused(): boolean
  pause(paused: boolean): Promise<TrafficInfo>
  close(): Promise<void>
}

/** Epoch milliseconds of a monotonic clock, set to the system's time at the start. */
const getMonotonicTime = (): number => performance.timeOrigin + performance.now()

/** Records every exchange, lists those in progress, and notifies pages of changes. */
export function createRecorder(options: Options, runStartedAt = Date.now()): Recorder {
  const { bus, getMaxBodyBytes, conceal } = options
  const underWay = new Map<string, { row: PendingRow; begun: ExchangeStart; beganAt: number; noted: boolean }>()
  const heldCallers = new Set<PendingExchange>()
  /** Starts of the first and of the latest exchange of this run, by the system's clock. */
  let [firstStartedAt, newestStartedAt] = [runStartedAt, runStartedAt]
  let isPaused = false
  let lastChange: StoreChange = { newest: 0, exchanges: 0, reread: false }
  let shouldReread = false
  let publishTimer: NodeJS.Timeout | null = null
  let lastPublishedAt = 0
  let noteTimer: NodeJS.Timeout | null = null
  let checkTimer: NodeJS.Timeout | null = null
  let lastEndedAt = 0
  /** Ends that are not stored yet, because they wait for exchanges. */
  const pendingEnds = new Set<() => void>()

  const store = options.createStore((change) => {
    lastChange = change
    shouldReread ||= change.reread
    schedulePublish()
  })

  function schedulePublish(): void {
    if (publishTimer) return
    const restMs = lastPublishedAt + PUBLISH_INTERVAL_MS - getMonotonicTime()
    publishTimer = setTimeout(publishChange, Math.max(PUBLISH_DELAY_MS, restMs)).unref()
  }

  function publishPanelCall({ id, origin, endpoint }: ExchangeStart, { state, status }: PendingRow): void {
    if (origin.kind !== 'panel') return
    const isFailed = state === 'failed' || (status ?? 0) >= FIRST_ERROR_STATUS
    bus.publish('traffic.panelCallEnded', {
      id,
      caller: origin.caller,
      isNotable: isFailed || endpoint.access === 'write',
    })
  }

  function publishChange(): void {
    publishTimer = null
    lastPublishedAt = getMonotonicTime()
    const visibleEntries = [...underWay.values()].slice(0, MAX_PENDING_SHOWN)
    const pending: TrafficChanged['pending'] = visibleEntries.map(({ row }) => ({ ...row, path: conceal(row.path) }))
    bus.publish('traffic.changed', {
      newest: lastChange.newest,
      exchanges: lastChange.exchanges,
      pending,
      reread: shouldReread,
    })
    shouldReread = false
  }

  /** Writes only exchanges that take long to the store before they end. */
  function storeLongPending(): void {
    noteTimer = null
    const latestStart = getMonotonicTime() - PENDING_AFTER_MS
    let hasYounger = false
    for (const exchange of underWay.values()) {
      if (exchange.noted) continue
      if (exchange.beganAt > latestStart) hasYounger = true
      else {
        exchange.noted = true
        store.addPending(exchange.row, exchange.begun.target.token)
      }
    }
    if (hasYounger) scheduleNote()
  }

  function scheduleNote(): void {
    noteTimer ??= setTimeout(storeLongPending, PENDING_AFTER_MS).unref()
  }

  function checkPending(): void {
    checkTimer = null
    const now = getMonotonicTime()
    const pendingExchanges = [
      ...[...underWay.values()].map(({ begun }) => ({ origin: begun.origin, host: begun.target.baseUrl })),
      ...heldCallers,
    ]
    store.checkPending(now, pendingExchanges)
    if (now - lastEndedAt < TICK_FOR_MS || pendingExchanges.length > 0) scheduleCheck()
  }

  function scheduleCheck(): void {
    checkTimer ??= setTimeout(checkPending, TICK_MS).unref()
  }

  /** Stores a caller's end after its exchanges and grace, because acts until then count. */
  async function endCallers(
    scope: FindingScope,
    {
      isByItself = false,
      graceMs = isByItself ? 0 : CALLER_GRACE_MS,
      delayMs = 0,
      isObsolete = () => false,
    }: EndOptions = {},
  ): Promise<void> {
    const startedAt = getMonotonicTime()
    const storeEnd = (): void => {
      if (!pendingEnds.delete(storeEnd) || isObsolete()) return
      store.recordCallersEnded(scope, { at: graceMs > 0 ? getMonotonicTime() : startedAt, isByItself })
    }
    pendingEnds.add(storeEnd)
    if (delayMs > 0) await setTimeoutPromise(delayMs, undefined, { ref: false })
    const isInFlight = (): boolean => [...underWay.values()].some(({ begun }) => isOriginWithin(begun.origin, scope))
    while (pendingEnds.has(storeEnd)) {
      const elapsedMs = getMonotonicTime() - startedAt
      const mustWait =
        (elapsedMs < MAX_IN_FLIGHT_MS && isInFlight()) || (elapsedMs < graceMs && (await store.areCallersOwing(scope)))
      if (!mustWait) break
      await setTimeoutPromise(END_CHECK_MS)
    }
    storeEnd()
    // The thread of a data directory reports its findings before it replies.
    await store.info()
  }

  const getAllowance = (bytes: number): BodyAllowance => {
    const maxBytes = getMaxBodyBytes()
    if (store.hasRoom(Math.min(bytes, maxBytes))) return { maxBytes, missing: 'limit' }
    store.recordDropped()
    store.recordGap(getMonotonicTime())
    return { maxBytes: 0, missing: 'busy' }
  }

  const buildInfo = async (): Promise<TrafficInfo> => {
    const storeInfo = await store.info()
    const oldestAt = storeInfo.oldestAt === null ? null : Math.min(storeInfo.oldestAt, firstStartedAt)
    return { ...storeInfo, oldestAt, paused: isPaused, runStartedAt: firstStartedAt, newestAt: newestStartedAt }
  }

  return {
    store,
    getMaxStreamedBytes: () => Math.min(MAX_MEDIA_BYTES, getMaxBodyBytes()),
    recordStart(start) {
      if (isPaused && start.origin.kind !== 'console') return
      const row = createPendingRow(start)
      const beganAt = start.startedMs === undefined ? getMonotonicTime() : performance.timeOrigin + start.startedMs
      underWay.set(start.id, { row, begun: start, beganAt, noted: false })
      firstStartedAt = Math.min(firstStartedAt, start.startedAt)
      newestStartedAt = Math.max(newestStartedAt, start.startedAt)
      scheduleNote()
      schedulePublish()
    },
    recordEnd(start, end) {
      const pending = underWay.get(start.id)
      if (!pending) return
      underWay.delete(start.id)
      lastEndedAt = getMonotonicTime()
      const span = { begun: start, beganAt: pending.beganAt, endedAt: lastEndedAt }
      const entry = createEntry(pending.row, span, end, getAllowance)
      store.add(entry)
      publishPanelCall(start, entry.row)
      schedulePublish()
      scheduleCheck()
    },
    recordInitiator(id, initiator) {
      if (!isPaused) store.recordInitiator(id, initiator)
    },
    recordHold(caller) {
      heldCallers.add(caller)
      return () => {
        if (heldCallers.delete(caller)) store.recordHold(caller)
      }
    },
    recordPageLeft: (caller, load) => store.recordPageLeft(caller, load),
    recordLoadEnd(caller, load, isReplaced) {
      const options = { graceMs: 0, delayMs: RELOAD_MS, isObsolete: isReplaced }
      void endCallers({ caller, load }, options).catch(() => undefined)
    },
    recordCallerEnd: (caller) => void endCallers({ caller }, { graceMs: 0 }).catch(() => undefined),
    endCallers,
    info: buildInfo,
    isPaused: () => isPaused,
    async pause(shouldPause) {
      if (isPaused !== shouldPause) store.recordGap(getMonotonicTime())
      isPaused = shouldPause
      shouldReread = true
      schedulePublish()
      return buildInfo()
    },
    async close() {
      if (publishTimer) clearTimeout(publishTimer)
      if (noteTimer) clearTimeout(noteTimer)
      if (checkTimer) clearTimeout(checkTimer)
      for (const storeEnd of [...pendingEnds]) storeEnd()
      await store.close()
    },
  }
}

/** Publishes ended exchanges first: afterwards the recorder's thread has the bytes alone. */
export function withPublishedEnds(recorder: ExchangeRecorder, bus: Bus): ExchangeRecorder {
  return {
    getMaxStreamedBytes: () => recorder.getMaxStreamedBytes(),
    recordStart: (start) => recorder.recordStart(start),
    recordEnd(start, end) {
      bus.publish('bridge.exchangeEnded', { start, end })
      recorder.recordEnd(start, end)
    },
  }
}
