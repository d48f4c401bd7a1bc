import type { Bus } from '../../bus.ts'
import type { Connection } from '../../bridge/connection/connection.ts'
import { reachableFor } from '../here.ts'
import type { Follow } from './follow.ts'
import type { Records } from '../records/records.ts'

/**
 * Notices, by `instanceNonce`, that a record's host is now another run than the one that last said something about it (spec §4: records
 * of operations are lost then), and that hosts come and go. Returns a function that stops it.
 */
export function watchRestarts(bus: Bus, connection: Connection, records: Records, follow: Follow): () => void {
  let heard = ''

  function changed(): void {
    const { phase, profile, host, epoch } = connection.state()
    const now = JSON.stringify([phase, profile?.id, profile?.baseUrl, host?.instanceNonce, epoch])
    if (now === heard) return
    heard = now
    const nonce = host?.instanceNonce ?? null
    if (phase === 'online' && profile && nonce !== null) {
      records.connected({ baseUrl: connection.target().baseUrl, nonce })
      note(nonce)
    }
    follow.tracker.wake()
    if (phase === 'online') void follow.online()
  }

  function note(to: string): void {
    for (const record of records.all) {
      const from = record.nonce
      if (!record.open || record.state === 'sent' || from === null || from === to) continue
      if (reachableFor(connection, record.stored) === null) continue
      const noted = record.events.some((event) => event.kind === 'host-restarted' && event.to === to)
      if (!noted) records.observe(record, { kind: 'host-restarted', at: Date.now(), from, to })
    }
  }

  return bus.subscribe(({ topic }) => {
    if (topic === 'connection.changed') changed()
  })
}
