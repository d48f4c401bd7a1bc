import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSharingShapes } from '../../../electron/core/json/shared-shapes.ts'

const parse = (text: string): Record<string, unknown> | null =>
  parseSharingShapes({
    text: Buffer.from(text).toString('latin1'),
    listName: 'nodes',
    isDecidedByTypes: () => true,
    parse: (part) => JSON.parse(Buffer.from(part, 'latin1').toString()) as unknown,
  })

/** What a judge of types sees: names and JSON types, in order. */
const toTypes = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(toTypes)
    : typeof value === 'object' && value !== null
      ? Object.entries(value).map(([name, member]) => [name, toTypes(member)])
      : value === null
        ? 'null'
        : Number.isInteger(value) && Number(value) >= 0
          ? 'natural'
          : typeof value

describe('parseSharingShapes', () => {
  it('has one object for all entries of the same names and types', () => {
    const nodes = [
      { id: 'A', n: 1 },
      { id: '乙 "\\ \u0001', n: 25 },
      { id: null, n: 0 },
      { id: 'D', n: 7 },
    ]
    const value = parse(JSON.stringify({ before: { nodes: 'no' }, nodes, after: [{ x: 1 }] }))
    expect(value).toEqual({
      before: { nodes: 'no' },
      nodes: [nodes[0], nodes[0], nodes[2], nodes[0]],
      after: [{ x: 1 }],
    })
    const list = value?.['nodes'] as unknown[]
    expect(list[0]).toBe(list[3])
  })

  it.each([
    ['{"nodes":[]}'],
    ['{"nodes":[{"a":1},{"a":{}}]}'],
    ['{"nodes":[{"a":1} {"a":1}]}'],
    ['{"nodes":[{"a":1}]'],
    ['{"x":{"nodes":[{"a":1}]}}'],
    ['{"x":"\\"nodes\\":[{}]"}'],
    ['{"nodes":[{"a":1}],"nodes":[{"b":1}]}'],
    ['[1]'],
    [''],
  ])('gives up on %s', (text) => {
    expect(parse(text)).toBeNull()
  })

  it('never tells other names, types or counts than JSON.parse, and never accepts what that refuses', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    )
    const entry = fc.dictionary(fc.constantFrom('a', 'b', 'c"', '__proto__', 'd.*'), leaf, { maxKeys: 4 })
    const body = fc.record({ first: leaf, nodes: fc.array(entry, { minLength: 1, maxLength: 30 }), last: leaf })
    fc.assert(
      fc.property(
        body,
        fc.integer({ min: 0, max: 2 }),
        fc.nat(),
        fc.constantFrom('', ',', '"', '}', ']', '1', '\\'),
        (value, indent, place, noise) => {
          const wholeText = JSON.stringify(value, null, indent)
          const offset = place % (wholeText.length + 1)
          const text = noise === '' ? wholeText : wholeText.slice(0, offset) + noise + wholeText.slice(offset)
          const result = parse(text)
          if (result !== null) expect(toTypes(result)).toEqual(toTypes(JSON.parse(text)))
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
