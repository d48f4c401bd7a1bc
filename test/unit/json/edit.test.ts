import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toPointer, getValueAtPointer } from '../../../shared/json/pointer.ts'
import { removeJsonValue, setJsonValue } from '../../../electron/core/json/text-edit.ts'

const textOf = (edited: ReturnType<typeof setJsonValue>): string => {
  if (!('text' in edited)) throw new Error(`refused: ${edited.problem}`)
  return edited.text
}

describe('setAt', () => {
  it('replaces a value and keeps all other text as written', () => {
    const text = '{ "id": 12345678901234567890,\n  "a": {"x": 1.0e3, "x": 2}, "é": "\\u00e9" }'
    expect(setJsonValue(text, '/a/x', '[3]')).toEqual({
      text: '{ "id": 12345678901234567890,\n  "a": {"x": 1.0e3, "x": [3]}, "é": "\\u00e9" }',
      before: '2',
    })
    expect(setJsonValue(text, '/id', '98765432109876543210')).toMatchObject({ before: '12345678901234567890' })
  })

  it.each([
    ['{}', '/a', '{"a":1}'],
    ['{ }', '/a', '{"a":1 }'],
    ['{"a": 2}', '/b', '{"a": 2,"b":1}'],
    ['[]', '/-', '[1]'],
    ['[]', '/0', '[1]'],
    ['[5]', '/-', '[5,1]'],
    ['[5]', '/1', '[5,1]'],
    ['[5, 6]', '/0', '[1, 6]'],
    ['{}', '/a/b/-/c', '{"a":{"b":[{"c":1}]}}'],
    ['{}', '/a/0/c', '{"a":[{"c":1}]}'],
    ['{"-": 2}', '/-', '{"-": 1}'],
    ['{"a/b": 0, "m~n": 0}', '/a~1b', '{"a/b": 1, "m~n": 0}'],
    ['{"a/b": 0, "m~n": 0}', '/m~0n', '{"a/b": 0, "m~n": 1}'],
    ['{"": {"": 0}}', '//', '{"": {"": 1}}'],
    ['"whole"', '', '1'],
  ])('changes %s at %s to %s', (text, pointer, expected) => {
    expect(textOf(setJsonValue(text, pointer, '1'))).toBe(expected)
  })

  it.each([
    ['{"a": 1}', 'a', 'pointer', ''],
    ['{"a": {"b": "text"}}', '/a/b/c', 'no-container', '/a/b'],
    ['{"a": null}', '/a/c', 'no-container', '/a'],
    ['[1]', '/x', 'no-index', ''],
    ['[1]', '/01', 'no-index', ''],
    ['{"l": [1]}', '/l/2', 'past-end', '/l'],
  ])('refuses in %s the pointer %s: %s', (text, pointer, problem, index) => {
    expect(setJsonValue(text, pointer, '1')).toEqual({ problem, reachedPointer: index })
  })

  it('sets exactly one value in any JSON', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.jsonValue(),
        fc.nat(),
        fc.constantFrom(undefined, 1, '\t'),
        (value, next, pick, space) => {
          const trails = trailsOf(value)
          const trail = trails[pick % trails.length] ?? []
          const edited: unknown = JSON.parse(
            textOf(setJsonValue(JSON.stringify(value, null, space), toPointer(trail), JSON.stringify(next))),
          )
          expect(edited).toEqual(JSON.parse(JSON.stringify(replaced(value, trail, next))))
        },
      ),
    )
  })
})

describe('removeAt', () => {
  it.each([
    ['{"a": 1, "b": 2, "c": 3}', '/a', '{"b": 2, "c": 3}'],
    ['{"a": 1, "b": 2, "c": 3}', '/b', '{"a": 1, "c": 3}'],
    ['{"a": 1, "b": 2, "c": 3}', '/c', '{"a": 1, "b": 2}'],
    ['{ "a": 1 }', '/a', '{  }'],
    ['{"a": 1, "a": 2}', '/a', '{}'],
    ['{"a": 1, "b": 0, "a": 2}', '/a', '{"b": 0}'],
    ['[1, 2]', '/1', '[1]'],
    ['[1, 2]', '/0', '[2]'],
    ['[1, 2]', '/7', '[1, 2]'],
    ['{"a": 1}', '/x/y', '{"a": 1}'],
    ['[1]', '', 'null'],
  ])('turns %s without %s into %s', (text, pointer, expected) => {
    expect(textOf(removeJsonValue(text, pointer))).toBe(expected)
  })

  it('returns the removed text, and reverts what setAt added', () => {
    expect(removeJsonValue('{"a": [1, {"b": 1e400}]}', '/a/1/b')).toEqual({ text: '{"a": [1, {}]}', before: '1e400' })
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (object, name, value) => {
        fc.pre(!Object.hasOwn(object, name))
        const text = JSON.stringify(object)
        const pointer = toPointer([name])
        const added = textOf(setJsonValue(text, pointer, JSON.stringify(value)))
        expect(getValueAtPointer(JSON.parse(added), pointer)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(textOf(removeJsonValue(added, pointer))).toBe(text)
      }),
    )
  })
})

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** Every path through a value, the empty one first. */
function trailsOf(value: unknown, trail: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [trail]
  return [trail, ...Object.entries(value).flatMap(([name, inner]) => trailsOf(inner, [...trail, name]))]
}

/** A value with another one at the end of a path. */
function replaced(value: unknown, [step, ...rest]: readonly string[], next: unknown): unknown {
  if (step === undefined) return next
  if (Array.isArray(value))
    return value.map((element: unknown, index) => (String(index) === step ? replaced(element, rest, next) : element))
  const entries = Object.entries(value as Record<string, Json>)
  return Object.fromEntries(entries.map(([name, inner]) => [name, name === step ? replaced(inner, rest, next) : inner]))
}
