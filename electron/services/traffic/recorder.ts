import type { Payload } from '../../../shared/ipc/index.ts'
import type { TrafficInfo } from '../../../shared/ipc/traffic.ts'
import type { ExchangeBegun, ExchangeRecorder } from '../bridge/types.ts'
import type { Bus } from '../bus.ts'
import { entryOf, pendingRow, type PendingRow, type Room } from './entry.ts'
import type { Change, Listeners, TrafficStore } from './store.ts'

type Changed = Payload<'traffic.changed'>

/** Pages are told at most this often. */
const TELL_MS = 100
/** An exchange under way for this long is noted in the store. */
const LONG_MS = 1_000
/** How many exchanges under way a page is shown. */
const MOST_SHOWN = 100
/** How much of a body that passes through is kept. */
const MEDIA_BYTES = 4 * 1024 * 1024

/** How often the rules look for what did not follow, and for how long after the last exchange. */
const TICK_MS = 2_500
const TICK_FOR_MS = 40_000

interface Options {
  readonly store: (onChange: Listeners['onChange']) => TrafficStore
  readonly bus: Bus
  /** How many bytes of one body are kept. */
  readonly bodyBytes: () => number
  /** Removes tokens from what a page is shown of an exchange under way. */
  readonly conceal: (text: string) => string
}

export interface Recorder extends ExchangeRecorder {
  readonly store: TrafficStore
  info(): Promise<TrafficInfo>
  pause(paused: boolean): Promise<TrafficInfo>
  close(): Promise<void>
}

/** Milliseconds of a clock that only runs forward, whatever happens to the one that people see; near it at the start of the program. */
const steadyNow = (): number => performance.timeOrigin + performance.now()

/** Hands every exchange over to the store, knows what is under way, and tells pages of changes. */
export function createRecorder(options: Options, runStartedAt = Date.now()): Recorder {
  const { bus, bodyBytes, conceal } = options
  const underWay = new Map<string, { row: PendingRow; begun: ExchangeBegun; beganAt: number; noted: boolean }>()
  /** Beginning of the first and of the last exchange of this run, by the clock that people see. */
  let [firstAt, newestAt] = [runStartedAt, runStartedAt]
  let paused = false
  let known: Change = { newest: 0, exchanges: 0, reread: false }
  let reread = false
  let telling: NodeJS.Timeout | null = null
  let noting: NodeJS.Timeout | null = null
  let ticking: NodeJS.Timeout | null = null
  let endedAt = 0

  const store = options.store((change) => {
    known = change
    reread ||= change.reread
    tellSoon()
  })

  function tellSoon(): void {
    telling ??= setTimeout(tell, TELL_MS).unref()
  }

  function tell(): void {
    telling = null
    const shown = [...underWay.values()].slice(0, MOST_SHOWN)
    const pending: Changed['pending'] = shown.map(({ row }) => ({ ...row, path: conceal(row.path) }))
    bus.publish('traffic.changed', { newest: known.newest, exchanges: known.exchanges, pending, reread })
    reread = false
  }

  /** Most exchanges are over long before; only those that take long cost a note. */
  function noteLong(): void {
    noting = null
    const longAgo = steadyNow() - LONG_MS
    let later = false
    for (const one of underWay.values()) {
      if (one.noted) continue
      if (one.beganAt > longAgo) later = true
      else {
        one.noted = true
        store.note(one.row, one.begun.target.token)
      }
    }
    if (later) noteSoon()
  }

  function noteSoon(): void {
    noting ??= setTimeout(noteLong, LONG_MS).unref()
  }

  function tick(): void {
    ticking = null
    const now = steadyNow()
    const waiting = [...underWay.values()].map(({ begun }) => ({ origin: begun.origin, host: begun.target.baseUrl }))
    store.tick(now, waiting)
    if (now - endedAt < TICK_FOR_MS || waiting.length > 0) tickSoon()
  }

  function tickSoon(): void {
    ticking ??= setTimeout(tick, TICK_MS).unref()
  }

  const room = (bytes: number): Room => {
    const limit = bodyBytes()
    if (store.hasRoom(Math.min(bytes, limit))) return { limit, missing: 'limit' }
    store.dropped()
    store.gap(steadyNow())
    return { limit: 0, missing: 'busy' }
  }

  const info = async (): Promise<TrafficInfo> => {
    const known = await store.info()
    const oldestAt = known.oldestAt === null ? null : Math.min(known.oldestAt, firstAt)
    return { ...known, oldestAt, paused, runStartedAt: firstAt, newestAt }
  }

  return {
    store,
    mediaBytes: () => Math.min(MEDIA_BYTES, bodyBytes()),
    began(begun) {
      if (paused && begun.origin.kind !== 'console') return
      const row = pendingRow(begun)
      underWay.set(begun.id, { row, begun, beganAt: steadyNow(), noted: false })
      firstAt = Math.min(firstAt, begun.startedAt)
      newestAt = Math.max(newestAt, begun.startedAt)
      noteSoon()
      tellSoon()
    },
    ended(begun, how) {
      const one = underWay.get(begun.id)
      if (!one) return
      underWay.delete(begun.id)
      endedAt = steadyNow()
      store.add(entryOf(one.row, { begun, beganAt: one.beganAt, endedAt }, how, room))
      tellSoon()
      tickSoon()
    },
    called: (id, page) => store.called(id, page),
    left: (caller, load) => store.left(caller, load),
    info,
    async pause(next) {
      if (paused !== next) store.gap(steadyNow())
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
export const listened = (recorder: ExchangeRecorder, hear: ExchangeRecorder['ended']): ExchangeRecorder => ({
  mediaBytes: () => recorder.mediaBytes(),
  began: (begun) => recorder.began(begun),
  ended(begun, how) {
    recorder.ended(begun, how)
    hear(begun, how)
  },
})
