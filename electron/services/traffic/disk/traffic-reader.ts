import { wireErrorSchema } from '../../../../shared/errors.ts'
import { MAX_HEAD_ROWS } from '../../../../shared/ipc/traffic.ts'
import type { CallInitiator } from '../../../../shared/traffic/call-initiator.ts'
import { CoverageCounter } from '../../../../shared/panel/coverage.ts'
import { exchangeDetailSchema, type ExchangeDetail, type ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import type { Database } from '../../journal/database.ts'
import { collectNamedIds } from '../entry.ts'
import {
  createListHead,
  type ExchangeBodies,
  type FoundExchanges,
  type ListHead,
  type TimeSpan,
  type TrafficStore,
} from '../traffic-store.ts'
import type { BodyStore } from './body-store.ts'
import {
  COVERAGE_COLUMNS,
  parseCoveredExchange,
  parseStoredInitiator,
  parseStoredJson,
  parseKeptBody,
  parseExchangeRow,
} from './exchange-rows.ts'
import { RETRY_SQL, FAILED_SQL, buildListSql, buildFilterSql, type SqlCondition } from './filter-sql.ts'
import type { BodyIndex } from './body-index.ts'

/** Maximum time for searching bodies in one query. */
const SEARCH_MS = 1_500
/** Counting this many exchanges delays other queries by some ten milliseconds. */
const COVERAGE_PART_ROWS = 5_000
/** Ids are searched only in this number of bytes at the beginning of a body. */
const MAX_SEARCHED_BYTES = 262_144

export class TrafficReader {
  readonly #database: Database
  readonly #bodies: BodyStore
  readonly #bodyIndex: BodyIndex
  readonly #currentRun: number
  #isIncomplete = false
  #hitTableCount = 0

  constructor(database: Database, bodies: BodyStore, words: BodyIndex, run: number) {
    this.#database = database
    this.#bodies = bodies
    this.#bodyIndex = words
    this.#currentRun = run
    for (const table of ['hits_1', 'hits_2']) database.exec(`CREATE TEMP TABLE ${table} (body INTEGER PRIMARY KEY)`)
  }

  find(...[filter, sort, after]: Parameters<TrafficStore['find']>): FoundExchanges {
    const condition = this.#condition(filter)
    const { sql, values } = condition
    const list = buildListSql(condition, sort, after)
    const seqs = Uint32Array.from(this.#listSeqs(list), Number)
    const besideSql = `SELECT 1 FROM exchanges WHERE seq > ? AND ${RETRY_SQL} AND ${sql} LIMIT 1`
    const isScattered = after > 0 && this.#database.prepare(besideSql).get(after, after, ...values) !== undefined
    return { seqs, newest: this.newest(), incomplete: this.#isIncomplete, scattered: isScattered }
  }

  head(...[filter, sort, limit = MAX_HEAD_ROWS]: Parameters<TrafficStore['head']>): ListHead {
    const seqs = this.#listSeqs(buildListSql(this.#condition(filter), sort, 0, limit + 1)).map(Number)
    const rows = (part: readonly number[]): ExchangeRow[] => this.rows(part)
    return createListHead(seqs, limit, !this.#isIncomplete, { newest: this.newest(), rows })
  }

  /** A single text with all numbers is faster than one object for each row. */
  #listSeqs({ sql, values }: SqlCondition): readonly string[] {
    const seqs = this.#database.prepare(`SELECT group_concat(seq) AS seqs FROM (${sql})`).get(...values)?.['seqs']
    return typeof seqs === 'string' ? seqs.split(',') : []
  }

  countCoverage(after: number): ReturnType<TrafficStore['countCoverage']> {
    const stored = this.#database
      .prepare(`SELECT ${COVERAGE_COLUMNS} FROM exchanges WHERE seq > ? ORDER BY seq LIMIT ?`)
      .all(after, COVERAGE_PART_ROWS)
    const counter = new CoverageCounter()
    for (const row of stored) {
      const exchange = parseCoveredExchange(row)
      if (exchange) counter.add(exchange)
    }
    const lastSeq = Number(stored.at(-1)?.['seq'] ?? after)
    return {
      routes: counter.list(),
      counted: stored.length,
      lastSeq,
      isWhole: stored.length < COVERAGE_PART_ROWS,
    }
  }

  newest(): number {
    return Number(this.#database.prepare('SELECT max(seq) AS newest FROM exchanges').get()?.['newest'] ?? 0)
  }

  seqOf(id: string): number | null {
    const seq = this.#database.prepare('SELECT seq FROM exchanges WHERE id = ?').get(id)?.['seq']
    return typeof seq === 'number' ? seq : null
  }

  rows(seqs: readonly number[]): ExchangeRow[] {
    const selectRow = this.#database.prepare('SELECT * FROM exchanges WHERE seq = ?')
    return seqs.flatMap((seq) => {
      const row = selectRow.get(seq)
      return (row && parseExchangeRow(row)) ?? []
    })
  }

  exchange({ seq, id }: Parameters<TrafficStore['exchange']>[0]): ExchangeDetail | null {
    const condition = seq === undefined ? 'id = ?' : 'exchanges.seq = ?'
    const sql = `SELECT * FROM exchanges JOIN details ON details.seq = exchanges.seq WHERE ${condition}`
    const stored = this.#database.prepare(sql).get(seq ?? id ?? '')
    const row = stored && parseExchangeRow(stored)
    if (!row) return null
    const request = stored['request_body'] === null ? '' : this.#readBodyText(Number(stored['request_body']))
    const response = stored['response_body'] === null ? '' : this.#readBodyText(Number(stored['response_body']))
    const error = wireErrorSchema.safeParse(parseStoredJson(stored['error'] ?? null))
    const group = this.#database.prepare('SELECT seq FROM exchanges WHERE grp = ? ORDER BY attempt, seq').all(row.group)
    const previousExchange = this.#database
      .prepare(
        `SELECT max(seq) AS seq FROM exchanges WHERE seq < ? AND state = 'answered'
         AND seq IN (SELECT seq FROM details WHERE alike = ?)`,
      )
      .get(row.seq, String(stored['alike']))
    const initiator = parseStoredInitiator(stored['initiator'])
    const detail = exchangeDetailSchema.safeParse({
      row,
      requestHeaders: parseStoredJson(stored['request_headers']),
      responseHeaders: parseStoredJson(stored['response_headers']),
      error: error.success ? error.data : null,
      request: parseKeptBody(stored['request']),
      response: parseKeptBody(stored['response']),
      attempts: group.map((attempt) => Number(attempt['seq'])),
      before: previousExchange?.['seq'] ?? null,
      names: collectNamedIds(row, request, response),
      masked: stored['masked'],
      ...(initiator === undefined ? {} : { initiator }),
    })
    return detail.success ? detail.data : null
  }

  body(...[seq, side, start, end]: Parameters<TrafficStore['body']>): Awaited<ReturnType<TrafficStore['body']>> {
    const stored = this.#database
      .prepare(`SELECT ${side} AS kept, ${side}_body AS body FROM details WHERE seq = ?`)
      .get(seq)
    if (!stored) return null
    const { kept } = parseKeptBody(stored['kept'])
    if (stored['body'] === null) return { bytes: new Uint8Array(), kept: 0 }
    return { bytes: this.#bodies.readRange(Number(stored['body']), start, Math.min(end, kept)), kept }
  }

  listBodies(seqs: readonly number[]): ExchangeBodies[] {
    const select = this.#database.prepare(
      `SELECT ordered_at, request, response FROM exchanges JOIN details ON details.seq = exchanges.seq
       WHERE exchanges.seq = ?`,
    )
    return seqs.flatMap((seq) => {
      const stored = select.get(seq)
      if (!stored) return []
      const [request, response] = [parseKeptBody(stored['request']), parseKeptBody(stored['response'])]
      return [{ seq, orderedAt: Number(stored['ordered_at']), request, response }]
    })
  }

  listInitiators(seqs: readonly number[]): { seq: number; initiator: CallInitiator }[] {
    const select = this.#database.prepare('SELECT initiator FROM details WHERE seq = ?')
    return seqs.flatMap((seq) => {
      const initiator = parseStoredInitiator(select.get(seq)?.['initiator'])
      return initiator ? [{ seq, initiator }] : []
    })
  }

  readResponse(seq: number): { readonly bytes: Uint8Array; readonly isWhole: boolean } | null {
    const storedBody = parseKeptBody(
      this.#database.prepare('SELECT response FROM details WHERE seq = ?').get(seq)?.['response'],
    )
    const body = storedBody.kept > 0 ? this.body(seq, 'response', 0, Infinity) : null
    return body && body.kept > 0 ? { bytes: body.bytes, isWhole: storedBody.missing === null } : null
  }

  countOverTime({ filter, from, to, buckets }: TimeSpan): { all: number[]; failed: number[] } {
    const all = new Array<number>(buckets).fill(0)
    const failed = new Array<number>(buckets).fill(0)
    const { sql, values } = this.#condition({ ...filter, from, to })
    const rows = this.#database
      .prepare(
        `SELECT min(?, CAST((started_at - ?) * ? / ? AS INTEGER)) AS bucket, count(*) AS every, sum(${FAILED_SQL}) AS bad
         FROM exchanges WHERE ${sql} GROUP BY bucket`,
      )
      .all(buckets - 1, from, buckets, Math.max(1, to - from), ...values)
    for (const row of rows) {
      all[Number(row['bucket'])] = Number(row['every'])
      failed[Number(row['bucket'])] = Number(row['bad'] ?? 0)
    }
    return { all, failed }
  }

  /** Bodies are searched here if the filter includes them. */
  #condition(filter: Parameters<TrafficStore['find']>[0]): SqlCondition {
    this.#isIncomplete = false
    this.#hitTableCount = 0
    return buildFilterSql(filter, this.#currentRun, (text) => this.#searchBodies(text))
  }

  #searchBodies(text: string): string {
    this.#hitTableCount += 1
    const table = `hits_${this.#hitTableCount}`
    const { bodies, isComplete } = this.#bodyIndex.findBodies(text, performance.now() + SEARCH_MS)
    if (!isComplete) this.#isIncomplete = true
    this.#database.exec(`DELETE FROM ${table}`)
    const insertion = this.#database.prepare(`INSERT INTO ${table} VALUES (?)`)
    for (const body of bodies) insertion.run(body)
    return table
  }

  #readBodyText(body: number): string {
    return this.#bodies.readText(body, 0, MAX_SEARCHED_BYTES)
  }
}
