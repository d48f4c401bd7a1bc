import { closeQuietly, type Database } from '../../journal/database.ts'
import { EntryMasker, type MaskedBody } from '../entry-masker.ts'
import type { PendingRow, RawBody, RawEntry } from '../entry.ts'
import type { RetentionBounds, StoreListeners, StoreInfo } from '../traffic-store.ts'
import { BodyStore } from './body-store.ts'
import {
  hashRequest,
  getDatabaseBytes,
  countExchanges,
  isTextBody,
  readLostEntries,
  findOldestStart,
  CurrentRun,
} from './database-facts.ts'
import { StoreJudge } from './store-judge.ts'
import { LargeBodyQueue, type BodyJob } from './large-body-queue.ts'
import type { OpenedDatabase } from './traffic-database.ts'
import { TrafficReader } from './traffic-reader.ts'
import { Retention } from './retention.ts'
import { EXCHANGE_COLUMNS, toColumnValues } from './exchange-rows.ts'
import { ignoreSqliteErrors, runTransaction } from './transaction.ts'
import { BodyIndex } from './body-index.ts'

/** Bodies up to this size are saved with their entry; larger ones when there is time. */
const MAX_INLINE_BYTES = 65_536
/** Entries that wait because the disk takes none. */
const MAX_WAITING_ENTRIES = 20_000

interface Options extends StoreListeners {
  readonly opened: OpenedDatabase & { readonly database: Database }
  readonly runStartedAt: number
  /** Called each time that the disk takes no more. */
  readonly onUnwritten: () => void
  /** Bytes of a body that was handed over are not held any more. */
  readonly onFreed: (bytes: number) => void
}

/**
 * The store on disk, for the thread that it lives in: entries at once, large bodies and the index
 * when there is time.
 */
export class DiskStore {
  readonly masker = new EntryMasker()
  readonly reader: TrafficReader
  readonly judge: StoreJudge
  readonly #options: Options
  readonly #database: Database
  readonly #bodies: BodyStore
  readonly #words: BodyIndex
  readonly #retention: Retention
  readonly #insert
  readonly #insertDetail
  #waiting: RawEntry[] = []
  readonly #large: LargeBodyQueue
  #dropped = 0
  #count = 0
  readonly #run: CurrentRun
  #bounds: RetentionBounds = { keepDays: 36_500, maxBytes: Infinity }

  constructor(options: Options) {
    this.#options = options
    const { database } = options.opened
    this.#database = database
    this.#bodies = new BodyStore(database)
    this.#words = new BodyIndex(database, this.#bodies)
    this.#retention = new Retention(database, this.#bodies, this.#words)
    this.#run = new CurrentRun(database, options.runStartedAt)
    this.reader = new TrafficReader(database, this.#bodies, this.#words, this.#run.id)
    this.judge = new StoreJudge({
      database,
      conceal: (text) => this.masker.conceal(text),
      readResponse: (seq) => this.#answerOf(seq),
      onFindings: options.onFindings,
    })
    const marks = EXCHANGE_COLUMNS.map(() => '?').join(', ')
    this.#insert = database.prepare(`INSERT INTO exchanges (${EXCHANGE_COLUMNS.join(', ')}) VALUES (${marks})`)
    this.#insertDetail = database.prepare(
      `INSERT INTO details (seq, request_headers, response_headers, error, masked, alike, request, request_body, response, response_body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#large = new LargeBodyQueue({
      ...options,
      database,
      cleaner: this.masker,
      save: (body, raw) => this.#save(body, raw),
    })
    this.#takeLost()
    this.#count = countExchanges(database)
  }

  add(entry: RawEntry): void {
    this.#waiting.push(entry)
  }

  get hasJobs(): boolean {
    return this.#large.hasWaiting
  }

  addPending(row: PendingRow, token: string | null): void {
    const clean = this.masker.maskRow(row, token)
    ignoreSqliteErrors(() => {
      this.#database.prepare('INSERT OR REPLACE INTO under_way VALUES (?, ?)').run(row.id, JSON.stringify(clean))
    })
  }

  /**
   * Writes the entries that were added. What the disk does not take is tried without bodies, and
   * then again later.
   */
  flush(): void {
    if (this.#waiting.length === 0) return
    const entries = this.#waiting
    this.#waiting = []
    const jobs: BodyJob[] = []
    try {
      runTransaction(this.#database, () => {
        for (const entry of entries) jobs.push(...this.#write(entry, true))
      })
      this.#large.add(jobs)
      const held = new Set(jobs.map(({ raw }) => raw))
      for (const { request, response } of entries) {
        for (const raw of [request, response]) if (!held.has(raw)) this.#freed(raw)
      }
    } catch {
      this.#options.onUnwritten()
      this.judge.discardAdded()
      for (const entry of entries) this.#writeBare(entry)
      this.#count = countExchanges(this.#database)
    }
    this.judge.judgeAdded()
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
      runTransaction(this.#database, () => void this.#write(small, true))
    } catch {
      if (this.#waiting.length < MAX_WAITING_ENTRIES) this.#waiting.push(small)
    }
  }

  #write(entry: RawEntry, now: boolean): BodyJob[] {
    const clean = this.masker.maskEntry(entry)
    const { lastInsertRowid } = this.#insert.run(...toColumnValues(clean.row, this.#run.getTimePosition(entry, !now)))
    this.#count += 1
    const seq = Number(lastInsertRowid)
    if (now) this.judge.addExchange({ ...clean.row, seq }, entry)
    const jobs: BodyJob[] = []
    let { maskedCount: masked } = clean
    const side = (name: BodyJob['side']): readonly [kept: string, body: number | null] => {
      const raw = entry[name]
      if (now && raw.bytes !== null && raw.bytes.byteLength > MAX_INLINE_BYTES) {
        jobs.push({ seq, side: name, raw, token: entry.token })
        return [JSON.stringify({ ...this.masker.describeUnsavedBody(raw, entry.token), missing: 'busy' }), null]
      }
      const body = this.masker.maskBody(raw, entry.token)
      masked += body.masked
      return [JSON.stringify(body.kept), this.#save(body, raw)]
    }
    const request = side('request')
    const response = side('response')
    const headers = [JSON.stringify(clean.requestHeaders), JSON.stringify(clean.responseHeaders)] as const
    const error = clean.error && JSON.stringify(clean.error)
    this.#insertDetail.run(seq, ...headers, error, masked, hashRequest(clean, request[0]), ...request, ...response)
    this.#database.prepare('DELETE FROM under_way WHERE id = ?').run(clean.row.id)
    return jobs
  }

  #save({ bytes, kept }: MaskedBody, { isJson: json, mediaType }: RawBody): number | null {
    if (bytes === null || kept.hash === null || bytes.byteLength === 0) return null
    return this.#bodies.save(bytes, kept.hash, json || isTextBody(mediaType, bytes))
  }

  /**
   * Saves one large body; of this exchange if `seq` is given, as somebody is waiting for it. False
   * if there is none.
   */
  saveBody(seq?: number): boolean {
    return this.#large.saveNext(seq)
  }

  /** Indexes a piece; false if nothing is left. */
  indexNext(): boolean {
    try {
      return this.#words.indexNext()
    } catch {
      return false
    }
  }

  setBounds(bounds: RetentionBounds): void {
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
    runTransaction(this.#database, () => {
      for (const seq of seqs) set.run(pinned ? 1 : 0, seq)
    })
    this.#changed(true)
  }

  info(): StoreInfo {
    const { file, setAside } = this.#options.opened
    const facts = { exchanges: this.#count, oldestAt: findOldestStart(this.#database), bytes: getDatabaseBytes(file) }
    return { kind: 'disk', reason: null, ...facts, droppedBodies: this.#dropped + this.#large.droppedCount, setAside }
  }

  close(): void {
    this.flush()
    while (this.saveBody());
    closeQuietly(this.#database)
  }

  /** What was under way when the program ended. */
  #takeLost(): void {
    ignoreSqliteErrors(() =>
      runTransaction(this.#database, () => {
        for (const entry of readLostEntries(this.#database)) this.#write(entry, false)
        this.#database.exec('DELETE FROM under_way')
      }),
    )
  }

  #answerOf(seq: number): ReturnType<TrafficReader['readResponse']> {
    while (this.saveBody(seq));
    return this.reader.readResponse(seq)
  }

  #removed(): void {
    this.#changed(true)
    this.judge.onExchangesRemoved()
  }

  #changed(reread: boolean): void {
    this.#options.onChange({ newest: this.reader.newest(), exchanges: this.#count, reread })
  }

  #freed({ bytes }: RawBody): void {
    if (bytes !== null) this.#options.onFreed(bytes.byteLength)
  }
}
