import { randomUUID } from 'node:crypto'
import type { OperationEvent } from '../../shared/operations/operation-events.ts'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { JOURNAL_FILE, openJournal } from '../../electron/services/journal/journal.ts'

const endings: readonly (readonly OperationEvent[])[] = [
  [buildResponseEvent(200, { persisted: true })],
  [buildResponseEvent(409, { error: { code: 'NO_SELECTION', message: 'No card is selected.' } })],
  [{ kind: 'failure', at: 0, reached: 'maybe', error: null }],
  [{ kind: 'app-ended', at: 0 }],
  [buildResponseEvent(200, {})],
]

function buildResponseEvent(status: number, body: unknown): OperationEvent {
  return { kind: 'answer', at: 0, status, body, cut: false, durationMs: 3, exchangeId: 'x', instanceNonce: null }
}

/**
 * Fills the journal of a data directory with this many records with every outcome, a second apart,
 * as if left by another run.
 */
export function writeOperations(dataDir: string, host: string, count: number): void {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const notices = { add: () => undefined, list: () => [], dismiss: () => undefined }
  // Created by the app; filled in one transaction, because each separate change waits for the disk.
  openJournal({ dataDir, notices: notices as never, log: log as never }).close()
  const database = new DatabaseSync(path.join(dataDir, JOURNAL_FILE))
  const create = database.prepare('INSERT INTO operations (id, created_at, stored, seen) VALUES (?, ?, ?, ?)')
  const append = database.prepare('INSERT INTO events (operation, place, event) VALUES (?, ?, ?)')
  database.exec('BEGIN')
  const start = Date.now() - count * 1_000
  for (let n = 0; n < count; n += 1) {
    const id = randomUUID()
    const timestamp = start + n * 1_000
    const noteid = `CARD-${String(n % 500)}`
    const stored = {
      id,
      endpoint: n % 2 === 0 ? 'notes.title' : 'notes.blankBands',
      source: 'sent',
      profileId: 'another',
      profileName: 'Another run',
      host,
      method: 'POST',
      path: `/notes/${noteid}/${n % 2 === 0 ? 'title' : 'blank-bands'}`,
      body: JSON.stringify({ text: `标题 ${String(n)}`, confirm: true }),
      createdAt: timestamp,
      requestId: null,
      topicid: `SET-${String(n % 12)}`,
      noteid,
      instanceNonce: null,
    }
    create.run(id, timestamp, JSON.stringify(stored), 1)
    const ending = endings[n % endings.length] ?? []
    const events: OperationEvent[] = [
      { kind: 'intent', at: timestamp },
      { kind: 'sent', at: timestamp + 1 },
      ...ending.map((event) => ({ ...event, at: timestamp + 5 })),
    ]
    events.forEach((event, place) => append.run(id, place, JSON.stringify(event)))
  }
  database.exec('COMMIT')
  database.close()
}
