import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBoundedJson } from '../../../../electron/services/bridge/wire/bounded-json.ts'

const ample = { shallowDepth: 2, maxValues: 1_000_000, maxChars: 1_000_000, maxTextChars: 1_000_000, maxDepth: 1_000 }
const tight = { shallowDepth: 1, maxValues: 50, maxChars: 200, maxTextChars: 1_000, maxDepth: 5 }

/** Counts the values and characters in a value, and measures its depth. */
function measureValue(value: unknown): { values: number; characters: number; depth: number } {
  if (typeof value === 'string') return { values: 1, characters: value.length, depth: 0 }
  if (typeof value !== 'object' || value === null) return { values: 1, characters: 0, depth: 0 }
  const parts = Object.entries(value).map(([name, member]) => [name, measureValue(member)] as const)
  return {
    values: parts.reduce((sum, [, part]) => sum + part.values, 1),
    characters: parts.reduce((sum, [name, part]) => sum + name.length + part.characters, 0),
    depth: 1 + Math.max(0, ...parts.map(([, part]) => part.depth)),
  }
}

describe('bounded parse of JSON', () => {
  test('equals a complete parse within the budget', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'grapheme' }), fc.constantFrom(undefined, 2, '\t'), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), null, space)
        expect(parseBoundedJson(text, ample)).toEqual({ value: JSON.parse(text) as unknown, isTruncated: false })
      }),
      { numRuns: 500 },
    )
  })

  test('reports a truncated or empty text without throwing', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string(), (json, length, other) => {
        const fullText = `{"a":${json}}`
        expect(parseBoundedJson(fullText.slice(0, length % fullText.length), ample).isTruncated).toBe(true)
        expect(() => parseBoundedJson(other, tight)).not.toThrow()
      }),
      { numRuns: 500 },
    )
  })

  test('keeps the members before and after a flood', () => {
    const floods = {
      'small values': JSON.stringify(Array.from({ length: 100_000 }, (_, n) => n)),
      members: JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, n]))),
      depth: `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      'deep objects': `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
      text: JSON.stringify({ x: 'y'.repeat(500_000) }),
      lists: `[${'[],'.repeat(50_000)}0]`,
    }
    for (const flood of Object.values(floods)) {
      const { value, isTruncated } = parseBoundedJson(
        `{"code":"X","details":${flood},"message":"m","retryable":true}`,
        tight,
      )
      expect(isTruncated).toBe(true)
      expect(value).toMatchObject({ code: 'X', message: 'm', retryable: true })
      const { values, characters, depth } = measureValue(value)
      expect(values).toBeLessThan(320)
      expect(characters).toBeLessThan(1_600)
      // Deeper values are present but empty.
      expect(depth).toBeLessThanOrEqual(tight.maxDepth + 1)
    }
  })

  test('accepts a text that ends within an escape, and an unsafe name', () => {
    expect(parseBoundedJson('{"message":"a\\u00e', ample).value).toEqual({ message: 'a' })
    expect(parseBoundedJson('{"message":"a\\', ample).value).toEqual({ message: 'a' })
    const { value } = parseBoundedJson('{"__proto__":{"x":1},"code":"C"}', ample)
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"code":"C"}')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })
})
