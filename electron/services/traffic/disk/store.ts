import { closeQuietly, type Database } from '../../journal/database.ts'
import { Cleaner, type CleanBody } from '../clean.ts'
import type { PendingRow, RawBody, RawEntry } from '../entry.ts'
import type { Bounds, Listeners, StoreInfo } from '../store.ts'
import { Bodies } from './bodies.ts'
import { alike, bytesOf, countOf, isText, lostEntries, oldestOf, ThisRun } from './facts.ts'
import { Judging } from './judging.ts'
import { LargeBodies, type Job } from './large-bodies.ts'
import type { Opened } from './open.ts'
import { Reading } from './reading.ts'
import { Retention } from './retention.ts'
import { columns, valuesOf } from './rows.ts'
import { quietly, transaction } from './transaction.ts'
import { Words } from './words.ts'

/** Bodies up to this size are saved with their entry; larger ones when there is time. */
const SMALL = 65_536
/** Entries that wait because the disk takes none. */
const MOST_WAITING = 20_000

interface Options extends Listeners {
  readonly opened: Opened & { readonly database: Database }
  readonly runStartedAt: number
  /** Called each time that the disk takes no more. */
  readonly onUnwritten: () => void
  /** Bytes of a body that was handed over are not held any more. */
  readonly onFreed: (bytes: number) => void
}

/** The store on disk, for the thread that it lives in: entries at once, large bodies and the index when there is time. */
export class DiskStore {
  readonly cleaner = new Cleaner()
  readonly reading: Reading
  readonly judging: Judging
  readonly #options: Options
  readonly #database: Database
  readonly #bodies: Bodies
  readonly #words: Words
  readonly #retention: Retention
  readonly #insert
  readonly #insertDetail
  #waiting: RawEntry[] = []
  readonly #large: LargeBodies
  #dropped = 0
  #count = 0
  readonly #run: ThisRun
  #bounds: Bounds = { keepDays: 36_500, maxBytes: Infinity }

  constructor(options: Options) {
    this.#options = options
    const { database } = options.opened
    this.#database = database
    this.#bodies = new Bodies(database)
    this.#words = new Words(database, this.#bodies)
    this.#retention = new Retention(database, this.#bodies, this.#words)
    this.#run = new ThisRun(database, options.runStartedAt)
    this.reading = new Reading(database, this.#bodies, this.#words, this.#run.id)
    this.judging = new Judging({
      database,
      conceal: (text) => this.cleaner.conceal(text),
      answerOf: (seq) => this.#answerOf(seq),
      onFindings: options.onFindings,
    })
    const marks = columns.map(() => '?').join(', ')
    this.#insert = database.prepare(`INSERT INTO exchanges (${columns.join(', ')}) VALUES (${marks})`)
    this.#insertDetail = database.prepare(
      `INSERT INTO details (seq, request_headers, response_headers, error, masked, alike, request, request_body, response, response_body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#large = new LargeBodies({
      ...options,
      database,
      cleaner: this.cleaner,
      save: (body, raw) => this.#save(body, raw),
    })
    this.#takeLost()
    this.#count = countOf(database)
  }

  add(entry: RawEntry): void {
    this.#waiting.push(entry)
  }

  get hasJobs(): boolean {
    return this.#large.waiting
  }

  note(row: PendingRow, token: string | null): void {
    const clean = this.cleaner.row(row, token)
    quietly(() => {
      this.#database.prepare('INSERT OR REPLACE INTO under_way VALUES (?, ?)').run(row.id, JSON.stringify(clean))
    })
  }

  /** Writes the entries that were added. What the disk does not take is tried without bodies, and then again later. */
  flush(): void {
    if (this.#waiting.length === 0) return
    const entries = this.#waiting
    this.#waiting = []
    const jobs: Job[] = []
    try {
      transaction(this.#database, () => {
        for (const entry of entries) jobs.push(...this.#write(entry, true))
      })
      this.#large.add(jobs)
      const held = new Set(jobs.map(({ raw }) => raw))
      for (const { request, response } of entries) {
        for (const raw of [request, response]) if (!held.has(raw)) this.#freed(raw)
      }
    } catch {
      this.#options.onUnwritten()
      this.judging.drop()
      for (const entry of entries) this.#writeBare(entry)
      this.#count = countOf(this.#database)
    }
    this.judging.judge()
    this.#changed(false)
  }

  #writeBare(entry: RawEntry): void {
    const bare = (raw: RawBody): RawBody => {
      if (raw.bytes === null) return raw
      this.#dropped += 1
      this.#freed(raw)
      return { ...raw, bytes: null, missing: 'full' }
    }
    const small = { ...entry, request: bare(entry.request), response: bare(entry.response) }
    try {
      transaction(this.#database, () => void this.#write(small, true))
    } catch {
      if (this.#waiting.length < MOST_WAITING) this.#waiting.push(small)
    }
  }

  #write(entry: RawEntry, now: boolean): Job[] {
    const clean = this.cleaner.entry(entry)
    const { lastInsertRowid } = this.#insert.run(...valuesOf(clean.row, this.#run.placeOf(entry, !now)))
    this.#count += 1
    const seq = Number(lastInsertRowid)
    if (now) this.judging.add({ ...clean.row, seq }, entry)
    const jobs: Job[] = []
    let { masked } = clean
    const side = (name: Job['side']): readonly [kept: string, body: number | null] => {
      const raw = entry[name]
      if (now && raw.bytes !== null && raw.bytes.byteLength > SMALL) {
        jobs.push({ seq, side: name, raw, token: entry.token })
        return [JSON.stringify({ ...this.cleaner.withoutBytes(raw, entry.token), missing: 'busy' }), null]
      }
      const body = this.cleaner.body(raw, entry.token)
      masked += body.masked
      return [JSON.stringify(body.kept), this.#save(body, raw)]
    }
    const request = side('request')
    const response = side('response')
    const headers = [JSON.stringify(clean.requestHeaders), JSON.stringify(clean.responseHeaders)] as const
    const error = clean.error && JSON.stringify(clean.error)
    this.#insertDetail.run(seq, ...headers, error, masked, alike(clean, request[0]), ...request, ...response)
    this.#database.prepare('DELETE FROM under_way WHERE id = ?').run(clean.row.id)
    return jobs
  }

  #save({ bytes, kept }: CleanBody, { json, mediaType }: RawBody): number | null {
    if (bytes === null || kept.hash === null || bytes.byteLength === 0) return null
    return this.#bodies.save(bytes, kept.hash, json || isText(mediaType, bytes))
  }

  /** Saves one large body; of this exchange if `seq` is given, as somebody is waiting for it. False if there is none. */
  saveBody(seq?: number): boolean {
    return this.#large.saveOne(seq)
  }

  /** Indexes a piece; false if nothing is left. */
  index(): boolean {
    try {
      return this.#words.step()
    } catch {
      return false
    }
  }

  bound(bounds: Bounds): void {
    this.#bounds = bounds
  }

  /** Removes the oldest exchanges beyond the bounds, some at a time; false if that is done. */
  trim(now = this.#run.now()): boolean {
    const removed = this.#retention.trim(this.#bounds, now)
    this.#count -= removed
    if (removed > 0) this.#removed()
    return removed > 0
  }

  clear(): number {
    // What waits was there when the user decided.
    this.flush()
    while (this.saveBody());
    const removed = this.#retention.clear()
    this.#count -= removed
    this.#removed()
    return removed
  }

  pin(seqs: readonly number[], pinned: boolean): void {
    const set = this.#database.prepare('UPDATE exchanges SET pinned = ? WHERE seq = ?')
    transaction(this.#database, () => {
      for (const seq of seqs) set.run(pinned ? 1 : 0, seq)
    })
    this.#changed(true)
  }

  info(): StoreInfo {
    const { file, setAside } = this.#options.opened
    const facts = { exchanges: this.#count, oldestAt: oldestOf(this.#database), bytes: bytesOf(file) }
    return { kind: 'disk', reason: null, ...facts, droppedBodies: this.#dropped + this.#large.dropped, setAside }
  }

  close(): void {
    this.flush()
    while (this.saveBody());
    closeQuietly(this.#database)
  }

  /** What was under way when the program ended. */
  #takeLost(): void {
    quietly(() =>
      transaction(this.#database, () => {
        for (const entry of lostEntries(this.#database)) this.#write(entry, false)
        this.#database.exec('DELETE FROM under_way')
      }),
    )
  }

  #answerOf(seq: number): ReturnType<Reading['answerOf']> {
    while (this.saveBody(seq));
    return this.reading.answerOf(seq)
  }

  #removed(): void {
    this.#changed(true)
    this.judging.removed()
  }

  #changed(reread: boolean): void {
    this.#options.onChange({ newest: this.reading.newest(), exchanges: this.#count, reread })
  }

  #freed({ bytes }: RawBody): void {
    if (bytes !== null) this.#options.onFreed(bytes.byteLength)
  }
}
