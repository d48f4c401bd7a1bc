import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  getExchangePath,
  parseTrafficFilterQuery,
  toTrafficFilterQuery,
  getExchangesWithIdPath,
  omitUndefined,
  parseSortQuery,
  toSortQuery,
  defaultTrafficSort,
} from '../../../../renderer/model/traffic/traffic-query.ts'
import { exchangeStates, originKinds } from '../../../../shared/traffic/exchange.ts'
import { statusClasses, trafficFilterSchema, trafficSortColumns } from '../../../../shared/traffic/traffic-filter.ts'

/**
 * Of a member that may be a list: in the order of the contract, because that is how an address is
 * read.
 */
const some = <T>(all: readonly T[]) => fc.subarray([...all], { minLength: 1 })
const text = fc.string({ minLength: 1, maxLength: 40 })
const filters = fc.record(
  {
    text,
    inBodies: fc.constant(true),
    methods: some(['GET', 'POST', 'DELETE']),
    template: text,
    statuses: some([...statusClasses, '404', '503']),
    states: some(exchangeStates),
    code: text,
    origins: some(originKinds),
    id: text,
    slowerThanMs: fc.nat(),
    largerThanBytes: fc.nat(),
    lastMs: fc.integer({ min: 1 }),
    from: fc.nat(),
    to: fc.nat(),
    host: text,
    pinned: fc.constant(true),
    hasFinding: fc.constant(true),
    excluded: some([
      { methods: ['GET'] },
      { statuses: ['404'] },
      { template: '/notes/{noteid}' },
      { hasFinding: true },
      { lastMs: 60_000 },
    ]),
    heartbeats: fc.constant(true),
    thisRun: fc.constant(true),
  },
  { requiredKeys: [] },
)

test('any filter survives conversion to a query and back', () => {
  fc.assert(
    fc.property(filters, (filter) => {
      const address = new URLSearchParams(omitUndefined(toTrafficFilterQuery(filter)))
      expect(parseTrafficFilterQuery(Object.fromEntries(new URLSearchParams(address.toString())))).toEqual(filter)
    }),
  )
})

test('any query is parsed into a filter that the recorder accepts', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...Object.keys(toTrafficFilterQuery({}))), fc.string({ maxLength: 600 })),
      (query) => {
        expect(trafficFilterSchema.safeParse(parseTrafficFilterQuery(query)).success).toBe(true)
      },
    ),
  )
})

test('a filter text that is too long is truncated to the part that is shown', () => {
  const long = 'x'.repeat(5_000)
  expect(parseTrafficFilterQuery({ q: long, id: long, code: long })).toEqual({
    thisRun: true,
    text: 'x'.repeat(400),
    id: 'x'.repeat(400),
    code: 'x'.repeat(200),
  })
})

test('a query without a filter selects the current run', () => {
  expect(parseTrafficFilterQuery({})).toEqual({ thisRun: true })
  expect(parseTrafficFilterQuery({ earlier: '1', status: '4,9,5', slower: 'soon' })).toEqual({ statuses: ['4', '5'] })
})

test.each(trafficSortColumns.flatMap((by) => [true, false].map((descending) => ({ by, descending }))))(
  'the order %o survives conversion to a query and back',
  (sort) => {
    expect(parseSortQuery(omitUndefined({ sort: toSortQuery(sort) }))).toEqual(sort)
  },
)

test('the default order is omitted from the query', () => {
  expect(toSortQuery(defaultTrafficSort)).toBeUndefined()
  expect(parseSortQuery({ sort: 'nonsense' })).toEqual(defaultTrafficSort)
})

test('an id links to its exchanges in any run, and an exchange to itself', () => {
  expect(
    parseTrafficFilterQuery(Object.fromEntries(new URLSearchParams(getExchangesWithIdPath('a b&c').split('?')[1]))),
  ).toEqual({
    id: 'a b&c',
  })
  expect(getExchangePath('a/b')).toBe('/traffic/a%2Fb')
})
