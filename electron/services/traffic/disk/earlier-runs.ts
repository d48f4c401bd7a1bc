import type { SQLOutputValue } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { Finding } from '../../../../shared/protocol/finding.ts'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import { FindingsJudge } from '../../findings/findings-judge.ts'
import { canInspectResponse } from '../../findings/exchange-step.ts'
import type { Database } from '../../journal/database.ts'
import { parseKeptBody, parseExchangeRow } from './exchange-rows.ts'
import type { TrafficReader } from './traffic-reader.ts'

/** How many exchanges are judged; the newest are what anybody still looks at. */
const MAX_EXCHANGES = 20_000
/** Judged in one go, before questions get their turn. */
const BATCH_ROWS = 50
/** The rules look for what did not follow this often, and for this long after an exchange. */
const TICK_MS = 2_500
const TICK_FOR_MS = 40_000
/** What was not recorded for this long may have been the next run of the program. */
const GAP_MS = 5 * 60_000

interface Options {
  readonly database: Database
  readonly reading: Pick<TrafficReader, 'body'>
  /** Exchanges from this `seq` on are judged as they are kept. */
  readonly before: number
  readonly conceal: (text: string) => string
  readonly contains: (seq: number, text: string) => boolean | null
  readonly getClearedSeq: () => number
}

interface PastFindings {
  readonly findings: readonly Finding[]
  readonly judgedCount: number
  /** Older ones that were not looked at. */
  readonly skippedCount: number
}

/** An exchange of an earlier run; the times are those of `RawEntry`. */
interface PastExchange {
  readonly row: ExchangeRow
  readonly beganAt: number
  readonly endedAt: number
  readonly run: number
}

function pastOf(stored: Readonly<Record<string, SQLOutputValue>> | undefined): PastExchange | null {
  const row = stored ? parseExchangeRow(stored) : null
  if (!stored || !row) return null
  // The beginning may be known in whole milliseconds only, and what follows at once must not seem
  // to begin before.
  const beganAt = Math.floor(Number(stored['ordered_at']))
  return { row, beganAt, endedAt: Math.floor(beganAt + (row.durationMs ?? 0)), run: Number(stored['run']) }
}

/**
 * Judges what earlier runs of the program kept: some of it before there were rules, some when
 * nobody waited for what would follow. The time between exchanges is taken from their records, and
 * whatever may be missing between two of them counts as missing.
 */
export async function judgeEarlierRuns({
  database,
  reading,
  before,
  conceal,
  contains,
  getClearedSeq: clearedTo,
}: Options): Promise<PastFindings> {
  const found = new Map<string, Finding>()
  const judge = new FindingsJudge({
    conceal,
    contains,
    getClearedSeq: clearedTo,
    onChange(change) {
      for (const finding of change.newFindings) found.set(finding.id, finding)
      for (const id of change.withdrawnIds) found.delete(id)
    },
  })
  const seqs = database
    .prepare('SELECT seq FROM exchanges WHERE seq < ? ORDER BY seq DESC LIMIT ?')
    .all(before, MAX_EXCHANGES)
    .map(({ seq }) => Number(seq))
    .reverse()
  const one = database.prepare(
    'SELECT * FROM exchanges JOIN details ON details.seq = exchanges.seq WHERE exchanges.seq = ?',
  )
  const pastAt = (index: number): PastExchange | null =>
    pastOf(index < seqs.length ? one.get(seqs[index] ?? 0) : undefined)
  let last: PastExchange | null = null
  for (const [at, seq] of seqs.entries()) {
    if (at % BATCH_ROWS === 0) await setImmediate()
    const stored = one.get(seq)
    const past = pastOf(stored)
    if (!stored || !past) continue
    if (last) between(judge, last, past, [past, pastAt(at + 1), pastAt(at + 2)])
    const { row, beganAt, endedAt } = past
    const bytesOf = (side: 'request' | 'response'): Uint8Array | null => {
      const isRead = parseKeptBody(stored[side]).missing === null && (side === 'request' || canInspectResponse(row))
      return isRead ? readable(() => reading.body(seq, side, 0, Infinity)?.bytes ?? null) : null
    }
    judge.observeExchanges([{ row, beganAt, endedAt, request: bytesOf('request'), response: bytesOf('response') }])
    last = past
  }
  const all = database.prepare('SELECT count(*) AS count FROM exchanges WHERE seq < ?').get(before)?.['count']
  return {
    findings: [...found.values()],
    judgedCount: seqs.length,
    skippedCount: Math.max(0, Number(all ?? 0) - seqs.length),
  }
}

/**
 * What happened after one exchange and before the next: time passed, or something was not recorded.
 */
function between(
  judge: FindingsJudge,
  last: PastExchange,
  next: PastExchange,
  coming: readonly (PastExchange | null)[],
): void {
  const [from, to] = [last.endedAt, next.endedAt]
  const isOtherRun = next.run !== last.run || next.row.epoch < last.row.epoch
  if (next.row.seq !== last.row.seq + 1 || isOtherRun || to - from > GAP_MS) return judge.observeGap(from)
  for (let now = from + TICK_MS; now < Math.min(to, from + TICK_FOR_MS); now += TICK_MS) {
    const underWay = coming.filter((one) => one !== null).filter(({ beganAt }) => beganAt <= now)
    judge.checkPending(
      now,
      underWay.map(({ row }) => row),
    )
  }
}

/** Bytes of a damaged record are not there. */
function readable(read: () => Uint8Array | null): Uint8Array | null {
  try {
    return read()
  } catch {
    return null
  }
}
