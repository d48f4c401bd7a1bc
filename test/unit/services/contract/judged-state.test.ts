import { describe, expect, it, vi } from 'vitest'
import { JudgedState } from '../../../../electron/services/contract/judged-state.ts'
import { createMemoryArchive, LearnedRoutes } from '../../../../electron/services/contract/learned-routes.ts'
import type { RecordedExchange } from '../../../../electron/services/contract/recorded-exchange.ts'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import { createEntry } from '../../../support/services/traffic.ts'

interface Options {
  readonly row: Partial<ExchangeRow>
  readonly body: string
  readonly responseSize?: number
}

/** Judges equal exchanges. Returns the arguments of each read of a response. */
function judgeReads(count: number, { row, body, responseSize = body.length }: Options): unknown[][] {
  const readResponse = vi.fn<RecordedExchange['readResponse']>(() => ({ bytes: Buffer.from(body), isWhole: true }))
  const exchanges = Array.from({ length: count }, (_, index): RecordedExchange => ({
    row: { ...createEntry().row, ...row, seq: index + 1 },
    ...{ requestHash: null, responseHash: 'hash', requestSize: 0, responseSize },
    ...{ readRequest: () => ({ bytes: null, isWhole: true }), readResponse },
  }))
  const source = {
    readNext: (after: number) => exchanges[after] ?? null,
    ...{ findCapabilities: () => null, findNextCapabilities: () => null },
    ...{ countAfter: () => 0, isStored: () => true, newest: () => count },
  }
  const state = new JudgedState(source, new LearnedRoutes(createMemoryArchive()))
  while (state.judgeNext());
  return readResponse.mock.calls
}

const JSON_ROW = { endpoint: 'decks.list', path: '/decks' }
const PICTURE_ROW = { endpoint: 'notes.content', path: '/notes/N/content', mediaType: 'image/png' }

describe('judged state', () => {
  it('reads no more of a body than it needs', () => {
    expect(judgeReads(2, { row: JSON_ROW, body: '{}' })).toEqual([[], []])
    expect(judgeReads(1, { row: JSON_ROW, body: '{}', responseSize: 30_000_000 })).toEqual([])
    expect(judgeReads(2, { row: JSON_ROW, body: '{}', responseSize: 100_000 })).toHaveLength(1)
    expect(judgeReads(9, { row: JSON_ROW, body: '{}' })).toHaveLength(2)
    expect(judgeReads(2, { row: JSON_ROW, body: '<html>' })).toHaveLength(1)
    expect(judgeReads(2, { row: PICTURE_ROW, body: 'a picture', responseSize: 30_000_000 })).toEqual([[262_144]])
  })
})
