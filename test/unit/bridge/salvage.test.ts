import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../../shared/bridge/response-reading.ts'
import { salvage } from '../../../shared/bridge/salvage.ts'
import { MAX_PROBLEMS } from '../../../shared/bridge/salvage-result.ts'
import { markPromised } from '../../../shared/bridge/resources/schema-plan.ts'

const row = z.looseObject({
  id: z.string(),
  title: z.string().nullable().optional(),
  count: z.number().optional(),
  tags: z.array(z.string()).optional(),
  at: z.union([z.string(), z.number()]).nullable().optional(),
  box: z.looseObject({ width: z.number(), note: z.string().optional() }).optional(),
})
const list = z.looseObject({ version: z.string().optional(), rows: z.array(row) })

describe('what fits', () => {
  test('as a whole is the value itself, unknown members included', () => {
    const value: unknown = JSON.parse('{"rows":[{"id":"a","novel":[1],"__proto__":{"x":1}}],"more":null}')
    const taken = salvage(list, value)
    expect(taken.value).toBe(value)
    expect(taken).toMatchObject({ problems: [], problemCount: 0, omittedEntryCount: 0 })
  })

  test('is kept next to what does not', () => {
    const good = { id: 'a', deep: { x: 1 } }
    const taken = salvage(list, { rows: [good, null, { id: 7 }, { id: 'b', title: 7, count: 2 }], more: 1 })
    expect(taken.value?.rows[0]).toBe(good)
    expect(taken.value).toEqual({ rows: [good, { id: 'b', count: 2 }], more: 1 })
    expect(taken.problems).toEqual([
      { path: '/rows/1', entry: '/rows/1', expected: 'object', actual: 'null' },
      { path: '/rows/2/id', entry: '/rows/2', expected: 'string', actual: 'number' },
      { path: '/rows/3/title', entry: null, expected: 'string | null', actual: 'number' },
    ])
    expect([taken.problemCount, taken.omittedEntryCount, taken.keptPositions.get('/rows')]).toEqual([3, 2, [0, 3]])
  })

  test('an object with a wrong required member is dropped as a whole, up to the nearest optional one', () => {
    const taken = salvage(list, { rows: [{ id: 'a', count: 'x', box: { width: 'wide', note: 2 } }] })
    expect(taken.value).toEqual({ rows: [{ id: 'a' }] })
    expect(taken.problems.map(({ path }) => path)).toEqual(['/rows/0/count', '/rows/0/box/width'])
  })

  test('problems of a dropped entry count as one', () => {
    const taken = salvage(list, { rows: [{ title: 7, count: 'x', tags: [1, 2], id: 0 }] })
    expect([taken.problemCount, taken.omittedEntryCount, taken.keptPositions.size]).toEqual([1, 1, 1])
  })

  test('nothing usable is no value, and the cause is named', () => {
    expect(salvage(list, { rows: 'x' })).toMatchObject({
      value: undefined,
      problems: [{ path: '/rows', entry: null, expected: 'array', actual: 'string' }],
      problemCount: 1,
    })
    expect(salvage(list, {}).problems).toMatchObject([{ path: '/rows', expected: 'array', actual: 'undefined' }])
    expect(salvage(list, null).problems).toMatchObject([{ path: '', expected: 'object', actual: 'null' }])
    expect(salvage(z.array(z.string()).min(2), ['a', 1]).value).toBeUndefined()
  })

  test('in a union is the option that fits, else the one that keeps most', () => {
    const either = z.union([
      z.looseObject({ a: z.array(z.number()) }),
      z.array(z.number()),
      z.looseObject({ b: z.number() }),
    ])
    expect(salvage(either, { b: 1 }).value).toEqual({ b: 1 })
    expect(salvage(either, [1, 'x', 2])).toMatchObject({ value: [1, 2], problemCount: 1 })
    expect(salvage(either, 'x')).toMatchObject({ value: undefined, problems: [{ expected: 'object | array' }] })
  })

  test('a promised member that is missing or wrong is a problem, and its object stays', () => {
    const schema = z.looseObject({ id: z.string(), total: markPromised(z.number()) })
    expect(salvage(schema, { id: 'a' })).toMatchObject({
      value: { id: 'a' },
      problems: [{ path: '/total', expected: 'number', actual: 'undefined' }],
    })
    expect(salvage(schema, { id: 'a', total: null })).toMatchObject({ value: { id: 'a' }, problemCount: 1 })
    expect(salvage(schema, { id: 'a', total: 1 })).toMatchObject({ value: { id: 'a', total: 1 }, problemCount: 0 })
  })

  test('pointers are escaped', () => {
    const schema = z.looseObject({ 'a/b~c': z.array(z.number()).optional() })
    expect(salvage(schema, { 'a/b~c': ['x'] }).problems[0]?.path).toBe('/a~1b~0c/0')
  })
})

/** Values that fit in some places: whole values decide, not single members. */
const member = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.jsonValue({ maxDepth: 2 }))
const someRow = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.dictionary(
      fc.constantFrom('id', 'title', 'count', 'tags', 'at', 'box', 'novel', '__proto__'),
      member,
    ),
  },
  { weight: 2, arbitrary: fc.record({ id: fc.string(), novel: fc.jsonValue({ maxDepth: 2 }) }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)

describe('whatever arrives', () => {
  test('the result passes the schema, good entries are unchanged and in order, and every loss is reported', () => {
    fc.assert(
      fc.property(fc.array(someRow), fc.jsonValue(), (rows, version) => {
        const sent = structuredClone({ rows, version })
        const {
          value,
          omittedEntryCount: left,
          keptPositions: kept,
          problemCount: total,
          conversions: readAs,
        } = salvage(list, { rows, version })
        expect(list.safeParse(value).success).toBe(true)
        expect((value?.rows.length ?? 0) + left).toBeGreaterThanOrEqual(rows.length)
        const places = kept.get('/rows') ?? rows.map((_, at) => at)
        expect(value?.rows.length).toBe(places.length)
        places.forEach((at, index) => {
          if (row.safeParse(rows[at]).success) expect(value?.rows[index]).toBe(rows[at])
          else expect(total + readAs.length).toBeGreaterThan(0)
        })
        rows.forEach((one, at) => {
          if (row.safeParse(one).success) expect(places).toContain(at)
        })
        expect({ rows, version }).toEqual(sent)
      }),
    )
  })

  const answers = endpoints.flatMap(({ id, response }) =>
    response.kind === 'json' ? [{ id, schema: response.schema }] : [],
  )
  test.each(answers)('safety 54: what is left of an answer of $id fits', ({ schema }) => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const taken = salvage(schema, value)
        if (taken.value === undefined) expect(taken.problems).toHaveLength(1)
        else expect(schema.safeParse(taken.value).success).toBe(true)
      }),
      { numRuns: 50 },
    )
  })
})

test('fifty thousand bad rows are visited once, and few of them are kept', () => {
  const rows = Array.from({ length: 50_000 }, (_, at) => ({ id: at % 2 === 0 ? `${at}` : at, title: 7 }))
  const { value, problems, problemCount: total, omittedEntryCount: left } = salvage(list, { rows })
  expect([value?.rows.length, total, left, problems.length]).toEqual([25_000, 50_000, 25_000, MAX_PROBLEMS])
})

test('a colour out of range is a problem, and stays as it was sent (spec §2)', () => {
  const value = (red: number, alpha = 1) => ({ hex: '#FF0000', rgba: { r: red, g: 0, b: 0, a: alpha } })
  const sent = { colors: [{ colorIndex: 0, baseColor: value(300), displayColor: value(255, -1) }] }
  const { value: read, problems, omittedEntryCount: left } = readResponse('studySets.palette', sent)
  expect(read?.colors).toEqual(sent.colors)
  expect(left).toBe(0)
  expect(problems.filter(({ outOfRange }) => outOfRange)).toEqual([
    { path: '/colors/0/baseColor/rgba/r', entry: null, expected: '0..255', actual: '300', outOfRange: true },
    { path: '/colors/0/displayColor/rgba/a', entry: null, expected: '0..1', actual: '-1', outOfRange: true },
  ])
})
