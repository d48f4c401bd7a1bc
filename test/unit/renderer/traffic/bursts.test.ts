import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findBurst, findBursts } from '../../../../renderer/model/traffic/bursts.ts'
import { computeExchangePhases } from '../../../../renderer/model/traffic/exchange-phases.ts'
import { createExchangeRow } from '../../../support/vue/exchanges.ts'

const row = (startedAt: number, durationMs: number | null) => ({ startedAt, durationMs })

describe('bursts of exchanges', () => {
  test('are separated by a pause, but not by an exchange that is under way', () => {
    const rows = [row(5_000, 20), row(0, 10), row(300, 10), row(900, 3_000), row(4_000, null)]
    expect(findBursts(rows, 4_100)).toEqual([
      { start: 0, end: 310, count: 2 },
      { start: 900, end: 4_100, count: 2 },
      { start: 5_000, end: 5_020, count: 1 },
    ])
    expect(findBursts([], 0)).toEqual([])
  })

  test('are divided at their longest pause if they are too long', () => {
    const polls = Array.from({ length: 40 }, (_, index) => row(index * 400 + (index >= 25 ? 90 : 0), 10))
    const bursts = findBursts(polls, 0)
    expect(bursts[0]).toEqual({ start: 0, end: 24 * 400 + 10, count: 25 })
    expect(bursts.every(({ start, end }) => end - start <= 10_000)).toBe(true)
  })

  test('contain every exchange once, in order, and do not overlap', () => {
    const anyRow = fc.record({
      startedAt: fc.integer({ min: 0, max: 60_000 }),
      durationMs: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: null }),
    })
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 60 }), (rows) => {
        const bursts = findBursts(rows, 70_000)
        expect(bursts.reduce((sum, { count }) => sum + count, 0)).toBe(rows.length)
        bursts.slice(1).forEach(({ start }, index) => expect(start).toBeGreaterThan(bursts[index]?.end ?? 0))
        for (const { startedAt, durationMs } of rows) {
          const burst = findBurst(bursts, startedAt)
          expect(burst?.start).toBeLessThanOrEqual(startedAt)
          expect(burst?.end).toBeGreaterThanOrEqual(durationMs === null ? 70_000 : startedAt + durationMs)
        }
      }),
    )
  })
})

describe('the phases of an exchange', () => {
  const empty = { queued: null, connected: null, sent: null, firstByte: null, lastByte: null }

  test('are known only if both of their ends were measured', () => {
    const partial = createExchangeRow({ timing: { ...empty, sent: 4, lastByte: 18 }, durationMs: 20 })
    expect(computeExchangePhases(partial, 0)).toEqual([{ name: 'unmeasured', start: 0, end: 20 }])
    const withoutStart = createExchangeRow({
      timing: { ...empty, connected: 2, sent: 3, firstByte: 9 },
      durationMs: 12,
    })
    expect(computeExchangePhases(withoutStart, 0)).toEqual([
      { name: 'unmeasured', start: 0, end: 2 },
      { name: 'send', start: 2, end: 3 },
      { name: 'wait', start: 3, end: 9 },
      { name: 'receive', start: 9, end: 12 },
    ])
  })

  test('end with the one in which an exchange failed', () => {
    const timing = { ...empty, queued: 1, connected: 1, sent: 2 }
    const failed = createExchangeRow({ timing, durationMs: 30, state: 'failed' })
    expect(computeExchangePhases(failed, 0).at(-1)).toEqual({ name: 'wait', start: 2, end: 30 })
    expect(computeExchangePhases(createExchangeRow({ timing, durationMs: 30 }), 0).at(-1)?.name).toBe('unmeasured')
  })
})
