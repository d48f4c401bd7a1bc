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
  /** The run of the host at this address, if it is known. */
  readonly instanceOf: (baseUrl: string) => string | null
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

/** Hands every exchange over to the store, knows what is under way, and tells pages of changes. */
export function createRecorder(options: Options, runStartedAt = Date.now()): Recorder {
  const { bus, instanceOf, bodyBytes, conceal } = options
  const underWay = new Map<string, { row: PendingRow; begun: ExchangeBegun; noted: boolean }>()
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
    const longAgo = Date.now() - LONG_MS
    let later = false
    for (const one of underWay.values()) {
      if (one.noted) continue
      if (one.row.startedAt > longAgo) later = true
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
    const now = Date.now()
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
    store.gap(Date.now())
    return { limit: 0, missing: 'busy' }
  }

  const info = async (): Promise<TrafficInfo> => ({ ...(await store.info()), paused, runStartedAt })

  return {
    store,
    mediaBytes: () => Math.min(MEDIA_BYTES, bodyBytes()),
    began(begun) {
      if (paused && begun.origin.kind !== 'console') return
      underWay.set(begun.id, { row: pendingRow(begun, instanceOf(begun.target.baseUrl)), begun, noted: false })
      noteSoon()
      tellSoon()
    },
    ended(begun, how) {
      const one = underWay.get(begun.id)
      if (!one) return
      underWay.delete(begun.id)
      store.add(entryOf(one.row, begun, how, room))
      endedAt = Date.now()
      tellSoon()
      tickSoon()
    },
    called: (id, page) => store.called(id, page),
    info,
    async pause(next) {
      if (paused !== next) store.gap(Date.now())
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
