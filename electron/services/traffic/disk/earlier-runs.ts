import type { SQLOutputValue } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { Finding } from '../../../../shared/protocol/finding.ts'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import { applyFindingsChange, FindingsJudge } from '../../findings/findings-judge.ts'
import { canInspectResponse } from '../../findings/exchange-step.ts'
import type { Database } from '../../journal/database.ts'
import { parseKeptBody, parseExchangeRow } from './exchange-rows.ts'
import type { TrafficReader } from './traffic-reader.ts'

/** Maximum number of exchanges to which the rules are applied; the newest are chosen. */
const MAX_EXCHANGES = 20_000
/** Number of exchanges that are judged before pending queries are handled. */
const BATCH_ROWS = 50
/** Checks for missing requests: their interval after an exchange, and how long they continue. */
const TICK_MS = 2_500
const TICK_FOR_MS = 40_000
/** A gap this long may be a restart of the program, during which exchanges are missing. */
const GAP_MS = 5 * 60_000

interface Options {
  readonly database: Database
  readonly reading: Pick<TrafficReader, 'body'>
  /** Exchanges from this `seq` on are judged by the current run when they are recorded. */
  readonly before: number
  readonly conceal: (text: string) => string
  readonly contains: (seq: number, text: string) => boolean | null
  readonly getClearedSeq: () => number
}

interface EarlierRunsResult {
  readonly findings: readonly Finding[]
  readonly judgedCount: number
  /** Number of older exchanges to which the rules were not applied. */
  readonly skippedCount: number
}

/** An exchange of a previous run. The times are those of `RawEntry`. */
interface PastExchange {
  readonly row: ExchangeRow
  readonly beganAt: number
  readonly endedAt: number
  readonly run: number
}

function parsePastExchange(stored: Readonly<Record<string, SQLOutputValue>> | undefined): PastExchange | null {
  const row = stored ? parseExchangeRow(stored) : null
  if (!stored || !row) return null
  // Some starts are stored only in whole milliseconds, so all starts are rounded down; otherwise
  // the next exchange might seem to begin before the previous one.
  const beganAt = Math.floor(Number(stored['ordered_at']))
  return { row, beganAt, endedAt: Math.floor(beganAt + (row.durationMs ?? 0)), run: Number(stored['run']) }
}

/**
 * Applies the rules to the stored exchanges of previous runs. These may have been recorded before a
 * rule existed, or their run may have ended before a missing request was due. The times between
 * exchanges come from the records. If exchanges between two records may be missing, the rules are
 * informed of the gap.
 */
export async function judgeEarlierRuns({
  database,
  reading,
  before,
  conceal,
  contains,
  getClearedSeq,
}: Options): Promise<EarlierRunsResult> {
  const findingsById = new Map<string, Finding>()
  const judge = new FindingsJudge({
    conceal,
    contains,
    getClearedSeq,
    onChange: (change) => applyFindingsChange(findingsById, change),
  })
  const seqs = database
    .prepare('SELECT seq FROM exchanges WHERE seq < ? ORDER BY seq DESC LIMIT ?')
    .all(before, MAX_EXCHANGES)
    .map(({ seq }) => Number(seq))
    .reverse()
  const selectExchange = database.prepare(
    'SELECT * FROM exchanges JOIN details ON details.seq = exchanges.seq WHERE exchanges.seq = ?',
  )
  const readPastExchange = (index: number): PastExchange | null =>
    parsePastExchange(index < seqs.length ? selectExchange.get(seqs[index] ?? 0) : undefined)
  let lastExchange: PastExchange | null = null
  for (const [index, seq] of seqs.entries()) {
    if (index % BATCH_ROWS === 0) await setImmediate()
    const stored = selectExchange.get(seq)
    const exchange = parsePastExchange(stored)
    if (!stored || !exchange) continue
    if (lastExchange)
      replayInterval(judge, lastExchange, exchange, [
        exchange,
        readPastExchange(index + 1),
        readPastExchange(index + 2),
      ])
    const { row, beganAt, endedAt } = exchange
    const readBody = (side: 'request' | 'response'): Uint8Array | null => {
      const isInspected =
        parseKeptBody(stored[side]).missing === null && (side === 'request' || canInspectResponse(row))
      return isInspected ? tryRead(() => reading.body(seq, side, 0, Infinity)?.bytes ?? null) : null
    }
    judge.observeExchanges([{ row, beganAt, endedAt, request: readBody('request'), response: readBody('response') }])
    lastExchange = exchange
  }
  const totalCount = database.prepare('SELECT count(*) AS count FROM exchanges WHERE seq < ?').get(before)?.['count']
  return {
    findings: [...findingsById.values()],
    judgedCount: seqs.length,
    skippedCount: Math.max(0, Number(totalCount ?? 0) - seqs.length),
  }
}

/** Informs the judge of the time between two exchanges, or of a gap in the records. */
function replayInterval(
  judge: FindingsJudge,
  lastExchange: PastExchange,
  nextExchange: PastExchange,
  followingExchanges: readonly (PastExchange | null)[],
): void {
  const [from, to] = [lastExchange.endedAt, nextExchange.endedAt]
  const isOtherRun = nextExchange.run !== lastExchange.run || nextExchange.row.epoch < lastExchange.row.epoch
  if (nextExchange.row.seq !== lastExchange.row.seq + 1 || isOtherRun || to - from > GAP_MS)
    return judge.recordGap(from)
  for (let timestamp = from + TICK_MS; timestamp < Math.min(to, from + TICK_FOR_MS); timestamp += TICK_MS) {
    const pendingExchanges = followingExchanges
      .filter((exchange) => exchange !== null)
      .filter(({ beganAt }) => beganAt <= timestamp)
    judge.checkPending(
      timestamp,
      pendingExchanges.map(({ row }) => row),
    )
  }
}

/** Returns null if the record is damaged. */
function tryRead(read: () => Uint8Array | null): Uint8Array | null {
  try {
    return read()
  } catch {
    return null
  }
}
