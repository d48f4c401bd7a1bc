import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../../shared/bridge/response-reading.ts'
import { salvage } from '../../../shared/bridge/salvage.ts'
import { MAX_DATA_PROBLEMS } from '../../../shared/bridge/salvage-result.ts'
import { declareMembers } from '../../../shared/bridge/resources/schema-plan.ts'

const row = z.looseObject({
  id: z.string(),
  title: z.string().nullable().optional(),
  count: z.number().optional(),
  tags: z.array(z.string()).optional(),
  at: z.union([z.string(), z.number()]).nullable().optional(),
  box: z.looseObject({ width: z.number(), note: z.string().optional() }).optional(),
})
const list = z.looseObject({ version: z.string().optional(), rows: z.array(row) })

describe('salvage', () => {
  test('returns a value that fits unchanged, unknown members included', () => {
    const value: unknown = JSON.parse('{"rows":[{"id":"a","novel":[1],"__proto__":{"x":1}}],"more":null}')
    const result = salvage(list, value)
    expect(result.value).toBe(value)
    expect(result).toMatchObject({ problems: [], problemCount: 0, omittedEntryCount: 0 })
  })

  test('keeps the entries that fit beside those that do not', () => {
    const good = { id: 'a', deep: { x: 1 } }
    const result = salvage(list, { rows: [good, null, { id: 7 }, { id: 'b', title: 7, count: 2 }], more: 1 })
    expect(result.value?.rows[0]).toBe(good)
    expect(result.value).toEqual({ rows: [good, { id: 'b', count: 2 }], more: 1 })
    expect(result.problems).toEqual([
      { path: '/rows/1', entry: '/rows/1', expected: 'object', actual: 'null', basis: 'observed' },
      { path: '/rows/2/id', entry: '/rows/2', expected: 'string', actual: 'number', basis: 'observed' },
      { path: '/rows/3/title', entry: null, expected: 'string | null', actual: 'number', basis: 'observed' },
    ])
    expect([result.problemCount, result.omittedEntryCount, result.keptPositions.get('/rows')]).toEqual([3, 2, [0, 3]])
  })

  test('holds against the host only what the spec states', () => {
    const row = declareMembers(
      z.looseObject({ id: z.string(), title: z.string().optional(), note: z.string().optional() }),
      {
        always: ['id'],
        sometimes: ['note'],
      },
    )
    const rows = [{ id: 'a', title: 7, note: 'n' }, { id: 'b', note: 7 }, { id: 8 }]
    const result = salvage(z.array(row), rows)
    expect(result.value).toEqual([{ id: 'a', note: 'n' }, { id: 'b' }])
    expect(result.problems.map(({ path, basis }) => [path, basis])).toEqual([
      ['/0/title', 'observed'],
      ['/1/note', 'spec'],
      ['/2/id', 'spec'],
    ])
    expect([result.problemCount, result.bindingProblemCount]).toEqual([3, 2])
  })

  test('lists problems that bind the host beside any number of others', () => {
    const row = declareMembers(z.looseObject({ id: z.string(), title: z.string().optional() }), { always: ['id'] })
    const rows = [...Array.from({ length: 300 }, () => ({ id: 'a', title: 7 })), { id: 7 }]
    const { problems, problemCount, bindingProblemCount } = salvage(z.array(row), rows)
    expect([problems.length, problemCount, bindingProblemCount]).toEqual([MAX_DATA_PROBLEMS + 1, 301, 1])
    expect(problems.at(-1)).toMatchObject({ path: '/300/id', basis: 'spec' })
  })

  test('drops an object with a wrong required member, up to the nearest optional one', () => {
    const result = salvage(list, { rows: [{ id: 'a', count: 'x', box: { width: 'wide', note: 2 } }] })
    expect(result.value).toEqual({ rows: [{ id: 'a' }] })
    expect(result.problems.map(({ path }) => path)).toEqual(['/rows/0/count', '/rows/0/box/width'])
  })

  test('counts the problems of a dropped entry as one', () => {
    const result = salvage(list, { rows: [{ title: 7, count: 'x', tags: [1, 2], id: 0 }] })
    expect([result.problemCount, result.omittedEntryCount, result.keptPositions.size]).toEqual([1, 1, 1])
  })

  test('returns no value if nothing is usable, and names the cause', () => {
    expect(salvage(list, { rows: 'x' })).toMatchObject({
      value: undefined,
      problems: [{ path: '/rows', entry: null, expected: 'array', actual: 'string' }],
      problemCount: 1,
    })
    expect(salvage(list, {}).problems).toMatchObject([{ path: '/rows', expected: 'array', actual: 'undefined' }])
    expect(salvage(list, null).problems).toMatchObject([{ path: '', expected: 'object', actual: 'null' }])
    expect(salvage(z.array(z.string()).min(2), ['a', 1]).value).toBeUndefined()
  })

  test('picks the option of a union that fits, or the one that keeps most', () => {
    const union = z.union([
      z.looseObject({ a: z.array(z.number()) }),
      z.array(z.number()),
      z.looseObject({ b: z.number() }),
    ])
    expect(salvage(union, { b: 1 }).value).toEqual({ b: 1 })
    expect(salvage(union, [1, 'x', 2])).toMatchObject({ value: [1, 2], problemCount: 1 })
    expect(salvage(union, 'x')).toMatchObject({ value: undefined, problems: [{ expected: 'object | array' }] })
  })

  test('keeps an object whose promised member is missing or wrong, and reports a problem', () => {
    const schema = declareMembers(z.looseObject({ id: z.string(), total: z.number().optional() }), {
      usually: ['total'],
    })
    expect(salvage(schema, { id: 'a' })).toMatchObject({
      value: { id: 'a' },
      problems: [{ path: '/total', expected: 'number', actual: 'undefined' }],
    })
    expect(salvage(schema, { id: 'a', total: null })).toMatchObject({ value: { id: 'a' }, problemCount: 1 })
    expect(salvage(schema, { id: 'a', total: 1 })).toMatchObject({ value: { id: 'a', total: 1 }, problemCount: 0 })
  })

  test('escapes pointers', () => {
    const schema = z.looseObject({ 'a/b~c': z.array(z.number()).optional() })
    expect(salvage(schema, { 'a/b~c': ['x'] }).problems[0]?.path).toBe('/a~1b~0c/0')
  })
})

/** Values that fit some members and not others. */
const anyMember = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.jsonValue({ maxDepth: 2 }))
const someRow = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.dictionary(
      fc.constantFrom('id', 'title', 'count', 'tags', 'at', 'box', 'novel', '__proto__'),
      anyMember,
    ),
  },
  { weight: 2, arbitrary: fc.record({ id: fc.string(), novel: fc.jsonValue({ maxDepth: 2 }) }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)

describe('salvage of any value', () => {
  test('passes the schema, keeps good entries in order, and reports every loss', () => {
    fc.assert(
      fc.property(fc.array(someRow), fc.jsonValue(), (rows, version) => {
        const original = structuredClone({ rows, version })
        const {
          value,
          omittedEntryCount: omittedCount,
          keptPositions,
          problemCount: total,
          conversions: readAs,
        } = salvage(list, { rows, version })
        expect(list.safeParse(value).success).toBe(true)
        expect((value?.rows.length ?? 0) + omittedCount).toBeGreaterThanOrEqual(rows.length)
        const positions = keptPositions.get('/rows') ?? rows.map((_, index) => index)
        expect(value?.rows.length).toBe(positions.length)
        positions.forEach((position, index) => {
          if (row.safeParse(rows[position]).success) expect(value?.rows[index]).toBe(rows[position])
          else expect(total + readAs.length).toBeGreaterThan(0)
        })
        rows.forEach((entry, position) => {
          if (row.safeParse(entry).success) expect(positions).toContain(position)
        })
        expect({ rows, version }).toEqual(original)
      }),
    )
  })

  const responseSchemas = endpoints.flatMap(({ id, response }) =>
    response.kind === 'json' ? [{ id, schema: response.schema }] : [],
  )
  test.each(responseSchemas)('safety 54: the rest of a response of $id fits its schema', ({ schema }) => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const result = salvage(schema, value)
        if (result.value === undefined) expect(result.problems).toHaveLength(1)
        else expect(schema.safeParse(result.value).success).toBe(true)
      }),
      { numRuns: 50 },
    )
  })
})

test('visits fifty thousand bad rows once, and keeps few problems', () => {
  const rows = Array.from({ length: 50_000 }, (_, index) => ({ id: index % 2 === 0 ? `${index}` : index, title: 7 }))
  const { value, problems, problemCount: total, omittedEntryCount: omittedCount } = salvage(list, { rows })
  expect([value?.rows.length, total, omittedCount, problems.length]).toEqual([
    25_000,
    50_000,
    25_000,
    MAX_DATA_PROBLEMS,
  ])
})

test('has nothing against a color out of the observed range, and leaves it as it was sent (spec §2)', () => {
  const toColor = (red: number) => ({ hex: '#FF0000', rgba: { r: red, g: 0, b: 0, a: 1 } })
  const response = { colors: [{ colorIndex: 0, baseColor: toColor(300), displayColor: toColor(-1) }] }
  const { value: read, problems, omittedEntryCount: omittedCount } = readResponse('studySets.palette', response)
  expect(read?.colors).toEqual(response.colors)
  expect(omittedCount).toBe(0)
  expect(problems.filter(({ path }) => path.includes('rgba'))).toEqual([])
})
