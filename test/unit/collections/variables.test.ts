import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillJsonVariables, fillPathVariables, findVariableNames } from '../../../shared/collections/variables.ts'

const textOf = (filled: ReturnType<typeof fillJsonVariables>): string => {
  if (!('text' in filled)) throw new Error(`missing ${filled.missing.join()}`)
  return filled.text
}

describe('request variables', () => {
  test('are written in double braces; a backslash keeps the braces', () => {
    expect(findVariableNames('/a/{{one}}?b={{two}}&c={{one}}&d=\\{{no}}&e={x}{{}}{{a b}}')).toEqual(['one', 'two'])
    expect(textOf(fillPathVariables('/x?d=\\{{no}}', {}))).toBe('/x?d={{no}}')
    expect(textOf(fillJsonVariables('{"a": "\\{{no}}"}', {}))).toBe('{"a": "{{no}}"}')
  })

  test('are reported if they have no value, even with the name of an inherited property', () => {
    expect(fillPathVariables('/{{a}}/{{toString}}', { a: '1' })).toEqual({ missing: ['toString'] })
    expect(fillJsonVariables('{{b}} "{{c}}"', { a: '1' })).toEqual({ missing: ['b', 'c'] })
  })

  test('never escape their path segment or parameter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const path = textOf(fillPathVariables('/a/{{v}}/b?q={{v}}&r=1', { v: value }))
        expect(path.split('/')).toHaveLength(4)
        const url = new URL(`http://h${path}`)
        expect(decodeURIComponent(path.split('/')[2] ?? '')).toBe(value)
        expect(url.searchParams.get('q')).toBe(value)
        expect(url.searchParams.get('r')).toBe('1')
      }),
    )
  })

  test('are escaped as text inside a JSON string, and not filled in twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const json = textOf(fillJsonVariables('{"a\\"{{v}}": ["x{{v}}y"], "b": 1}', { v: value }))
        expect(JSON.parse(json)).toEqual({ [`a"${value}`]: [`x${value}y`], b: 1 })
      }),
    )
    expect(textOf(fillJsonVariables('["{{a}}"]', { a: '{{b}}', b: 'no' }))).toBe('["{{b}}"]')
  })

  test.each([
    ['5', '[5]'],
    ['12345678901234567890', '[12345678901234567890]'],
    ['["x"]', '[["x"]]'],
    ['N-1', '["N-1"]'],
    ['', '[""]'],
    ['a"b', '["a\\"b"]'],
  ])('outside a JSON string turn %j into %s', (value, json) => {
    expect(textOf(fillJsonVariables('[{{v}}]', { v: value }))).toBe(json)
  })

  test('are filled in even if the text is not JSON', () => {
    expect(textOf(fillJsonVariables('{"a": "{{v}}', { v: 'x' }))).toBe('{"a": "x')
  })
})
