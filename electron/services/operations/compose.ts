import type { Bus } from '../bus.ts'
import { readCapabilities } from '../bridge/probe.ts'
import type { Connection } from '../bridge/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'
import type { Journal } from '../journal/types.ts'
import { createOperations } from './operations.ts'
import type { OperationRecord } from './record.ts'
import { Records } from './records.ts'
import { Tracker } from './tracker.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * The operation services put together: what was in flight when the app ended is known, what is unfinished is watched on, and a restart of the
 * host is noticed by its instance. `inFlight` is told how many records have an outcome that is not known.
 */
export function composeOperations(options: {
  readonly client: BridgeClient
  readonly connection: Connection
  readonly bus: Bus
  readonly journal: Journal
  readonly conceal: (text: string) => string
  readonly inFlight: (count: number) => void
  /** How long and how much is kept; asked anew each time. */
  readonly retention: () => { readonly keepDays: number; readonly maxMb: number }
}) {
  const { client, connection, bus, journal, conceal } = options
  const records = new Records(journal, bus)
  let inFlight = 0
  for (const record of records.all) {
    const { state } = record.derived
    if (state !== 'sent' && state !== 'prepared') continue
    if (state === 'sent') inFlight += 1
    records.observe(record, { kind: 'app-ended', at: Date.now() })
  }
  if (inFlight > 0) options.inFlight(inFlight)

  const targetFor = ({ stored }: OperationRecord) => {
    const { phase, profile } = connection.state()
    return phase === 'online' && profile?.id === stored.profileId ? connection.target() : null
  }
  const tracker = new Tracker({
    client,
    records,
    targetFor,
    onSettled: (record) => void operations.readAgain(record).catch(() => undefined),
  })
  const capabilities = async () => {
    try {
      return (await readCapabilities(client, connection.target(), AbortSignal.timeout(5000))).capabilities
    } catch {
      return null
    }
  }
  const operations = createOperations({ client, connection, records, tracker, conceal, capabilities })

  let nonce: string | null = null
  const unsubscribe = bus.subscribe(({ topic }) => {
    if (topic !== 'connection.changed') return
    const { host, phase, profile } = connection.state()
    if (phase !== 'online') return
    const now = host?.instanceNonce ?? null
    for (const record of records.all) {
      if (record.stored.profileId !== profile?.id) continue
      const before = record.nonce
      const restarted = now !== null && before !== null && before !== now
      if (
        restarted &&
        record.open &&
        !record.events.some((event) => event.kind === 'host-restarted' && event.to === now)
      ) {
        records.observe(record, { kind: 'host-restarted', at: Date.now(), from: before, to: now })
      }
      // What was watched before the app or the host went away is watched on, once its host is here.
      tracker.watch(record)
    }
    if (nonce !== null && now !== null && nonce !== now) records.restarted(Date.now())
    nonce = now ?? nonce
    tracker.wake()
  })

  function prune(): void {
    const { keepDays, maxMb } = options.retention()
    try {
      records.clear(Date.now() - keepDays * DAY_MS)
      records.shrink(maxMb * 1024 * 1024)
    } catch {
      // Said where the journal is written next; nothing is lost by keeping more.
    }
  }
  prune()
  const pruning = setInterval(prune, HOUR_MS)
  pruning.unref()

  return {
    operations,
    records,
    tracker,
    dispose(): void {
      clearInterval(pruning)
      unsubscribe()
      tracker.dispose()
      records.dispose()
    },
  }
}
