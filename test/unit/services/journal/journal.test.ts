import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { AppError } from '../../../../shared/errors.ts'
import { JOURNAL_FILE } from '../../../../electron/services/journal/journal.ts'
import { Redactor } from '../../../../electron/services/redactor.ts'
import { TOKEN } from '../../../support/services/test-client.ts'
import { readAllFiles } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { intentEvent, openTestJournal, sentEvent, createStoredOperation } from '../../../support/services/journal.ts'
import { expectNoSecret } from '../../../support/data/secrets.ts'

describe('journal', () => {
  test('returns records in order, and removes those that are requested', () => {
    const dir = createTempDir()
    const { journal, close } = openTestJournal(dir)
    journal.create(createStoredOperation('a'), intentEvent)
    journal.append('a', 1, sentEvent)
    journal.create(createStoredOperation('b', { createdAt: 9, instanceNonce: 'n' }), intentEvent)
    journal.setSeen('b', false)
    journal.remove(['nobody'])
    close()
    const reopened = openTestJournal(dir)
    expect(reopened.journal.load()).toEqual([
      { ...createStoredOperation('a'), events: [intentEvent, sentEvent], nextPlace: 2, isSeen: true },
      {
        ...createStoredOperation('b', { createdAt: 9, instanceNonce: 'n' }),
        events: [intentEvent],
        nextPlace: 1,
        isSeen: false,
      },
    ])
    expect(reopened.journal.events('a')).toEqual([intentEvent, sentEvent])
    expect(reopened.journal.events('nobody')).toEqual([])
    expect(reopened.journal.info()).toMatchObject({
      kind: 'sqlite',
      operations: 2,
      events: 3,
      oldestAt: 5,
      reason: null,
    })
    reopened.journal.remove(['a'])
    expect(reopened.journal.info()).toMatchObject({ operations: 1, events: 1 })
    expect(reopened.journal.load().map(({ id }) => id)).toEqual(['b'])
    expect(reopened.listNoticeCodes()).toEqual([])
  })

  test('writes nothing twice and nothing in part', () => {
    const { journal, close } = openTestJournal(createTempDir())
    journal.create(createStoredOperation('a'), intentEvent)
    expect(() => journal.create(createStoredOperation('a'), intentEvent)).toThrow(AppError)
    expect(() => journal.append('a', 0, sentEvent)).toThrow(/could not be written/)
    expect(() => journal.append('nobody', 0, sentEvent)).toThrow(/could not be written/)
    expect(journal.load()).toMatchObject([{ id: 'a', events: [intentEvent] }])
    close()
    expect(() => journal.append('a', 1, sentEvent)).toThrow(AppError)
  })

  test('stores nothing on a runtime without a database, and reports it', () => {
    const { journal, listNoticeCodes } = openTestJournal(createTempDir(), { sqlite: null })
    journal.create(createStoredOperation('a'), intentEvent)
    journal.append('a', 1, sentEvent)
    journal.setSeen('a', true)
    journal.remove(['a'])
    expect([journal.load(), journal.events('a'), journal.info().kind]).toEqual([[], [], 'none'])
    expect(listNoticeCodes()).toEqual(['JOURNAL_NO_DATABASE'])
  })

  test('skips unreadable rows without removing them or reusing their places', () => {
    const dir = createTempDir()
    const first = openTestJournal(dir)
    for (const id of ['a', 'b', 'c']) first.journal.create(createStoredOperation(id), intentEvent)
    first.journal.append('a', 1, sentEvent)
    first.close()
    const database = new DatabaseSync(path.join(dir, JOURNAL_FILE))
    database.exec(`UPDATE events SET event = '{"kind":"from-the-future","at":1}' WHERE operation = 'a' AND place = 1;
      UPDATE operations SET stored = '{"id":"b"}' WHERE id = 'b'; UPDATE operations SET stored = '[' WHERE id = 'c'`)
    database.close()
    const { journal, listNoticeCodes } = openTestJournal(dir)
    expect(journal.load()).toMatchObject([{ id: 'a', events: [intentEvent], nextPlace: 2 }])
    journal.append('a', 2, sentEvent)
    expect(journal.events('a')).toEqual([intentEvent, sentEvent])
    expect(journal.info()).toMatchObject({ operations: 3, events: 5 })
    expect(listNoticeCodes()).toEqual(['JOURNAL_ROWS_LOST'])
  })

  test('says what a damaged row costs, and keeps the copy without the damage', () => {
    const dir = createTempDir()
    const file = path.join(dir, JOURNAL_FILE)
    const first = openTestJournal(dir)
    for (const id of ['a', 'b']) first.journal.create(createStoredOperation(id), intentEvent)
    first.close()
    openTestJournal(dir).close()
    const copy = readFileSync(`${file}.bak`)
    const database = new DatabaseSync(file)
    database.exec(
      `UPDATE operations SET stored = '[' WHERE id = 'b'; UPDATE events SET event = '[' WHERE operation = 'a'`,
    )
    database.close()
    for (const start of ['first', 'second']) {
      const { listNotices, close } = openTestJournal(dir)
      const [{ code, params } = {}] = listNotices()
      expect([start, code, params]).toMatchObject([start, 'JOURNAL_ROWS_DAMAGED', { operations: 1, events: 1 }])
      expect(readFileSync(path.join(dir, String(params?.['file']))).equals(copy)).toBe(true)
      close()
    }
  })

  test('is copied after an hour and after a hundred records, while the program runs', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const dir = createTempDir()
    const copy = path.join(dir, `${JOURNAL_FILE}.bak`)
    const countCopied = (): number => {
      const database = new DatabaseSync(copy, { readOnly: true })
      const row = database.prepare('SELECT count(*) AS count FROM operations').get()
      database.close()
      return Number(row?.['count'])
    }
    let count = 0
    const { journal } = openTestJournal(dir)
    const createRecords = (added: number): void => {
      for (let index = 0; index < added; index += 1) {
        count += 1
        journal.create(createStoredOperation(`op-${count}`, { createdAt: Date.now() }), intentEvent)
      }
    }
    createRecords(1)
    vi.advanceTimersByTime(1)
    expect(countCopied()).toBe(1)
    createRecords(99)
    vi.advanceTimersByTime(1)
    expect(countCopied()).toBe(1)
    createRecords(1)
    vi.advanceTimersByTime(1)
    expect(countCopied()).toBe(101)
    createRecords(1)
    vi.advanceTimersByTime(3_599_000)
    expect(countCopied()).toBe(101)
    vi.advanceTimersByTime(2_000)
    expect(countCopied()).toBe(102)
  })

  test('is on disk when the call returns, readable only by its user, and copied once an hour', () => {
    const dir = createTempDir()
    const file = path.join(dir, JOURNAL_FILE)
    const first = openTestJournal(dir)
    first.journal.create(createStoredOperation('a'), intentEvent)
    expect(readFileSync(file).includes('notes.title')).toBe(true)
    first.close()
    expect(existsSync(`${file}.bak`)).toBe(false)
    openTestJournal(dir).close()
    expect(existsSync(`${file}.bak`)).toBe(true)
    const earlier = new Date(Date.now() - 61 * 60_000)
    utimesSync(`${file}.bak`, earlier, earlier)
    openTestJournal(dir).close()
    expect(statSync(`${file}.bak`).mtimeMs).toBeGreaterThan(earlier.getTime() + 1_000)
    for (const name of readdirSync(dir)) expect([name, statSync(path.join(dir, name)).mode & 0o077]).toEqual([name, 0])
  })

  test('safety 2: contains no token, however a host spells it', () => {
    const dir = createTempDir()
    const redactor = new Redactor()
    redactor.register(TOKEN)
    const { journal, close } = openTestJournal(dir, { conceal: (text) => redactor.conceal(text) })
    journal.create(createStoredOperation('a'), intentEvent)
    const spellings = [
      TOKEN,
      Buffer.from(TOKEN).toString('base64'),
      encodeURIComponent(TOKEN),
      JSON.stringify({ a: TOKEN }),
    ]
    const body = { error: { code: TOKEN, message: spellings.join(' '), [TOKEN]: spellings } }
    journal.append('a', 1, { kind: 'record-gone', at: 1, status: 404, body })
    close()
    openTestJournal(dir).close()
    expectNoSecret(readAllFiles(dir), TOKEN)
    expect(openTestJournal(dir).journal.events('a')).toHaveLength(2)
  })
})
