import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Finding } from '../../../../shared/protocol/finding.ts'
import type { RepeatedExchange } from '../../../core/recordings/reduction/recording-reduction.ts'
import type { StoredExchange } from '../../findings/exchange-step.ts'
import { applyFindingsChange, containsText, FindingsJudge } from '../../findings/findings-judge.ts'

/** A request that is still missing after this time does not follow. */
const PATIENCE_MS = 40_000
/** Exchanges that are judged before others get the thread. */
const EXCHANGES_PER_TURN = 50

/** Applies the rules to exchanges at the times at which they were recorded. */
export async function judgeRepeatedExchanges(
  exchanges: AsyncIterable<RepeatedExchange> | Iterable<RepeatedExchange>,
): Promise<Finding[]> {
  const findings = new Map<string, Finding>()
  const responses = new Map<number, Uint8Array | null>()
  const judge = new FindingsJudge({
    // Tokens were removed when the recording was saved.
    conceal: (text) => text,
    contains(seq, text) {
      const response = responses.get(seq)
      return response ? containsText(response, text, true) : null
    },
    onChange: (change) => applyFindingsChange(findings, change),
  })
  const ended: StoredExchange[] = []
  for await (const { row, request, response } of exchanges) {
    const beganAt = Math.floor(row.startedAt)
    responses.set(row.seq, response)
    ended.push({ row, beganAt, endedAt: Math.floor(beganAt + (row.durationMs ?? 0)), request, response })
  }
  ended.sort((first, second) => first.endedAt - second.endedAt)
  for (const [index, exchange] of ended.entries()) {
    if (index % EXCHANGES_PER_TURN === 0) await yieldToOthers()
    judge.observeExchanges([exchange])
    const isPause = (ended[index + 1]?.beganAt ?? Infinity) - exchange.endedAt > PATIENCE_MS
    if (isPause) judge.checkPending(exchange.endedAt + PATIENCE_MS, [])
  }
  return [...findings.values()].filter(({ withdrawnAt }) => withdrawnAt === undefined)
}
