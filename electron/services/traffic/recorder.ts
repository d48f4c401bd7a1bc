import type { IpcPayload } from '../../../shared/ipc/index.ts'
import type { TrafficInfo } from '../../../shared/ipc/traffic.ts'
import type { ExchangeStart, ExchangeRecorder } from '../bridge/types.ts'
import type { Bus } from '../bus.ts'
import { createEntry, createPendingRow, type PendingRow, type BodyAllowance } from './entry.ts'
import type { StoreChange, StoreListeners, TrafficStore } from './traffic-store.ts'

type Changed = IpcPayload<'traffic.changed'>

/** Pages are told at most this often. */
const PUBLISH_INTERVAL_MS = 100
/** An exchange under way for this long is noted in the store. */
const PENDING_AFTER_MS = 1_000
/** How many exchanges under way a page is shown. */
const MAX_PENDING_SHOWN = 100
/** How much of a body that passes through is kept. */
const MAX_MEDIA_BYTES = 4 * 1024 * 1024

/** How often the rules look for what did not follow, and for how long after the last exchange. */
const TICK_MS = 2_500
const TICK_FOR_MS = 40_000

interface Options {
  readonly createStore: (onChange: StoreListeners['onChange']) => TrafficStore
  readonly bus: Bus
  /** How many bytes of one body are kept. */
  readonly getMaxBodyBytes: () => number
  /** Removes tokens from what a page is shown of an exchange under way. */
  readonly conceal: (text: string) => string
}

export interface Recorder extends ExchangeRecorder {
  readonly store: TrafficStore
  info(): Promise<TrafficInfo>
  pause(paused: boolean): Promise<TrafficInfo>
  close(): Promise<void>
}

/**
 * Milliseconds of a clock that only runs forward, whatever happens to the one that people see; near
 * it at the start of the program.
 */
const steadyNow = (): number => performance.timeOrigin + performance.now()

/** Hands every exchange over to the store, knows what is under way, and tells pages of changes. */
export function createRecorder(options: Options, runStartedAt = Date.now()): Recorder {
  const { bus, getMaxBodyBytes: bodyBytes, conceal } = options
  const underWay = new Map<string, { row: PendingRow; begun: ExchangeStart; beganAt: number; noted: boolean }>()
  /** Beginning of the first and of the last exchange of this run, by the clock that people see. */
  let [firstAt, newestAt] = [runStartedAt, runStartedAt]
  let paused = false
  let known: StoreChange = { newest: 0, exchanges: 0, reread: false }
  let reread = false
  let telling: NodeJS.Timeout | null = null
  let noting: NodeJS.Timeout | null = null
  let ticking: NodeJS.Timeout | null = null
  let endedAt = 0

  const store = options.createStore((change) => {
    known = change
    reread ||= change.reread
    tellSoon()
  })

  function tellSoon(): void {
    telling ??= setTimeout(tell, PUBLISH_INTERVAL_MS).unref()
  }

  function tell(): void {
    telling = null
    const shown = [...underWay.values()].slice(0, MAX_PENDING_SHOWN)
    const pending: Changed['pending'] = shown.map(({ row }) => ({ ...row, path: conceal(row.path) }))
    bus.publish('traffic.changed', { newest: known.newest, exchanges: known.exchanges, pending, reread })
    reread = false
  }

  /** Most exchanges are over long before; only those that take long cost a note. */
  function noteLong(): void {
    noting = null
    const longAgo = steadyNow() - PENDING_AFTER_MS
    let later = false
    for (const one of underWay.values()) {
      if (one.noted) continue
      if (one.beganAt > longAgo) later = true
      else {
        one.noted = true
        store.addPending(one.row, one.begun.target.token)
      }
    }
    if (later) noteSoon()
  }

  function noteSoon(): void {
    noting ??= setTimeout(noteLong, PENDING_AFTER_MS).unref()
  }

  function tick(): void {
    ticking = null
    const now = steadyNow()
    const waiting = [...underWay.values()].map(({ begun }) => ({ origin: begun.origin, host: begun.target.baseUrl }))
    store.checkPending(now, waiting)
    if (now - endedAt < TICK_FOR_MS || waiting.length > 0) tickSoon()
  }

  function tickSoon(): void {
    ticking ??= setTimeout(tick, TICK_MS).unref()
  }

  const room = (bytes: number): BodyAllowance => {
    const limit = bodyBytes()
    if (store.hasRoom(Math.min(bytes, limit))) return { maxBytes: limit, missing: 'limit' }
    store.recordDropped()
    store.recordGap(steadyNow())
    return { maxBytes: 0, missing: 'busy' }
  }

  const info = async (): Promise<TrafficInfo> => {
    const known = await store.info()
    const oldestAt = known.oldestAt === null ? null : Math.min(known.oldestAt, firstAt)
    return { ...known, oldestAt, paused, runStartedAt: firstAt, newestAt }
  }

  return {
    store,
    getMaxStreamedBytes: () => Math.min(MAX_MEDIA_BYTES, bodyBytes()),
    recordStart(begun) {
      if (paused && begun.origin.kind !== 'console') return
      const row = createPendingRow(begun)
      underWay.set(begun.id, { row, begun, beganAt: steadyNow(), noted: false })
      firstAt = Math.min(firstAt, begun.startedAt)
      newestAt = Math.max(newestAt, begun.startedAt)
      noteSoon()
      tellSoon()
    },
    recordEnd(begun, how) {
      const one = underWay.get(begun.id)
      if (!one) return
      underWay.delete(begun.id)
      endedAt = steadyNow()
      store.add(createEntry(one.row, { begun, beganAt: one.beganAt, endedAt }, how, room))
      tellSoon()
      tickSoon()
    },
    recordPanelCall: (id, page) => store.recordPanelCall(id, page),
    recordPageLeft: (caller, load) => store.recordPageLeft(caller, load),
    info,
    async pause(next) {
      if (paused !== next) store.recordGap(steadyNow())
      paused = next
      reread = true
      tellSoon()
      return info()
    },
    async close() {
      if (telling) clearTimeout(telling)
      if (noting) clearTimeout(noting)
      if (ticking) clearTimeout(ticking)
      await store.close()
    },
  }
}

/** A recorder that also tells somebody else of each exchange that has ended. */
export const withEndListener = (recorder: ExchangeRecorder, hear: ExchangeRecorder['recordEnd']): ExchangeRecorder => ({
  getMaxStreamedBytes: () => recorder.getMaxStreamedBytes(),
  recordStart: (begun) => recorder.recordStart(begun),
  recordEnd(begun, how) {
    recorder.recordEnd(begun, how)
    hear(begun, how)
  },
})
