import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import type { Database } from '../../journal/database.ts'
import { exchangeRowSchema } from '../../../../shared/traffic/exchange.ts'
import type { MaskedEntry } from '../entry-masker.ts'
import type { RawEntry } from '../entry.ts'
import { parseStoredJson, type TimePosition } from './exchange-rows.ts'

/** Number of exchanges. */
export const countExchanges = (database: Database): number =>
  Number(database.prepare('SELECT count(*) AS count FROM exchanges').get()?.['count'] ?? 0)

/**
 * The run of the program that goes on, and its place in the order of time: behind the runs before,
 * whose clock may have been ahead.
 */
export class CurrentRun {
  /** No exchange of an earlier run has this number. */
  readonly id: number
  /** Milliseconds by which `RawEntry.beganAt` is moved in the order of time. */
  readonly #shift: number
  readonly #startedAt: number
  readonly #openedAt = performance.now()

  /** `startedAt` is when the run began, by the clock of `RawEntry.beganAt`. */
  constructor(database: Database, startedAt: number) {
    const kept = database.prepare('SELECT max(run) AS run, max(ordered_at) AS newest FROM exchanges').get()
    this.id = Number(kept?.['run'] ?? 0) + 1
    this.#shift = Math.max(0, Number(kept?.['newest'] ?? 0) - startedAt)
    this.#startedAt = startedAt
  }

  /** What was lost belongs to the run before. */
  getTimePosition({ beganAt }: Pick<RawEntry, 'beganAt'>, isLost: boolean): TimePosition {
    return isLost ? { orderedAt: beganAt, run: this.id - 1 } : { orderedAt: beganAt + this.#shift, run: this.id }
  }

  /** Now, in the order of time: a clock that was set has no say in what is old. */
  now(): number {
    return this.#startedAt + this.#shift + (performance.now() - this.#openedAt)
  }
}

/** When the first exchange began; null if there is none. */
export function findOldestStart(database: Database): number | null {
  const oldest =
    database.prepare('SELECT started_at AS oldest FROM exchanges ORDER BY ordered_at LIMIT 1').get()?.['oldest'] ?? null
  return oldest === null ? null : Number(oldest)
}

/** Bytes of a database and its log. */
export const getDatabaseBytes = (file: string): number =>
  ['', '-wal'].reduce((sum, end) => sum + (statSync(file + end, { throwIfNoEntry: false })?.size ?? 0), 0)

const pendingSchema = exchangeRowSchema.omit({ seq: true })

/** What was noted as under way and has not ended: the program did. */
export function readLostEntries(database: Database): RawEntry[] {
  const body = { bytes: null, total: null, missing: null, mediaType: '', isJson: false }
  return database
    .prepare('SELECT entry FROM under_way')
    .all()
    .flatMap(({ entry = null }) => {
      const row = pendingSchema.safeParse(parseStoredJson(entry)).data
      if (!row) return []
      const lost = { ...row, state: 'lost' as const }
      return {
        row: lost,
        beganAt: row.startedAt,
        endedAt: row.startedAt,
        requestHeaders: [],
        responseHeaders: [],
        error: null,
        request: body,
        response: body,
        token: null,
      }
    })
}

/** Equal for exchanges that ask the same host the same. */
export function hashRequest({ row }: MaskedEntry, request: string): string {
  const { hash } = parseStoredJson(request) as { hash: string | null }
  return createHash('sha256')
    .update(JSON.stringify([row.host, row.method, row.path, hash]))
    .digest('base64url')
    .slice(0, 22)
}

/** Whether a body without a telling type is text: no NUL near its beginning. */
export const isTextBody = (mediaType: string, bytes: Uint8Array): boolean =>
  /^text\/|xml|javascript|markdown/i.test(mediaType) ||
  (!/^(?:image|audio|video|font)\//i.test(mediaType) && !bytes.subarray(0, 1_024).includes(0))
