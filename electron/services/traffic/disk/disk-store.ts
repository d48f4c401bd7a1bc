// Stores exchanges, their bodies and findings in an SQLite database.
// The thread that runs this store is in traffic/thread; recorder.ts decides what is recorded.
// Read this file first, then schema.ts and traffic-reader.ts.
import type { CallInitiator } from '../../../../shared/traffic/call-initiator.ts'
import { BoundedMap } from '../../../core/protocol/rule-state.ts'
import { closeQuietly, type Database } from '../../journal/database.ts'
import { EntryMasker, type MaskedBody } from '../entry-masker.ts'
import { readPlacedBodies, type PendingRow, type RawBody, type RawEntry } from '../entry.ts'
import type { RetentionBounds, StoreListeners, StoreInfo } from '../traffic-store.ts'
import { ContractJudge } from '../../contract/contract-judge.ts'
import { BodyStore } from './body-store.ts'
import { ContractTables, StoredExchanges } from './contract-store.ts'
import { LearnedTable } from './learned-table.ts'
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
import { LargeBodyQueue, type PendingBody } from './large-body-queue.ts'
import type { OpenedDatabase } from './traffic-database.ts'
import { TrafficReader } from './traffic-reader.ts'
import { Retention } from './retention.ts'
import { EXCHANGE_COLUMNS, toColumnValues } from './exchange-rows.ts'
import { ignoreSqliteErrors, runTransaction } from './transaction.ts'
import { BodyIndex } from './body-index.ts'

/** Bytes of a body that is saved with its entry; larger ones when the thread is idle. */
const MAX_INLINE_BYTES = 65_536
/** Maximum number of entries that are kept in memory while the disk rejects writes. */
const MAX_WAITING_ENTRIES = 20_000
/** Maximum number of initiators whose exchange is not stored yet. */
const MAX_WAITING_INITIATORS = 1_000

interface Options extends StoreListeners {
  readonly opened: OpenedDatabase & { readonly database: Database }
  readonly runStartedAt: number
  /** Called each time the disk rejects a write. */
  readonly onUnwritten: () => void
  /** Called with the bytes of a body once it was saved or dropped and its memory is free. */
  readonly onFreed: (bytes: number) => void
}

/** Runs in a thread. Entries are written at once, large bodies and the index when it is idle. */
export class DiskStore {
  readonly masker = new EntryMasker()
  readonly reader: TrafficReader
  readonly judge: StoreJudge
  readonly contract: ContractJudge
  readonly #options: Options
  readonly #database: Database
  readonly #bodies: BodyStore
  readonly #bodyIndex: BodyIndex
  readonly #retention: Retention
  readonly #insertExchange
  readonly #insertDetail
  readonly #updateInitiator
  #waitingEntries: RawEntry[] = []
  /** Keyed by the id of the exchange. */
  readonly #waitingInitiators = new BoundedMap<CallInitiator>(MAX_WAITING_INITIATORS)
  readonly #largeBodies: LargeBodyQueue
  #droppedCount = 0
  #exchangeCount = 0
  readonly #currentRun: CurrentRun
  #bounds: RetentionBounds = { keepDays: 36_500, maxBytes: Infinity }

  constructor(options: Options) {
    this.#options = options
    const { database } = options.opened
    this.#database = database
    this.#bodies = new BodyStore(database)
    this.#bodyIndex = new BodyIndex(database, this.#bodies)
    this.#retention = new Retention(database, this.#bodies, this.#bodyIndex)
    this.#currentRun = new CurrentRun(database, options.runStartedAt)
    this.reader = new TrafficReader(database, this.#bodies, this.#bodyIndex, this.#currentRun.id)
    this.judge = new StoreJudge({
      database,
      conceal: (text) => this.masker.conceal(text),
      readResponse: (seq) => this.#readSavedResponse(seq),
      onFindings: options.onFindings,
    })
    const placeholders = EXCHANGE_COLUMNS.map(() => '?').join(', ')
    this.#insertExchange = database.prepare(
      `INSERT INTO exchanges (${EXCHANGE_COLUMNS.join(', ')}) VALUES (${placeholders})`,
    )
    this.#insertDetail = database.prepare(
      `INSERT INTO details (seq, request_headers, response_headers, error, masked, alike, request, request_body, response, response_body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#updateInitiator = database.prepare(
      'UPDATE details SET initiator = ? WHERE seq = (SELECT seq FROM exchanges WHERE id = ?)',
    )
    this.#largeBodies = new LargeBodyQueue({
      ...options,
      database,
      cleaner: this.masker,
      save: (body, raw) => this.#saveBodyBytes(body, raw),
      onSaved: ({ seq, side }, bytes) => {
        if (side === 'response') storedExchanges.keepResponse(seq, bytes)
      },
    })
    this.#writeLostEntries()
    const storedExchanges = new StoredExchanges(database, this.#bodies, () => this.#largeBodies.firstWaitingSeq)
    this.contract = new ContractJudge({
      source: storedExchanges,
      archive: new ContractTables(database),
      learned: new LearnedTable(database),
      onChange: options.onContract,
    })
    this.#exchangeCount = countExchanges(database)
  }

  add(entry: RawEntry): void {
    this.#waitingEntries.push(entry)
  }

  recordInitiator(id: string, initiator: CallInitiator): void {
    this.#waitingInitiators.set(id, initiator)
  }

  get hasJobs(): boolean {
    return this.#largeBodies.hasWaiting
  }

  addPending(row: PendingRow, token: string | null): void {
    const clean = this.masker.maskRow(row, token)
    ignoreSqliteErrors(() => {
      this.#database.prepare('INSERT OR REPLACE INTO under_way VALUES (?, ?)').run(row.id, JSON.stringify(clean))
    })
  }

  /** Added entries the disk rejects are written without bodies, and if that fails, later. */
  flush(): void {
    this.#writeEntries()
    this.#writeInitiators()
  }

  #writeEntries(): void {
    if (this.#waitingEntries.length === 0) return
    const entries = this.#waitingEntries
    this.#waitingEntries = []
    const pendingBodies: PendingBody[] = []
    try {
      runTransaction(this.#database, () => {
        for (const entry of entries) pendingBodies.push(...this.#writeEntry(entry, true))
      })
      this.#largeBodies.add(pendingBodies)
      const queuedBodies = new Set(pendingBodies.map(({ raw }) => raw))
      for (const { request, response } of entries) {
        for (const raw of [request, response]) if (!queuedBodies.has(raw)) this.#reportFreed(raw)
      }
    } catch {
      this.#options.onUnwritten()
      this.judge.discardAdded()
      for (const entry of entries) this.#writeWithoutBodies(entry)
      this.#exchangeCount = countExchanges(this.#database)
    }
    this.judge.judgeAdded()
    this.#reportChange(false)
  }

  /** Those of exchanges that are still in progress are written later. */
  #writeInitiators(): void {
    const initiators = [...this.#waitingInitiators.entries()]
    if (initiators.length === 0) return
    ignoreSqliteErrors(() =>
      runTransaction(this.#database, () => {
        for (const [id, initiator] of initiators) {
          const { changes } = this.#updateInitiator.run(JSON.stringify(this.masker.maskInitiator(initiator)), id)
          if (changes > 0) this.#waitingInitiators.delete(id)
        }
      }),
    )
  }

  #writeWithoutBodies(entry: RawEntry): void {
    const dropBytes = (raw: RawBody): RawBody => {
      if (raw.bytes === null) return raw
      this.#droppedCount += 1
      this.#reportFreed(raw)
      return { ...raw, bytes: null, missing: 'full' }
    }
    const entryWithoutBodies = { ...entry, request: dropBytes(entry.request), response: dropBytes(entry.response) }
    try {
      runTransaction(this.#database, () => void this.#writeEntry(entryWithoutBodies, true))
    } catch {
      if (this.#waitingEntries.length < MAX_WAITING_ENTRIES) this.#waitingEntries.push(entryWithoutBodies)
    }
  }

  #writeEntry(added: RawEntry, isNew: boolean): PendingBody[] {
    const entry = readPlacedBodies(added, this.#options.onDamaged)
    const maskedEntry = this.masker.maskEntry(entry)
    const { lastInsertRowid } = this.#insertExchange.run(
      ...toColumnValues(maskedEntry.row, this.#currentRun.getTimePosition(entry, !isNew)),
    )
    this.#exchangeCount += 1
    const seq = Number(lastInsertRowid)
    if (isNew) this.judge.addExchange({ ...maskedEntry.row, seq }, entry)
    const pendingBodies: PendingBody[] = []
    let { maskedCount } = maskedEntry
    const storeSide = (name: PendingBody['side']): readonly [kept: string, body: number | null] => {
      const raw = entry[name]
      if (isNew && !raw.place && raw.bytes !== null && raw.bytes.byteLength > MAX_INLINE_BYTES) {
        pendingBodies.push({ seq, side: name, raw, token: entry.token })
        return [JSON.stringify({ ...this.masker.describeUnsavedBody(raw, entry.token), missing: 'busy' }), null]
      }
      const body = this.masker.maskBody(raw, entry.token)
      maskedCount += body.masked
      return [JSON.stringify(body.kept), this.#saveBodyBytes(body, raw)]
    }
    const request = storeSide('request')
    const response = storeSide('response')
    const headers = [JSON.stringify(maskedEntry.requestHeaders), JSON.stringify(maskedEntry.responseHeaders)] as const
    const error = maskedEntry.error && JSON.stringify(maskedEntry.error)
    this.#insertDetail.run(
      seq,
      ...headers,
      error,
      maskedCount,
      hashRequest(maskedEntry, request[0]),
      ...request,
      ...response,
    )
    this.#database.prepare('DELETE FROM under_way WHERE id = ?').run(maskedEntry.row.id)
    return pendingBodies
  }

  #saveBodyBytes({ bytes, kept, masked }: MaskedBody, { isJson, mediaType, place }: RawBody): number | null {
    if (bytes === null || kept.hash === null || bytes.byteLength === 0) return null
    return this.#bodies.save(bytes, kept.hash, isJson || isTextBody(mediaType, bytes), masked > 0 ? undefined : place)
  }

  /** Saves one large body, or that of the exchange `seq`. Returns false if there is none. */
  saveBody(seq?: number): boolean {
    return this.#largeBodies.saveNext(seq)
  }

  /** Indexes for a few milliseconds. Returns false if nothing is left to index, or on an error. */
  indexNext(): boolean {
    try {
      return this.#bodyIndex.indexNext()
    } catch {
      return false
    }
  }

  setBounds(bounds: RetentionBounds): void {
    this.#bounds = bounds
  }

  /** Removes some of the oldest beyond the bounds. Returns false if none is left to remove. */
  trim(now = this.#currentRun.now()): boolean {
    const removed = this.#retention.trim(this.#bounds, now)
    this.#exchangeCount -= removed
    if (removed > 0) {
      this.#reportRemoval()
      this.contract.onExchangesRemoved()
    }
    return removed > 0
  }

  clear(): number {
    // Waiting entries existed when the user decided to clear, and so are removed too.
    this.flush()
    while (this.saveBody());
    const removed = this.#retention.clear()
    this.#exchangeCount -= removed
    this.contract.forget()
    this.#reportRemoval()
    return removed
  }

  pin(seqs: readonly number[], isPinned: boolean): void {
    const update = this.#database.prepare('UPDATE exchanges SET pinned = ? WHERE seq = ?')
    runTransaction(this.#database, () => {
      for (const seq of seqs) update.run(isPinned ? 1 : 0, seq)
    })
    this.#reportChange(true)
  }

  info(): StoreInfo {
    const { file, setAside } = this.#options.opened
    const facts = {
      exchanges: this.#exchangeCount,
      oldestAt: findOldestStart(this.#database),
      bytes: getDatabaseBytes(file),
    }
    return {
      kind: 'disk',
      reason: null,
      ...facts,
      droppedBodies: this.#droppedCount + this.#largeBodies.droppedCount,
      setAside,
    }
  }

  close(): void {
    this.flush()
    while (this.saveBody());
    this.contract.save()
    closeQuietly(this.#database)
  }

  /** Writes the exchanges that were in progress when the program last ended. */
  #writeLostEntries(): void {
    ignoreSqliteErrors(() =>
      runTransaction(this.#database, () => {
        for (const entry of readLostEntries(this.#database)) this.#writeEntry(entry, false)
        this.#database.exec('DELETE FROM under_way')
      }),
    )
  }

  #readSavedResponse(seq: number): ReturnType<TrafficReader['readResponse']> {
    while (this.saveBody(seq));
    return this.reader.readResponse(seq)
  }

  #reportRemoval(): void {
    this.#reportChange(true)
    this.judge.onExchangesRemoved()
  }

  #reportChange(shouldReread: boolean): void {
    this.#options.onChange({ newest: this.reader.newest(), exchanges: this.#exchangeCount, reread: shouldReread })
  }

  #reportFreed({ bytes }: RawBody): void {
    if (bytes !== null) this.#options.onFreed(bytes.byteLength)
  }
}
