import { readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { JOURNAL_FILE } from '../../../../electron/services/journal/journal.ts'
import { startComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { intentEvent, openTestJournal, createStoredOperation } from '../../../support/services/journal.ts'

/** Creates a journal with a valid record, which another program then modifies. */
function createModifiedJournal(change: (database: DatabaseSync) => void): string {
  const dir = createTempDir()
  const { journal, close } = openTestJournal(dir)
  journal.create(createStoredOperation('good', { createdAt: 1_000 }), intentEvent)
  close()
  const database = new DatabaseSync(path.join(dir, JOURNAL_FILE))
  change(database)
  database.close()
  return dir
}

const oddValues: readonly unknown[] = [null, 7, -1, 1e300, '', '\u0000', [], {}, 'y'.repeat(300)]

test('every listed record can be opened, whatever it contains in place of a member', async () => {
  let row = 0
  const dir = createModifiedJournal((database) => {
    for (const member of Object.keys(createStoredOperation('good'))) {
      for (const value of oddValues) {
        row += 1
        const id = member === 'id' ? `${String(value)}${row}` : `r-${row}`
        const stored = {
          ...createStoredOperation(id, { createdAt: 2_000 + row }),
          [member]: member === 'id' ? id : value,
        }
        const insert = database.prepare('INSERT INTO operations VALUES (?, ?, ?, 0)')
        insert.run(id, 2_000 + row, JSON.stringify(stored))
        const insertEvent = database.prepare('INSERT INTO events VALUES (?, ?, ?)')
        insertEvent.run(id, 0, JSON.stringify(intentEvent))
        insertEvent.run(id, 1, JSON.stringify({ kind: 'sent', at: value }))
      }
    }
  })
  const app = await startComposedApp(dir, ['--demo-nodes', '10'])
  const { items, all } = await app.call('operations.list', { offset: 0, limit: 500 })
  expect(items).toHaveLength(all)
  expect(items.map(({ id }) => id)).toContain('good')
  expect(all).toBeGreaterThan(oddValues.length)
  expect(all).toBeLessThan(row)
  for (const { id, createdAt } of items) {
    // A page formats both times as dates.
    expect(() => new Date(createdAt).toISOString()).not.toThrow()
    const { events } = await app.call('operations.get', { id })
    for (const { at } of events) expect(() => new Date(at).toISOString()).not.toThrow()
  }
})

const DEEP_JSON = '['.repeat(50_000) + ']'.repeat(50_000)
const deepResponseEvent = `{"kind":"answer","at":1,"status":200,"cut":false,"durationMs":1,"exchangeId":"","instanceNonce":null,"body":${DEEP_JSON}}`

test.each([
  ['a place that no number holds', `INSERT INTO events VALUES ('good', 9223372036854775807, '{"kind":"sent","at":1}')`],
  ['a place before the first', `INSERT INTO events VALUES ('good', -5, '{"kind":"sent","at":1}')`],
  ['a time that no number holds', `INSERT INTO operations VALUES ('x', 9223372036854775807, '{}', 1)`],
  ['a mark that no number holds', `UPDATE operations SET seen = 9223372036854775807`],
  ['a response nested without limit', `INSERT INTO events VALUES ('good', 1, '${deepResponseEvent}')`],
])('%s makes only its own row unreadable', async (_, sql) => {
  const dir = createModifiedJournal((database) => database.exec(sql))
  const app = await startComposedApp(dir, ['--demo-nodes', '10'])
  expect((await app.call('operations.list', { offset: 0, limit: 10 })).items.map(({ id }) => id)).toEqual(['good'])
  const { events } = await app.call('operations.get', { id: 'good' })
  expect(events[0]).toEqual(intentEvent)
  expect(await app.call('journal.info', {})).toMatchObject({ kind: 'sqlite', setAside: null, oldestAt: 1_000 })
})

test.each([
  ['a trigger', 'CREATE TRIGGER t BEFORE INSERT ON operations BEGIN SELECT RAISE(IGNORE); END'],
  ['a view', 'ALTER TABLE events RENAME TO other; CREATE VIEW events AS SELECT * FROM other'],
  ['a table without types', 'DROP TABLE events; CREATE TABLE events (operation, place, event)'],
])('a journal with %s is set aside, so that no later record is lost', (_, sql) => {
  const dir = createModifiedJournal((database) => database.exec(sql))
  const { journal, listNoticeCodes, close } = openTestJournal(dir)
  expect(listNoticeCodes()).toEqual(['JOURNAL_SET_ASIDE'])
  expect(readFileSync(journal.info().setAside ?? '').includes('good')).toBe(true)
  journal.create(createStoredOperation('new'), intentEvent)
  close()
  expect(
    openTestJournal(dir)
      .journal.load()
      .map(({ id }) => id),
  ).toEqual(['new'])
})
