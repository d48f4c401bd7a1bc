import { setImmediate } from 'node:timers/promises'
import type { Finding } from '../../../../shared/protocol/finding.ts'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import { Judge } from '../../findings/judge.ts'
import { isLookedAt } from '../../findings/step-of.ts'
import type { Database } from '../../journal/database.ts'
import { keptOf, rowOf } from './rows.ts'
import type { Reading } from './reading.ts'

/** How many exchanges are judged; the newest are what anybody still looks at. */
const MOST = 20_000
/** Judged in one go, before questions get their turn. */
const BATCH = 50
/** The rules look for what did not follow this often, and for this long after an exchange. */
const TICK_MS = 2_500
const TICK_FOR_MS = 40_000
/** What was not recorded for this long may have been the next run of the program. */
const GAP_MS = 5 * 60_000

interface Options {
  readonly database: Database
  readonly reading: Pick<Reading, 'body'>
  /** Exchanges from this `seq` on are judged as they are kept. */
  readonly before: number
  readonly conceal: (text: string) => string
  readonly contains: (seq: number, text: string) => boolean | null
}

export interface PastFindings {
  readonly found: readonly Finding[]
  readonly judged: number
  /** Older ones that were not looked at. */
  readonly left: number
}

/**
 * Judges what earlier runs of the program kept: some of it before there were rules, some when nobody waited for what would follow. The
 * time between exchanges is taken from their records, and whatever may be missing between two of them counts as missing.
 */
export async function judgePast({ database, reading, before, conceal, contains }: Options): Promise<PastFindings> {
  const found = new Map<string, Finding>()
  const judge = new Judge({
    conceal,
    contains,
    changed(change) {
      for (const finding of change.found) found.set(finding.id, finding)
      for (const id of change.withdrawn) found.delete(id)
    },
  })
  const seqs = database
    .prepare('SELECT seq FROM exchanges WHERE seq < ? ORDER BY seq DESC LIMIT ?')
    .all(before, MOST)
    .map(({ seq }) => Number(seq))
    .reverse()
  const one = database.prepare(
    'SELECT * FROM exchanges JOIN details ON details.seq = exchanges.seq WHERE exchanges.seq = ?',
  )
  const rowAt = (at: number): ExchangeRow | null => {
    const stored = at < seqs.length ? one.get(seqs[at] ?? 0) : undefined
    return stored ? rowOf(stored) : null
  }
  let last: ExchangeRow | null = null
  for (const [at, seq] of seqs.entries()) {
    if (at % BATCH === 0) await setImmediate()
    const stored = one.get(seq)
    const row = stored && rowOf(stored)
    if (!row) continue
    if (last) between(judge, last, row, [row, rowAt(at + 1), rowAt(at + 2)])
    const bytesOf = (side: 'request' | 'response'): Uint8Array | null => {
      const isRead = keptOf(stored[side]).missing === null && (side === 'request' || isLookedAt(row))
      return isRead ? readable(() => reading.body(seq, side, 0, Infinity)?.bytes ?? null) : null
    }
    judge.kept([{ row, request: bytesOf('request'), response: bytesOf('response') }])
    last = row
  }
  const all = database.prepare('SELECT count(*) AS count FROM exchanges WHERE seq < ?').get(before)?.['count']
  return { found: [...found.values()], judged: seqs.length, left: Math.max(0, Number(all ?? 0) - seqs.length) }
}

/** What happened after one exchange and before the next: time passed, or something was not recorded. */
function between(judge: Judge, last: ExchangeRow, next: ExchangeRow, coming: readonly (ExchangeRow | null)[]): void {
  const [from, to] = [endOf(last), endOf(next)]
  if (next.seq !== last.seq + 1 || next.epoch < last.epoch || to - from > GAP_MS) return judge.gap(from)
  for (let now = from + TICK_MS; now < Math.min(to, from + TICK_FOR_MS); now += TICK_MS) {
    const underWay = coming.filter((row) => row !== null).filter(({ startedAt }) => startedAt <= now)
    judge.tick(now, underWay)
  }
}

const endOf = ({ startedAt, durationMs }: ExchangeRow): number => startedAt + (durationMs ?? 0)

/** Bytes of a damaged record are not there. */
function readable(read: () => Uint8Array | null): Uint8Array | null {
  try {
    return read()
  } catch {
    return null
  }
}
