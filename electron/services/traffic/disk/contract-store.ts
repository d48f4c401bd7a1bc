import type {
  ContractArchive,
  ContractMark,
  ExchangeSource,
  KeptBytes,
  DeviationMute,
  RecordedExchange,
  StoredContract,
} from '../../contract/recorded-exchange.ts'
import { parseGroup, type DeviationGroup } from '../../contract/deviation-groups.ts'
import { limitBytes } from '../../contract/exchange-facts.ts'
import { isObject } from '../../../../shared/json/object.ts'
import { HELD_MARK } from '../../../../shared/panel/breakpoints.ts'
import type { Database } from '../../journal/database.ts'
import type { BodyStore } from './body-store.ts'
import { parseExchangeRow, parseKeptBody, parseStoredJson } from './exchange-rows.ts'
import { ignoreSqliteErrors, runTransaction } from './transaction.ts'

/** Reads recorded exchanges one by one for the judge of the contract. */
export class StoredExchanges implements ExchangeSource {
  readonly #database: Database
  readonly #bodies: BodyStore
  readonly #getFirstWaitingSeq: () => number | null
  /** The large response that was stored last, so that it is judged without being read again. */
  #lastResponse: { readonly seq: number; readonly bytes: Uint8Array | null } | null = null
  readonly #selectNext
  readonly #selectNextOfRoute
  readonly #selectCapabilities
  readonly #selectNextCapabilities
  readonly #selectCount
  readonly #selectSeq

  /** @param getFirstWaitingSeq the first exchange with a body that is not stored yet */
  constructor(database: Database, bodies: BodyStore, getFirstWaitingSeq: () => number | null) {
    this.#database = database
    this.#bodies = bodies
    this.#getFirstWaitingSeq = getFirstWaitingSeq
    const select = (condition: string) =>
      database.prepare(
        `SELECT exchanges.*, request, request_body, response, response_body
         FROM exchanges JOIN details ON details.seq = exchanges.seq WHERE ${condition} LIMIT 1`,
      )
    this.#selectNext = select('exchanges.seq > ? ORDER BY exchanges.seq')
    this.#selectNextOfRoute = select('exchanges.seq > ? AND method = ? AND endpoint IS ? ORDER BY exchanges.seq')
    const isCapabilities = `host = ? AND endpoint = 'capabilities.get' AND status = 200
      AND state = 'answered' AND (rule IS NULL OR rule = '${HELD_MARK}')`
    this.#selectCapabilities = select(
      `exchanges.seq > ? AND exchanges.seq <= ? AND ${isCapabilities} ORDER BY exchanges.seq DESC`,
    )
    this.#selectNextCapabilities = select(`exchanges.seq > ? AND ${isCapabilities} ORDER BY exchanges.seq`)
    this.#selectCount = database.prepare('SELECT count(*) AS count FROM exchanges WHERE seq > ?')
    this.#selectSeq = database.prepare('SELECT 1 FROM exchanges WHERE seq = ?')
  }

  /** Called with the bytes of a large response when they were stored. */
  keepResponse(seq: number, bytes: Uint8Array | null): void {
    this.#lastResponse = { seq, bytes }
  }

  readNext(...[after, route]: Parameters<ExchangeSource['readNext']>): RecordedExchange | null {
    for (let seq = after; ;) {
      const stored = route ? this.#selectNextOfRoute.get(seq, route.method, route.endpoint) : this.#selectNext.get(seq)
      if (!stored) return null
      seq = Number(stored['seq'])
      const waitingSeq = this.#getFirstWaitingSeq()
      if (waitingSeq !== null && seq >= waitingSeq) return null
      const exchange = this.#toExchange(stored)
      if (exchange) return exchange
    }
  }

  findCapabilities(host: string, after: number, upTo: number): RecordedExchange | null {
    const stored = this.#selectCapabilities.get(after, upTo, host)
    return stored ? this.#toExchange(stored) : null
  }

  findNextCapabilities(host: string, seq: number): RecordedExchange | null {
    const stored = this.#selectNextCapabilities.get(seq, host)
    return stored ? this.#toExchange(stored) : null
  }

  countAfter(seq: number): number {
    return Number(this.#selectCount.get(seq)?.['count'] ?? 0)
  }

  isStored(seq: number): boolean {
    return this.#selectSeq.get(seq) !== undefined
  }

  newest(): number {
    return Number(this.#database.prepare('SELECT max(seq) AS newest FROM exchanges').get()?.['newest'] ?? 0)
  }

  #toExchange(stored: Parameters<typeof parseExchangeRow>[0]): RecordedExchange | null {
    const row = parseExchangeRow(stored)
    if (!row) return null
    const lastResponse = this.#lastResponse?.seq === row.seq ? this.#lastResponse : null
    if (lastResponse) this.#lastResponse = null
    const [request, response] = [parseKeptBody(stored['request']), parseKeptBody(stored['response'])]
    const read =
      (side: 'request' | 'response', isWhole: boolean, size: number) =>
      (maxBytes = Infinity): KeptBytes => {
        const body = stored[`${side}_body`]
        const bytes = () =>
          typeof body === 'number' ? this.#bodies.readRange(body, 0, Math.min(size, maxBytes)) : null
        try {
          return { bytes: bytes(), isWhole: isWhole && size <= maxBytes }
        } catch {
          // The stored bytes are damaged.
          return { bytes: null, isWhole: false }
        }
      }
    return {
      row,
      requestHash: request.hash,
      responseHash: response.hash,
      requestSize: request.kept,
      responseSize: response.kept,
      readRequest: read('request', request.missing === null, request.kept),
      readResponse: lastResponse
        ? (maxBytes) => limitBytes(lastResponse.bytes, response.missing === null, maxBytes)
        : read('response', response.missing === null, response.kept),
    }
  }
}

/** Stores deviations beside the exchanges. */
export class ContractTables implements ContractArchive {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  load(): StoredContract {
    const database = this.#database
    const groups: DeviationGroup[] = []
    const mutes = new Map<string, DeviationMute>()
    const facts = new Map<string, unknown>()
    ignoreSqliteErrors(() => {
      for (const { deviation = null } of database.prepare('SELECT deviation FROM deviations').all()) {
        const group = parseGroup(parseStoredJson(deviation))
        if (group) groups.push(group)
      }
      for (const { id, reason, muted_at: mutedAt } of database.prepare('SELECT * FROM deviation_mutes').all())
        mutes.set(String(id), { reason: String(reason), at: Number(mutedAt) })
      for (const { name, value = null } of database.prepare('SELECT * FROM contract_facts').all())
        facts.set(String(name), parseStoredJson(value))
    })
    return { groups, mutes, mark: parseMark(facts.get('mark')), progress: facts.get('progress') ?? null }
  }

  save(changed: readonly DeviationGroup[], progress: unknown): boolean {
    return ignoreSqliteErrors(() => runTransaction(this.#database, () => this.#write(changed, progress)))
  }

  replace(groups: readonly DeviationGroup[], progress: unknown): boolean {
    return ignoreSqliteErrors(() =>
      runTransaction(this.#database, () => {
        this.#database.exec('DELETE FROM deviations')
        this.#write(groups, progress)
      }),
    )
  }

  saveMute(id: string, mute: DeviationMute | null): void {
    ignoreSqliteErrors(() => {
      if (mute === null) this.#database.prepare('DELETE FROM deviation_mutes WHERE id = ?').run(id)
      else
        this.#database
          .prepare('INSERT OR REPLACE INTO deviation_mutes (id, reason, muted_at) VALUES (?, ?, ?)')
          .run(id, mute.reason, mute.at)
    })
  }

  saveMark(mark: ContractMark): void {
    ignoreSqliteErrors(() => this.#writeFact('mark', mark))
  }

  #write(groups: readonly DeviationGroup[], progress: unknown): void {
    const insert = this.#database.prepare('INSERT OR REPLACE INTO deviations (id, deviation) VALUES (?, ?)')
    for (const group of groups) insert.run(group.id, JSON.stringify(group))
    this.#writeFact('progress', progress)
  }

  #writeFact(name: string, value: unknown): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO contract_facts (name, value) VALUES (?, ?)')
      .run(name, JSON.stringify(value))
  }
}

const parseMark = (value: unknown): ContractMark | null =>
  isObject(value) && typeof value['seq'] === 'number' && typeof value['at'] === 'number'
    ? { seq: value['seq'], at: value['at'] }
    : null
