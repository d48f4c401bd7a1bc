import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBus } from '../../../../electron/services/bus.ts'
import { SCHEMA_VERSION } from '../../../../electron/services/journal/schema.ts'
import { JOURNAL_FILE, openJournal } from '../../../../electron/services/journal/sqlite.ts'
import type { StoredOperation } from '../../../../electron/services/journal/types.ts'
import { createNotices } from '../../../../electron/services/notices.ts'
import { AppError } from '../../../../shared/errors.ts'
import { tempDir } from '../../../support/data-dir.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
function open(dataDir: string, sqlite?: null) {
  const notices = createNotices(createBus())
  const journal = openJournal({ dataDir, notices, log, ...(sqlite === null ? { sqlite } : {}) })
  let closed = false
  const close = (): void => {
    if (!closed) journal.close()
    closed = true
  }
  onTestFinished(close)
  return { journal, close, codes: () => notices.list().map(({ code }) => code) }
}
const stored = (id: string): StoredOperation => ({
  id,
  endpoint: 'notes.title',
  source: 'sent',
  profileId: 'p',
  profileName: 'P',
  host: 'http://127.0.0.1:1',
  method: 'POST',
  path: '/notes/N/title',
  body: '{"title":"T","confirm":true}',
  createdAt: 5,
  requestId: null,
  topicid: null,
  noteid: 'N',
  instanceNonce: null,
})
const intent = { kind: 'intent', at: 1 } as const
const sent = { kind: 'sent', at: 2 } as const

/** A journal as version 1 wrote it. */
function versionOne(file: string): void {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE operations (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, stored TEXT NOT NULL) STRICT;
    CREATE TABLE events (operation TEXT NOT NULL REFERENCES operations(id) ON DELETE CASCADE, place INTEGER NOT NULL,
      event TEXT NOT NULL, PRIMARY KEY (operation, place)) STRICT, WITHOUT ROWID;
    PRAGMA user_version = 1`)
  database.prepare('INSERT INTO operations VALUES (?, ?, ?)').run('old', 1, JSON.stringify(stored('old')))
  database.prepare('INSERT INTO events VALUES (?, 0, ?)').run('old', JSON.stringify(intent))
  database.close()
}

describe('the journal', () => {
  test('gives back what was written, in order, and removes what is asked', () => {
    const dir = tempDir()
    const { journal, close } = open(dir)
    journal.create(stored('a'), intent)
    journal.append('a', 1, sent)
    journal.create({ ...stored('b'), createdAt: 9 }, intent)
    journal.seen('b', false)
    journal.remove(['nobody'])
    close()
    const again = open(dir)
    expect(again.journal.load()).toMatchObject([
      { id: 'a', events: [intent, sent], seen: true },
      { id: 'b', events: [intent], seen: false },
    ])
    expect(again.journal.info()).toMatchObject({ kind: 'sqlite', operations: 2, events: 3, oldestAt: 5 })
    again.journal.remove(['a'])
    expect(again.journal.info()).toMatchObject({ operations: 1, events: 1 })
    expect(again.codes()).toEqual([])
  })

  test('that cannot be written says so, and keeps what it had', () => {
    const { journal, close } = open(tempDir())
    journal.create(stored('a'), intent)
    expect(() => journal.create(stored('a'), intent)).toThrow(AppError)
    expect(() => journal.append('a', 0, sent)).toThrow(/could not be written/)
    expect(journal.load()).toMatchObject([{ id: 'a', events: [intent] }])
    close()
    expect(() => journal.append('a', 1, sent)).toThrow(AppError)
  })

  test('a runtime without a database keeps nothing, and says so', () => {
    const { journal, codes } = open(tempDir(), null)
    journal.create(stored('a'), intent)
    expect(journal.load()).toEqual([])
    expect(journal.info().kind).toBe('none')
    expect(codes()).toEqual(['JOURNAL_NO_DATABASE'])
  })
})

describe('an upgrade', () => {
  test('safety 45: from version 1 keeps every record, with a copy of the file before', () => {
    const dir = tempDir()
    versionOne(path.join(dir, JOURNAL_FILE))
    const { journal, codes } = open(dir)
    expect(journal.load()).toMatchObject([{ id: 'old', events: [intent], seen: true }])
    journal.seen('old', false)
    expect(readdirSync(dir)).toContain(`${JOURNAL_FILE}.bak`)
    expect(codes()).toEqual([])
  })

  test('safety 45: that was interrupted begins again where it was', () => {
    const dir = tempDir()
    const file = path.join(dir, JOURNAL_FILE)
    versionOne(file)
    const database = new DatabaseSync(file)
    // Somebody else made the index: the step fails, and nothing of it stays.
    database.exec('CREATE INDEX operations_by_time ON operations(created_at)')
    database.close()
    const first = open(dir)
    expect(first.codes().length).toBeGreaterThan(0)
    first.close()
  })

  test('safety 45: a newer journal is left exactly as it is', () => {
    const dir = tempDir()
    const file = path.join(dir, JOURNAL_FILE)
    open(dir).close()
    const database = new DatabaseSync(file)
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}; PRAGMA wal_checkpoint(TRUNCATE)`)
    database.close()
    const before = readFileSync(file)
    const { journal, codes } = open(dir)
    expect(codes()).toEqual(['JOURNAL_NEWER'])
    expect(journal.info().kind).toBe('none')
    expect(readFileSync(file)).toEqual(before)
  })
})

describe('a broken file', () => {
  test('safety 44: whichever bytes are flipped or cut, the journal opens, and says what it set aside', () => {
    const dir = tempDir()
    const file = path.join(dir, JOURNAL_FILE)
    const { journal, close } = open(dir)
    for (let n = 0; n < 50; n += 1) journal.create(stored(`op-${n}`), intent)
    close()
    const good = readFileSync(file)
    for (let round = 0; round < 60; round += 1) {
      const bytes = Buffer.from(good)
      if (round % 4 === 0) writeFileSync(file, bytes.subarray(0, (round * 131) % bytes.length))
      else {
        for (let flip = 0; flip < 1 + (round % 7); flip += 1) {
          const at = (round * 7919 + flip * 104_729) % (round % 3 === 0 ? 100 : bytes.length)
          bytes[at] = (bytes[at] ?? 0) ^ (1 + ((round + flip) % 255))
        }
        writeFileSync(file, bytes)
      }
      const again = open(dir)
      for (const record of again.journal.load()) expect(record.id).toMatch(/^op-\d+$/)
      if (again.journal.info().kind === 'sqlite') again.journal.create(stored(`op-9${round}`), intent)
      else expect(again.codes().length).toBeGreaterThan(0)
      again.close()
      writeFileSync(file, good)
    }
  })
})

describe('a process that is killed', () => {
  test('safety 43: at two hundred moments, every row that it said to be written is there', async () => {
    const dir = tempDir()
    const script = fileURLToPath(new URL('../../../support/journal-writer.ts', import.meta.url))
    let from = 0
    let kills = 0
    while (kills < 200) {
      const child = spawn(process.execPath, [script, dir, String(from)], { stdio: ['ignore', 'pipe', 'inherit'] })
      const said = { intents: from, sents: from }
      const moment = 1 + ((kills * 37) % 60)
      await new Promise<void>((resolve, reject) => {
        let rest = ''
        let lines = 0
        child.once('error', reject)
        child.stdout.on('data', (data: Buffer) => {
          const all = (rest + data.toString()).split('\n')
          rest = all.pop() ?? ''
          for (const line of all) {
            const n = Number(line.slice(1)) + 1
            if (line.startsWith('i')) said.intents = Math.max(said.intents, n)
            else said.sents = Math.max(said.sents, n)
            lines += 1
          }
          if (lines >= moment) child.kill('SIGKILL')
        })
        child.once('exit', () => resolve())
      })
      kills += 1
      const { journal, close, codes } = open(dir)
      const records = journal.load()
      const ids = new Set(records.map(({ id }) => id))
      for (let n = 0; n < said.intents; n += 1) expect(ids.has(`op-${n}`)).toBe(true)
      for (const { id, events } of records) {
        expect(events[0]?.kind).toBe('intent')
        const n = Number(id.slice(3))
        if (n >= from && n < said.sents) expect(events[1]?.kind).toBe('sent')
      }
      expect(codes()).toEqual([])
      close()
      from = records.length
    }
  }, 60_000)
})
