import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import type { Database } from '../../journal/database.ts'
import { TEXT_MEDIA_TYPE } from '../../../../shared/traffic/body-text.ts'
import { exchangeRowSchema } from '../../../../shared/traffic/exchange.ts'
import type { MaskedEntry } from '../entry-masker.ts'
import type { RawEntry } from '../entry.ts'
import { parseStoredJson, type TimePosition } from './exchange-rows.ts'

export function countExchanges(database: Database): number {
  return Number(database.prepare('SELECT count(*) AS count FROM exchanges').get()?.['count'] ?? 0)
}

/**
 * Identifies the current run of the program, and gives exchanges a position in time that is always
 * after previous runs, even if the system's clock was ahead during those.
 */
export class CurrentRun {
  /** Runs are numbered in ascending order. */
  readonly id: number
  /** Milliseconds added to `RawEntry.beganAt`, so that this run comes after previous ones. */
  readonly #orderShiftMs: number
  readonly #startedAt: number
  readonly #openedAt = performance.now()

  /** @param startedAt the start of the run, by the clock of `RawEntry.beganAt`. */
  constructor(database: Database, startedAt: number) {
    const lastStored = database.prepare('SELECT max(run) AS run, max(ordered_at) AS newest FROM exchanges').get()
    this.id = Number(lastStored?.['run'] ?? 0) + 1
    this.#orderShiftMs = Math.max(0, Number(lastStored?.['newest'] ?? 0) - startedAt)
    this.#startedAt = startedAt
  }

  /** A lost exchange belongs to the previous run. */
  getTimePosition({ beganAt }: Pick<RawEntry, 'beganAt'>, isLost: boolean): TimePosition {
    return isLost ? { orderedAt: beganAt, run: this.id - 1 } : { orderedAt: beganAt + this.#orderShiftMs, run: this.id }
  }

  /** A position in the order of exchanges, which setting the system's clock does not change. */
  now(): number {
    return this.#startedAt + this.#orderShiftMs + (performance.now() - this.#openedAt)
  }
}

/** Returns epoch milliseconds; null if there are no exchanges. */
export function findOldestStart(database: Database): number | null {
  const startedAt =
    database.prepare('SELECT started_at AS oldest FROM exchanges ORDER BY ordered_at LIMIT 1').get()?.['oldest'] ?? null
  return startedAt === null ? null : Number(startedAt)
}

/** Size of the database's files, the write-ahead log included. */
export function getDatabaseBytes(file: string): number {
  return ['', '-wal'].reduce((sum, suffix) => sum + (statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0), 0)
}

const PENDING_ROW_SCHEMA = exchangeRowSchema.omit({ seq: true })

/** Reads the exchanges that were in progress when the program last ended. */
export function readLostEntries(database: Database): RawEntry[] {
  const emptyBody = { bytes: null, total: null, missing: null, mediaType: '', isJson: false }
  return database
    .prepare('SELECT entry FROM under_way')
    .all()
    .flatMap(({ entry = null }) => {
      const row = PENDING_ROW_SCHEMA.safeParse(parseStoredJson(entry)).data
      if (!row) return []
      const lostRow = { ...row, state: 'lost' as const }
      return {
        row: lostRow,
        beganAt: row.startedAt,
        endedAt: row.startedAt,
        requestHeaders: [],
        responseHeaders: [],
        error: null,
        request: emptyBody,
        response: emptyBody,
        token: null,
      }
    })
}

/** Hashes a request so that equal requests to the same host have equal hashes. */
export function hashRequest({ row }: MaskedEntry, request: string): string {
  const { hash } = parseStoredJson(request) as { hash: string | null }
  return createHash('sha256')
    .update(JSON.stringify([row.host, row.method, row.path, hash]))
    .digest('base64url')
    .slice(0, 22)
}

/** If the media type does not decide, a body is text if its beginning has no NUL. */
export function isTextBody(mediaType: string, bytes: Uint8Array): boolean {
  return (
    TEXT_MEDIA_TYPE.test(mediaType) ||
    (!/^(?:image|audio|video|font)\//i.test(mediaType) && !bytes.subarray(0, 1_024).includes(0))
  )
}
