import fc from 'fast-check'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { damageIn } from '../../../../electron/services/journal/wal.ts'
import { JOURNAL_FILE } from '../../../../electron/services/journal/sqlite.ts'
import { tempDir } from '../../../support/data/data-dir.ts'
import { intentEvent, journalIn, sentEvent, storedOperation } from '../../../support/services/journal.ts'

const nothing = Buffer.alloc(0)
const ACKNOWLEDGED = 8
const IN_LOG = 6

/**
 * A journal as a crash leaves it when its log was never checkpointed into the database: some records in the database, and `IN_LOG` more
 * only in the log, as after a failed checkpoint (a full disk) or from an earlier version.
 */
function crashed() {
  const dir = tempDir()
  const file = path.join(dir, JOURNAL_FILE)
  const first = journalIn(dir)
  for (let n = 0; n < ACKNOWLEDGED; n += 1)
    first.journal.create(storedOperation(`op-${n}`, { createdAt: n }), intentEvent)
  first.close()
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0')
  for (let n = 0; n < IN_LOG; n += 1) {
    database.exec('BEGIN')
    const stored = storedOperation(`log-${n}`, { createdAt: 100 + n })
    database
      .prepare('INSERT INTO operations (id, created_at, stored, seen) VALUES (?, ?, ?, 1)')
      .run(stored.id, stored.createdAt, JSON.stringify(stored))
    database.prepare('INSERT INTO events VALUES (?, 0, ?)').run(stored.id, JSON.stringify(intentEvent))
    database.exec('COMMIT')
  }
  const found = Object.fromEntries(['', '-wal', '-shm'].map((end) => [end, readFileSync(file + end)]))
  database.close()
  const part = (end: string): Buffer => found[end] ?? nothing
  return { good: part(''), wal: part('-wal'), shm: part('-shm') }
}

/** Opens a journal left by a crash with these files; returns what it holds, what was reported, and what was set aside. */
function opened(good: Buffer, wal: Buffer, shm: Buffer | null) {
  const dir = tempDir()
  const file = path.join(dir, JOURNAL_FILE)
  writeFileSync(file, good)
  writeFileSync(`${file}-wal`, wal)
  if (shm) writeFileSync(`${file}-shm`, shm)
  const { journal, codes, close } = journalIn(dir)
  const ids = journal.load().map(({ id }) => id)
  const aside = journal.info().setAside
  const kept = aside === null ? null : readFileSync(`${aside}-wal`)
  close()
  rmSync(dir, { recursive: true })
  return { ids, codes: codes(), kept }
}

const all = [
  ...Array.from({ length: ACKNOWLEDGED }, (_, n) => `op-${n}`),
  ...Array.from({ length: IN_LOG }, (_, n) => `log-${n}`),
]

const flipped = (bytes: Buffer, flips: readonly (readonly [number, number])[]): Buffer => {
  const changed = Buffer.from(bytes)
  for (const [at, by] of flips) changed[at % bytes.length] = (changed[at % bytes.length] ?? 0) ^ by
  return changed
}

describe('safety 51: a damaged write-ahead log', () => {
  let good: Buffer = nothing
  let wal: Buffer = nothing
  let shm: Buffer = nothing
  beforeEach(() => {
    ;({ good, wal, shm } = crashed())
  })

  test('whole, it loses nothing and says nothing', () => {
    for (const index of [shm, null]) {
      expect(opened(good, wal, index)).toEqual({ ids: all, codes: [], kept: null })
    }
  })

  const flips = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 3 })
  const spoilt = fc.oneof(
    flips.map((list) => (bytes: Buffer) => flipped(bytes, list)),
    // The headers of log and frames are a small part of it.
    fc
      .tuple(fc.integer({ min: 0, max: 31 }), fc.integer({ min: 1, max: 255 }))
      .map((one) => (bytes: Buffer) => flipped(bytes, [one])),
    fc.nat().map((cut) => (bytes: Buffer) => bytes.subarray(0, cut % bytes.length)),
    fc.tuple(fc.nat(), fc.nat()).map(([from, length]) => (bytes: Buffer) => {
      const changed = Buffer.from(bytes)
      const start = from % bytes.length
      return changed.fill(0, start, Math.min(changed.length, start + 1 + (length % 9_000)))
    }),
  )

  test('whatever is flipped, cut or zeroed: each loss is reported, the database stays, the log is kept', () => {
    let losses = 0
    fc.assert(
      fc.property(spoilt, (spoil) => {
        const bad = spoil(wal)
        fc.pre(!bad.equals(wal))
        const { ids, codes, kept } = opened(good, bad, shm)
        expect(ids).toEqual(all.slice(0, ids.length))
        expect(ids.length).toBeGreaterThanOrEqual(ACKNOWLEDGED)
        expect(codes).toEqual(['JOURNAL_LOG_DAMAGED'])
        expect(kept?.equals(bad)).toBe(true)
        if (ids.length < all.length) losses += 1
      }),
      { numRuns: 60 },
    )
    expect(losses).toBeGreaterThan(20)
  })

  test('without the index, which a power cut may take too, every flip is found', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (at, by) => {
        expect(damageIn(flipped(wal, [[at, by]]), nothing)).toEqual({ isCopied: false })
      }),
      { numRuns: 500 },
    )
    expect(damageIn(Buffer.alloc(wal.length), nothing)).toEqual({ isCopied: false })
    expect(damageIn(nothing, nothing)).toBeNull()
  })

  test('a damaged index is not trusted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 95 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
        expect(damageIn(wal, flipped(shm, [[at, by]]))).toBeNull()
      }),
    )
    for (let cut = 0; cut < 100; cut += 7) expect(damageIn(wal, shm.subarray(0, cut))).toBeNull()
  })

  test('a transaction cut short by a kill was never acknowledged', () => {
    const page = wal.readUInt32BE(8)
    const torn = Buffer.concat([wal, wal.subarray(wal.length - 24 - page, wal.length - page)])
    expect(damageIn(torn, shm)).toBeNull()
    expect(opened(good, torn, shm)).toEqual({ ids: all, codes: [], kept: null })
  })

  test('one already in the database is no longer used, and costs nothing', () => {
    const dir = tempDir()
    const file = path.join(dir, JOURNAL_FILE)
    for (const [end, bytes] of [
      ['', good],
      ['-wal', wal],
      ['-shm', shm],
    ] as const)
      writeFileSync(file + end, bytes)
    const database = new DatabaseSync(file)
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    const after = ['', '-wal', '-shm'].map((end) => readFileSync(file + end))
    database.close()
    const [whole = nothing, log = nothing, index = nothing] = after
    const bad = flipped(log, [[32 + 24 + log.readUInt32BE(8) * 3, 1]])
    expect(damageIn(bad, index)).toEqual({ isCopied: true })
    expect(opened(whole, bad, index)).toEqual({ ids: all, codes: [], kept: bad })
  })
})

describe('safety 51: what was acknowledged', () => {
  const script = fileURLToPath(new URL('./journal-writer.ts', import.meta.url))

  /** Lets a process write, kills it, and returns what it had reported as written. */
  async function killed(dir: string, lines: number): Promise<string[]> {
    const child = spawn(process.execPath, ['--no-warnings', script, dir, '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (data: Buffer) => {
      said += data.toString()
      if (said.split('\n').length > lines) child.kill('SIGKILL')
    })
    await new Promise((resolve) => child.once('close', resolve))
    return said.split('\n').slice(0, -1)
  }

  test('is set aside whole if a kill caught the database with a part of the log in it and the log is lost; that is said', () => {
    const before = tempDir()
    const file = path.join(before, JOURNAL_FILE)
    const written = (id: string): Buffer => {
      const { journal, close } = journalIn(before)
      journal.create(storedOperation(id), intentEvent)
      close()
      return readFileSync(file)
    }
    const old = written('old')
    const page = old.readUInt16BE(16)
    const next = written('new')
    const pages = Array.from({ length: next.length / page }, (_, n) => n * page)
    const changed = pages.filter((at) => !next.subarray(at, at + page).equals(old.subarray(at, at + page)))
    expect(changed.length).toBeGreaterThan(1)
    for (let taken = 1; taken < changed.length; taken += 1) {
      const half = Buffer.alloc(next.length)
      old.copy(half)
      for (const at of changed.slice(0, taken)) next.copy(half, at, at, at + page)
      const dir = tempDir()
      writeFileSync(path.join(dir, JOURNAL_FILE), half)
      const { journal, codes } = journalIn(dir)
      expect(codes()).toEqual(['JOURNAL_SET_ASIDE'])
      const { setAside } = journal.info()
      expect(setAside !== null && readFileSync(setAside).equals(half)).toBe(true)
    }
  })

  test('is in the database: a log zeroed, cut or lost after a kill costs only the row being written', async () => {
    for (const [turn, spoil] of [
      (file: string) => writeFileSync(file, Buffer.alloc(statSync(file).size)),
      (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 40)),
      (file: string) => rmSync(file, { force: true }),
      (file: string) => writeFileSync(file, 'x'.repeat(5_000)),
    ].entries()) {
      const dir = tempDir()
      const said = await killed(dir, 5 + turn * 3)
      const wal = path.join(dir, `${JOURNAL_FILE}-wal`)
      const isHalfWritten = existsSync(wal) && statSync(wal).size > 0
      if (existsSync(wal)) spoil(wal)
      const { journal, codes } = journalIn(dir)
      if (isHalfWritten && codes().includes('JOURNAL_SET_ASIDE')) continue
      const records = new Map(journal.load().map(({ id, events }) => [id, events.map(({ kind }) => kind)]))
      expect(said.length).toBeGreaterThan(4)
      for (const line of said) {
        expect(records.get(`op-${line.slice(1)}`)).toContain(line.startsWith('i') ? 'intent' : 'sent')
      }
    }
  })

  test('leaves the log empty after each change', () => {
    const dir = tempDir()
    const { journal } = journalIn(dir)
    const bytes = (): number => statSync(path.join(dir, `${JOURNAL_FILE}-wal`)).size
    expect(bytes()).toBe(0)
    const changes = [
      () => journal.create(storedOperation('a'), intentEvent),
      () => journal.append('a', 1, sentEvent),
      () => journal.seen('a', false),
      () => journal.remove(['a']),
    ]
    for (const change of changes) {
      change()
      expect(bytes()).toBe(0)
    }
    expect(readdirSync(dir).filter((name) => name.includes('broken'))).toEqual([])
  })
})
