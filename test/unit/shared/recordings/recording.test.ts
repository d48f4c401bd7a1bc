import { describe, expect, it } from 'vitest'
import {
  combineRedactions,
  ENTRY_NAME_PATTERN,
  getPartOfEntry,
  getSegmentName,
  lineParts,
  recordedExchangeSchema,
  toExchangeDetail,
  toRecordedExchange,
} from '../../../../shared/recordings/recording.ts'
import { exchangeDetailSchema, type ExchangeDetail } from '../../../../shared/traffic/exchange.ts'
import { createExchangeDetail } from '../../../support/vue/exchanges.ts'

const HASH = 'a'.repeat(64)

describe('a recorded exchange', () => {
  const detail: ExchangeDetail = {
    ...createExchangeDetail(),
    response: { total: 10, kept: 10, missing: null, hash: HASH, mediaType: 'application/json' },
  }

  it('becomes a line and an exchange again', () => {
    const line = toRecordedExchange(detail)
    expect(recordedExchangeSchema.parse(line)).toMatchObject({ responseBody: HASH })
    expect(exchangeDetailSchema.parse(toExchangeDetail(line))).toEqual(detail)
  })

  it('holds no hash of a body that is left out', () => {
    expect(JSON.stringify(toRecordedExchange(detail, () => null))).not.toContain(HASH)
  })
})

describe('names of entries', () => {
  it.each(['manifest.json', 'report.md', `bodies/${HASH}`, 'integrity/0001/leaves.ndjson', 'later-part/0001.bin'])(
    'accepts %s',
    (name) => {
      expect(ENTRY_NAME_PATTERN.test(name)).toBe(true)
    },
  )

  it.each([
    '../manifest.json',
    '/manifest.json',
    'bodies/../../x',
    'bodies\\x',
    'C:/x',
    'a//b',
    'bodies/',
    '.hidden',
    'a/b/c/d',
    'A.json',
    'a\u0000b',
    '',
    'a'.repeat(201),
  ])('rejects %j', (name) => {
    expect(ENTRY_NAME_PATTERN.test(name)).toBe(false)
  })

  it('tell the part', () => {
    for (const part of lineParts) expect(getPartOfEntry(getSegmentName(part, 0))).toBe(part)
    expect(getPartOfEntry('report.md')).toBe('report')
  })
})

describe('two redactions of one recording', () => {
  it('are never said to have done less than either of them', () => {
    const first = { texts: 'drop', ids: 'keep', pictures: 'grey' } as const
    const second = { texts: 'placeholder', ids: 'map', pictures: 'keep' } as const
    const combined = { texts: 'drop', ids: 'map', pictures: 'grey' }
    expect(combineRedactions(first, second)).toEqual(combined)
    expect(combineRedactions(second, first)).toEqual(combined)
    expect(combineRedactions(null, second)).toEqual(second)
    const keepAll = { texts: 'keep', ids: 'keep', pictures: 'keep' } as const
    expect([combineRedactions(null, keepAll), combineRedactions(second, keepAll)]).toEqual([null, second])
  })
})
