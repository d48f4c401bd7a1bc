import { describe, expect, test } from 'vitest'
import { listShapeRows } from '../../../../renderer/model/responses/shape-rows.ts'
import { createContractBundle } from '../../../../shared/contract/contract-schemas.ts'
import { dictionary, integer, list, object, text, union, word } from '../../contract/model-builders.ts'

const format = (rows: ReturnType<typeof listShapeRows>): readonly string[] =>
  rows.map(
    ({ pointer, name, recorded, contract, isOptional }) =>
      `${pointer} ${name}${isOptional ? '?' : ''}: ${recorded.map((type) => type.text).join(' | ')} / ${contract}`,
  )

describe('the places of a response', () => {
  test('are those of both models, those of the contract first', () => {
    const recorded = object({ 'b?': list(integer()), extra: text({ 'x-formats': ['uuid'] }), a: text() })
    const contract = object({ a: text(), b: list(union(integer(), text())), never: word('x', 'y') })
    expect(format(listShapeRows('Response', recorded, contract))).toEqual([
      ' Response: object / object',
      '/a a: string / string',
      '/b b?: list / list',
      '/b/* *: integer / integer | string',
      '/never never:  / "x" | "y"',
      '/extra extra: string (uuid) / ',
    ])
  })

  test('have a row for each shape that a member tells from the others', () => {
    const tagged = (value: string, members: Parameters<typeof object>[0]) =>
      object(members, { 'x-tag': { member: 'kind', value } })
    const recorded = list(
      union(tagged('text', { kind: word('text'), body: text() }), tagged('ink', { kind: word('ink') })),
    )
    const rows = listShapeRows('Response', recorded, null)
    expect(format(rows)).toEqual([
      ' Response: list / ',
      '/* *:  / ',
      '/* kind = "text": object / ',
      '/*/kind kind: "text" / ',
      '/*/body body: string / ',
      '/* kind = "ink": object / ',
      '/*/kind kind: "ink" / ',
    ])
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
    expect(rows.at(-1)?.parentKey).toBe('#/*/?kind = "ink"')
  })

  test('fold the keys of a dictionary', () => {
    expect(format(listShapeRows('Response', object({ byId: dictionary(integer()) }), null))).toEqual([
      ' Response: object / ',
      '/byId byId: dictionary / ',
      '/byId/{key} {key}: integer / ',
    ])
  })

  test('are known of every route of the contract, each with a key of its own', () => {
    for (const { template, response } of createContractBundle().routes) {
      const keys = listShapeRows('Response', null, response).map(({ key }) => key)
      expect([template, new Set(keys).size]).toEqual([template, keys.length])
    }
  })
})
