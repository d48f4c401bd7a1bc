/** @module-tag slow */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { JOURNAL_FILE } from '../../../../electron/services/journal/journal.ts'
import { OperationRecords } from '../../../../electron/services/operations/records/records.ts'
import { startComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { openTestJournal, createStoredOperation } from '../../../support/services/journal.ts'
import { respond, intent, readBack, sentEvent } from '../../../support/services/operation-events.ts'
import { createServiceEnvironment } from '../../../support/services/service-environment.ts'

/** Creates a journal like the first version, whose free pages stay in the file. */
function createVersion1(file: string, count: number): void {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE operations (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, stored TEXT NOT NULL) STRICT;
    CREATE TABLE events (operation TEXT NOT NULL REFERENCES operations(id) ON DELETE CASCADE, place INTEGER NOT NULL,
      event TEXT NOT NULL, PRIMARY KEY (operation, place)) STRICT, WITHOUT ROWID; PRAGMA user_version = 1; BEGIN`)
  const addRecord = database.prepare('INSERT INTO operations VALUES (?, ?, ?)')
  const addEvent = database.prepare('INSERT INTO events VALUES (?, ?, ?)')
  for (let n = 0; n < count; n += 1) {
    const id = `o-${n}`
    addRecord.run(id, n, JSON.stringify(createStoredOperation(id, { createdAt: n })))
    const events = [intent, sentEvent, respond({ persisted: true, note: 'x'.repeat(10_000) })]
    events.forEach((event, place) => addEvent.run(id, place, JSON.stringify(event)))
  }
  database.exec('COMMIT')
  database.close()
}

test('a journal of the first version shrinks without losing everything', () => {
  const dir = createTempDir()
  createVersion1(path.join(dir, JOURNAL_FILE), 200)
  const { journal } = openTestJournal(dir)
  const records = new OperationRecords({ journal, bus: createServiceEnvironment().bus, onUnwritten: () => undefined })
  const maxBytes = journal.info().bytes * 0.7
  records.shrinkTo(maxBytes)
  expect([...records.all].length).toBeGreaterThan(100)
  expect(journal.info().bytes).toBeLessThanOrEqual(maxBytes)
})

test('an intact journal stays as it is if it cannot be copied before an upgrade', () => {
  const dir = createTempDir()
  const file = path.join(dir, JOURNAL_FILE)
  createVersion1(file, 3)
  // A folder with the name of the copy stands for anything that prevents a new file.
  mkdirSync(`${file}.v1`)
  writeFileSync(path.join(`${file}.v1`, 'x'), '')
  const { listNoticeCodes } = openTestJournal(dir)
  expect(listNoticeCodes()).toEqual(['JOURNAL_UNUSABLE'])
  expect(readdirSync(dir).filter((name) => name.includes('.broken-'))).toEqual([])
})

test('an odd response in the journal does not stop the program from starting', async () => {
  const dir = createTempDir()
  const { journal, close } = openTestJournal(dir)
  const oddBody = { commentsRevision: { toString: 1 } }
  for (let n = 0; n < 202; n += 1) {
    const id = `o-${n}`
    const timestamp = Date.now() - 1_000 + n
    const endpoint = n === 0 ? 'notes.practiceVerdict' : 'notes.title'
    journal.create(createStoredOperation(id, { createdAt: timestamp, endpoint }), { kind: 'intent', at: timestamp })
    const events = [
      sentEvent,
      respond({ persisted: true, ...(n === 0 ? oddBody : {}) }),
      readBack('after', n === 0 ? oddBody : {}),
    ]
    events.forEach((event, place) => journal.append(id, place + 1, { ...event, at: timestamp }))
  }
  close()
  const app = await startComposedApp(dir, ['--demo-nodes', '10'])
  expect((await app.call('operations.list', { offset: 0, limit: 1 })).all).toBe(202)
})
