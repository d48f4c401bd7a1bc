import { wireErrorSchema } from '../../../../shared/errors.ts'
import { MOST_HEAD } from '../../../../shared/ipc/traffic.ts'
import { exchangeDetailSchema, type ExchangeDetail, type ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import type { Database } from '../../journal/database.ts'
import { namesOf } from '../entry.ts'
import type { Found, Head, Span, TrafficStore } from '../store.ts'
import type { Bodies } from './bodies.ts'
import { jsonOf, keptOf, rowOf } from './rows.ts'
import { BESIDE, FAILED, listOf, whereOf, type Where } from './where.ts'
import type { Words } from './words.ts'

/** How long bodies are searched for one question. */
const SEARCH_MS = 1_500
/** Characters of a body in which ids are looked for. */
const NAMED = 262_144

/** Questions to the store on disk. */
export class Reading {
  readonly #database: Database
  readonly #bodies: Bodies
  readonly #words: Words
  readonly #run: number
  #incomplete = false
  #tables = 0

  constructor(database: Database, bodies: Bodies, words: Words, run: number) {
    this.#database = database
    this.#bodies = bodies
    this.#words = words
    this.#run = run
    for (const table of ['hits_1', 'hits_2']) database.exec(`CREATE TEMP TABLE ${table} (body INTEGER PRIMARY KEY)`)
  }

  find(...[filter, sort, after]: Parameters<TrafficStore['find']>): Found {
    const where = this.#where(filter)
    const { sql, values } = where
    const list = listOf(where, sort, after)
    // One text instead of an object for each row.
    const seqs = this.#database.prepare(`SELECT group_concat(seq) AS seqs FROM (${list.sql})`).get(...list.values)?.[
      'seqs'
    ]
    const numbers = typeof seqs === 'string' ? Uint32Array.from(seqs.split(','), Number) : new Uint32Array()
    const beside = `SELECT 1 FROM exchanges WHERE seq > ? AND ${BESIDE} AND ${sql} LIMIT 1`
    const scattered = after > 0 && this.#database.prepare(beside).get(after, after, ...values) !== undefined
    return { seqs: numbers, newest: this.newest(), incomplete: this.#incomplete, scattered }
  }

  head(...[filter, sort]: Parameters<TrafficStore['head']>): Head {
    const { sql, values } = listOf(this.#where(filter), sort, 0, MOST_HEAD + 1)
    const seqs = this.#database
      .prepare(sql)
      .all(...values)
      .map(({ seq }) => Number(seq))
    const isWhole = seqs.length <= MOST_HEAD && !this.#incomplete
    return { rows: this.rows(seqs.slice(0, MOST_HEAD)), newest: this.newest(), isWhole }
  }

  newest(): number {
    return Number(this.#database.prepare('SELECT max(seq) AS newest FROM exchanges').get()?.['newest'] ?? 0)
  }

  seqOf(id: string): number | null {
    const seq = this.#database.prepare('SELECT seq FROM exchanges WHERE id = ?').get(id)?.['seq']
    return typeof seq === 'number' ? seq : null
  }

  rows(seqs: readonly number[]): ExchangeRow[] {
    const one = this.#database.prepare('SELECT * FROM exchanges WHERE seq = ?')
    return seqs.flatMap((seq) => {
      const row = one.get(seq)
      return (row && rowOf(row)) ?? []
    })
  }

  exchange({ seq, id }: Parameters<TrafficStore['exchange']>[0]): ExchangeDetail | null {
    const where = seq === undefined ? 'id = ?' : 'exchanges.seq = ?'
    const sql = `SELECT * FROM exchanges JOIN details ON details.seq = exchanges.seq WHERE ${where}`
    const stored = this.#database.prepare(sql).get(seq ?? id ?? '')
    const row = stored && rowOf(stored)
    if (!row) return null
    const request = stored['request_body'] === null ? '' : this.#textOf(Number(stored['request_body']))
    const response = stored['response_body'] === null ? '' : this.#textOf(Number(stored['response_body']))
    const error = wireErrorSchema.safeParse(jsonOf(stored['error'] ?? null))
    const group = this.#database.prepare('SELECT seq FROM exchanges WHERE grp = ? ORDER BY attempt, seq').all(row.group)
    const before = this.#database
      .prepare(
        `SELECT max(seq) AS seq FROM exchanges WHERE seq < ? AND state = 'answered'
         AND seq IN (SELECT seq FROM details WHERE alike = ?)`,
      )
      .get(row.seq, String(stored['alike']))
    const detail = exchangeDetailSchema.safeParse({
      row,
      requestHeaders: jsonOf(stored['request_headers']),
      responseHeaders: jsonOf(stored['response_headers']),
      error: error.success ? error.data : null,
      request: keptOf(stored['request']),
      response: keptOf(stored['response']),
      attempts: group.map((one) => Number(one['seq'])),
      before: before?.['seq'] ?? null,
      names: namesOf(row, request, response),
      masked: stored['masked'],
    })
    return detail.success ? detail.data : null
  }

  body(...[seq, side, start, end]: Parameters<TrafficStore['body']>): Awaited<ReturnType<TrafficStore['body']>> {
    const stored = this.#database
      .prepare(`SELECT ${side} AS kept, ${side}_body AS body FROM details WHERE seq = ?`)
      .get(seq)
    if (!stored) return null
    const { kept } = keptOf(stored['kept'])
    if (stored['body'] === null) return { bytes: new Uint8Array(), kept: 0 }
    return { bytes: this.#bodies.range(Number(stored['body']), start, Math.min(end, kept)), kept }
  }

  /** What is kept of an answer, and whether that is all of it; null if nothing is. */
  answerOf(seq: number): { readonly bytes: Uint8Array; readonly isWhole: boolean } | null {
    const kept = keptOf(this.#database.prepare('SELECT response FROM details WHERE seq = ?').get(seq)?.['response'])
    const body = kept.kept > 0 ? this.body(seq, 'response', 0, Infinity) : null
    return body && body.kept > 0 ? { bytes: body.bytes, isWhole: kept.missing === null } : null
  }

  strip({ filter, from, to, buckets }: Span): { all: number[]; failed: number[] } {
    const all = new Array<number>(buckets).fill(0)
    const failed = new Array<number>(buckets).fill(0)
    const { sql, values } = this.#where({ ...filter, from, to })
    const rows = this.#database
      .prepare(
        `SELECT min(?, CAST((started_at - ?) * ? / ? AS INTEGER)) AS bucket, count(*) AS every, sum(${FAILED}) AS bad
         FROM exchanges WHERE ${sql} GROUP BY bucket`,
      )
      .all(buckets - 1, from, buckets, Math.max(1, to - from), ...values)
    for (const row of rows) {
      all[Number(row['bucket'])] = Number(row['every'])
      failed[Number(row['bucket'])] = Number(row['bad'] ?? 0)
    }
    return { all, failed }
  }

  /** The condition, after the bodies that it needs were searched. */
  #where(filter: Parameters<TrafficStore['find']>[0]): Where {
    this.#incomplete = false
    this.#tables = 0
    return whereOf(filter, this.#run, (text) => this.#hits(text))
  }

  #hits(text: string): string {
    this.#tables += 1
    const table = `hits_${this.#tables}`
    const { bodies, complete } = this.#words.find(text, performance.now() + SEARCH_MS)
    if (!complete) this.#incomplete = true
    this.#database.exec(`DELETE FROM ${table}`)
    const add = this.#database.prepare(`INSERT INTO ${table} VALUES (?)`)
    for (const body of bodies) add.run(body)
    return table
  }

  #textOf(body: number): string {
    return this.#bodies.text(body, 0, NAMED)
  }
}
