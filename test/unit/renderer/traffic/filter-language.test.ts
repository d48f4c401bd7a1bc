import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  formatFilterToken,
  listFilterTokens,
  splitFilterText,
  toTokenFilter,
} from '../../../../shared/traffic/filter-language.ts'
import { getRecentMs, resolveRecentFilter, trafficFilterSchema } from '../../../../shared/traffic/traffic-filter.ts'
import { matchesFilter } from '../../../../electron/services/traffic/traffic-filter.ts'
import { createExchangeRow } from '../../../support/vue/exchanges.ts'
import { listFilterSuggestions } from '../../../../renderer/places/traffic/filter-search.ts'

const parse = (typed: string) => toTokenFilter(splitFilterText(typed).tokens)

test.each([
  ['method:get', { methods: ['GET'] }],
  ['status:4xx status:503', { statuses: ['4', '503'] }],
  ['status:none', { statuses: ['none'] }],
  ['origin:panel -origin:lab', { origins: ['panel'], excluded: [{ origins: ['lab'] }] }],
  ['route:/notes/{noteid}', { template: '/notes/{noteid}' }],
  ['has:finding -has:finding', { hasFinding: true, excluded: [{ hasFinding: true }] }],
  ['larger:10kb slower:1.5s', { largerThanBytes: 10_000, slowerThanMs: 1_500 }],
  ['larger:10 slower:10ms', { largerThanBytes: 10, slowerThanMs: 10 }],
  ['last:1m', { lastMs: 60_000 }],
  ['last:1.5h -last:10s', { lastMs: 5_400_000, excluded: [{ lastMs: 10_000 }] }],
  ['-is:pinned', { excluded: [{ pinned: true }] }],
])('%s is understood', (typed, filter) => {
  expect(parse(typed)).toEqual(filter)
  expect(splitFilterText(typed)).toMatchObject({ text: '', incomplete: [] })
})

test('words are text, half typed tokens are neither', () => {
  expect(splitFilterText('a  b')).toEqual({ tokens: [], text: 'a  b', incomplete: [] })
  expect(splitFilterText('notes status:9xx x:y -origin: status:404 end')).toMatchObject({
    text: 'notes x:y end',
    incomplete: ['status:9xx', '-origin:'],
    tokens: [{ name: 'status', value: '404', isExcluded: false }],
  })
})

test('a time without its unit is half typed, and none is not a time', () => {
  expect(splitFilterText('last:5 last:0s last:m').incomplete).toEqual(['last:5', 'last:0s', 'last:m'])
})

test('the last time lists what began in it, and with a minus what began before it', () => {
  const time = fc.integer({ min: 1, max: 100_000 })
  const filters = fc.record({ lastMs: time, from: time }, { requiredKeys: [] })
  fc.assert(
    fc.property(filters, fc.option(time), time, time, (part, excludedMs, startedAt, now) => {
      const excluded = excludedMs === null ? {} : { excluded: [{ lastMs: excludedMs }] }
      const resolved = resolveRecentFilter({ ...part, ...excluded }, now)
      const { lastMs = now, from = 0 } = part
      const isRecent = (ms: number): boolean => startedAt >= now - ms
      expect(matchesFilter(createExchangeRow({ startedAt }), resolved, () => false)).toBe(
        isRecent(lastMs) && startedAt >= from && !(excludedMs !== null && isRecent(excludedMs)),
      )
      expect(getRecentMs(resolved)).toBeNull()
      expect(getRecentMs({ ...part, ...excluded })).toBe(
        part.lastMs === undefined ? excludedMs : Math.min(part.lastMs, excludedMs ?? Infinity),
      )
    }),
  )
})

test('any text gives a filter that the recorder accepts, and its tokens give it again', () => {
  const word = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.constantFrom('status', 'method', 'larger', 'slower', 'last', 'code', 'is', 'route'),
        fc.oneof(
          fc.constantFrom('4xx', '404', 'GET', '10kb', '1s', '1500ms', '0.333h', '1.001s', 'pinned'),
          fc.string({ maxLength: 8 }),
        ),
      )
      .map(([minus, name, value]) => `${minus}${name}:${value}`),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (words) => {
      const filter = parse(words.join(' '))
      expect(trafficFilterSchema.safeParse(filter).success).toBe(true)
      expect(parse(listFilterTokens(filter).map(formatFilterToken).join(' '))).toEqual(filter)
    }),
  )
})

test('an empty field offers every name, a name its values, and a minus stays', () => {
  const list = (typed: string) => listFilterSuggestions(typed).map(({ text }) => text)
  expect(list('')).toEqual(expect.arrayContaining(['method:', 'status:', 'origin:', 'route:', 'has:', 'larger:']))
  expect(list('notes -st')).toEqual(['-status:', '-state:'])
  expect(list('-status:4')).toEqual(['-status:4xx'])
  expect(list('-last:1')).toEqual(['-last:10s', '-last:1m', '-last:10m', '-last:1h'])
  expect(list('route:/writing/pencil').length).toBeGreaterThan(0)
  expect(list('nobody:x')).toEqual([])
})
