import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { JOURNAL_FILE } from '../../../../electron/services/journal/journal.ts'
import { OperationRecords } from '../../../../electron/services/operations/records/records.ts'
import { startComposed } from '../../../support/program/composed.ts'
import { tempDir } from '../../../support/data/data-dir.ts'
import { journalIn, storedOperation } from '../../../support/services/journal.ts'
import { answer, intent, read, sent } from '../../../support/services/operation-events.ts'
import { surroundings } from '../../../support/services/services.ts'

/** A journal as the first version created it, whose free pages stay in the file. */
function version1(file: string, count: number): void {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE operations (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, stored TEXT NOT NULL) STRICT;
    CREATE TABLE events (operation TEXT NOT NULL REFERENCES operations(id) ON DELETE CASCADE, place INTEGER NOT NULL,
      event TEXT NOT NULL, PRIMARY KEY (operation, place)) STRICT, WITHOUT ROWID; PRAGMA user_version = 1; BEGIN`)
  const addRecord = database.prepare('INSERT INTO operations VALUES (?, ?, ?)')
  const addEvent = database.prepare('INSERT INTO events VALUES (?, ?, ?)')
  for (let n = 0; n < count; n += 1) {
    const id = `o-${n}`
    addRecord.run(id, n, JSON.stringify(storedOperation(id, { createdAt: n })))
    const events = [intent, sent, answer({ persisted: true, note: 'x'.repeat(10_000) })]
    events.forEach((event, place) => addEvent.run(id, place, JSON.stringify(event)))
  }
  database.exec('COMMIT')
  database.close()
}

test('a journal of the first version is shrunk without losing everything', () => {
  const dir = tempDir()
  version1(path.join(dir, JOURNAL_FILE), 200)
  const { journal } = journalIn(dir)
  const records = new OperationRecords({ journal, bus: surroundings().bus, onUnwritten: () => undefined })
  const most = journal.info().bytes * 0.7
  records.shrinkTo(most)
  expect([...records.all].length).toBeGreaterThan(100)
  expect(journal.info().bytes).toBeLessThanOrEqual(most)
})

test('an intact journal stays as it is if it cannot be copied before an upgrade', () => {
  const dir = tempDir()
  const file = path.join(dir, JOURNAL_FILE)
  version1(file, 3)
  // Anything that prevents a new file: no space, a quota, someone's folder of that name.
  mkdirSync(`${file}.v1`)
  writeFileSync(path.join(`${file}.v1`, 'x'), '')
  const { codes } = journalIn(dir)
  expect(codes()).toEqual(['JOURNAL_UNUSABLE'])
  expect(readdirSync(dir).filter((name) => name.includes('.broken-'))).toEqual([])
})

test('an odd answer in the journal does not keep the program from starting', async () => {
  const dir = tempDir()
  const { journal, close } = journalIn(dir)
  const odd = { commentsRevision: { toString: 1 } }
  for (let n = 0; n < 202; n += 1) {
    const id = `o-${n}`
    const at = Date.now() - 1_000 + n
    const endpoint = n === 0 ? 'notes.practiceVerdict' : 'notes.title'
    journal.create(storedOperation(id, { createdAt: at, endpoint }), { kind: 'intent', at })
    const events = [sent, answer({ persisted: true, ...(n === 0 ? odd : {}) }), read('after', n === 0 ? odd : {})]
    events.forEach((event, place) => journal.append(id, place + 1, { ...event, at }))
  }
  close()
  const app = await startComposed(dir, ['--demo-nodes', '10'])
  expect((await app.call('operations.list', { offset: 0, limit: 1 })).all).toBe(202)
})
