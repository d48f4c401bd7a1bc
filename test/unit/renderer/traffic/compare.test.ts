import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareJson, findIncreasingRun } from '../../../../shared/bridge/compare.ts'
import { compareBodies } from '../../../../renderer/workers/body-comparison.ts'

const kindsOf = (before: unknown, after: unknown): string[] =>
  compareJson(before, after).changes.map(
    ({ kind, pointerBefore: a, pointerAfter: b }) => `${kind} ${a ?? ''}>${b ?? ''}`,
  )
const bytesOf = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer

describe('a comparison of two bodies', () => {
  test('finds no difference if they are equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(compareJson(value, structuredClone(value)).total).toBe(0)
      }),
    )
  })

  test('finds a difference if they are not equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (entry, other) => {
        const sorted = (value: unknown): string => JSON.stringify(value, (_, inner: unknown) => ordered(inner))
        expect(compareJson(entry, other).total === 0).toBe(sorted(entry) === sorted(other))
      }),
    )
  })

  test('matches objects in lists by id, and distinguishes moved from changed', () => {
    const card = (noteid: string, title = noteid): object => ({ noteid, title })
    const before = { notes: [card('a'), card('b'), card('c'), card('d')] }
    const after = { notes: [card('d'), card('a'), card('b', 'B'), card('e')] }
    expect(kindsOf(before, after)).toEqual([
      'changed /notes/1/title>/notes/2/title',
      'moved /notes/3>/notes/0',
      'removed /notes/2>',
      'added >/notes/3',
    ])
    expect(compareJson(before, after).changes.find(({ kind }) => kind === 'moved')?.id).toBe('d')
  })

  test('distinguishes moved from changed for plain values in lists as well', () => {
    expect(kindsOf(['x', 'y', 'z'], ['y', 'z', 'x'])).toEqual(['moved /0>/2'])
    expect(kindsOf([1, 2, 3], [1, 9, 3])).toEqual(['changed /1>/1'])
  })

  test('treats names with a meaning in JavaScript like any other', () => {
    expect(kindsOf(JSON.parse('{"__proto__":1,"_t":"a"}'), JSON.parse('{"__proto__":2,"_t":"a"}'))).toEqual([
      'changed /__proto__>/__proto__',
    ])
    expect(kindsOf({ 'a/b': 1 }, { 'a~b': 1 })).toEqual(['removed /a~1b>', 'added >/a~0b'])
  })

  // How long that takes: test/bench.
  test('of 5 MB each is done entry by entry', () => {
    const list = (shift: number): object[] =>
      Array.from({ length: 20_000 }, (_, index) => ({
        noteid: `note-${(index + shift) % 20_000}`,
        title: 'A title of an ordinary length',
        text: 'x'.repeat(160),
        tags: ['one', 'two', index % 97 === 0 ? String(shift) : 'three'],
      }))
    const before = bytesOf(JSON.stringify({ notes: list(0) }))
    const after = bytesOf(JSON.stringify({ notes: list(700) }))
    expect(before.byteLength).toBeGreaterThan(5_000_000)
    const result = compareBodies({ before, after })
    expect(result.kind === 'json' && result.changes.filter(({ kind }) => kind === 'moved').length).toBe(700)
  })
})

test('numbers that a double cannot hold are compared exactly', () => {
  const result = compareBodies({ before: bytesOf('{"n":9007199254740993}'), after: bytesOf('{"n":9007199254740992}') })
  expect(result).toMatchObject({ kind: 'json', total: 1 })
})

test('a body that is not JSON is compared as text, and one that is not text as bytes', () => {
  expect(compareBodies({ before: bytesOf('# a'), after: bytesOf('# b') })).toEqual({
    kind: 'text',
    before: '# a',
    after: '# b',
  })
  const binary = new Uint8Array([0xff, 0xfe, 0]).buffer
  expect(compareBodies({ before: binary, after: binary.slice(0) })).toEqual({ kind: 'bytes', isSame: true })
})

test('a longest increasing run is increasing, and no other is longer', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat({ max: 50 }), { maxLength: 9 }), (numbers) => {
      const run = findIncreasingRun(numbers).map((place) => numbers[place] ?? 0)
      expect(run).toEqual([...run].sort((a, b) => a - b))
      const best = (index: number, last: number): number =>
        index === numbers.length
          ? 0
          : Math.max(best(index + 1, last), (numbers[index] ?? 0) > last ? 1 + best(index + 1, numbers[index] ?? 0) : 0)
      expect(run.length).toBe(best(0, -1))
    }),
  )
})

const ordered = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
