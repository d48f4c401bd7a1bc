/** @module-tag slow */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ResponseStore, type ToolResult } from '../../../cli/mcp/response-store.ts'

const getJsonSize = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const getBody = ({ content, structuredContent = {} }: ToolResult) => {
  const [first] = content
  const text = first?.type === 'text' ? first.text : ''
  return { text, ...structuredContent } as Record<string, unknown> & { text: string }
}

/** Reads everything that a result leads to, in small results, and assembles the value. */
function collect(store: ResponseStore, result: ToolResult): unknown {
  expect(getJsonSize(result)).toBeLessThanOrEqual(40_000)
  const body = getBody(result)
  if (body['whole'] === true) return body['data']
  expect(JSON.parse(body.text)).toEqual(result.structuredContent)
  const id = String(body['answer'])
  const readAt = (pointer: string): unknown => collect(store, store.readPart(id, { pointer }))
  const rest = body['cursor'] === undefined ? null : store.readPart(id, { cursor: String(body['cursor']) })
  const following = rest === null ? null : collect(store, rest)
  if (body['range'] === 'characters') return `${String(body['data'])}${following === null ? '' : String(following)}`
  if (body['from'] === undefined) return body['data']
  const large = body['large'] as { pointer: string } | undefined
  const data = large === undefined ? (body['data'] as unknown[]) : [readAt(large.pointer)]
  if (body['summary'] !== true) return [...data, ...((following ?? []) as unknown[])]
  const members = (data as { name: string; value?: unknown; pointer?: string }[]).map(
    ({ name, value, pointer }) => [name, pointer === undefined ? value : readAt(pointer)] as const,
  )
  return { ...Object.fromEntries(members), ...((following ?? {}) as object) }
}

test('splits any response into results of 40 KB of valid JSON that lead to all of it', () => {
  const longText = fc.nat({ max: 30_000 }).map((length) => '“ü\u0001😀'.repeat(Math.ceil(length / 5)))
  const name = fc.string({ minLength: 1, maxLength: 5 }).filter((text) => text !== '__proto__')
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      longText,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 40 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 30, noNullPrototype: true }),
      fc.nat({ max: 4_000 }).map((length) => Array.from({ length }, (_, index) => ({ id: `N-${index}`, '/~': index }))),
    ),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      const store = new ResponseStore()
      expect(collect(store, store.createResult('x', JSON.stringify(value)))).toEqual(value)
    }),
    { numRuns: 15 },
  )
})

test('keeps numbers, repeated names and text that is no JSON as they came', () => {
  const store = new ResponseStore()
  const json = '{"a":12345678901234567890,"a":1.10, "b" : [ ]}'
  expect(getBody(store.createResult('x', json)).text).toBe(json)
  const longJson = `{"list":[${Array.from({ length: 9_000 }, () => '12345678901234567890').join(',')}]}`
  const page = getBody(store.createResult('x', longJson, { list: '/list' }))
  expect(page.text).toContain('12345678901234567890,12345678901234567890')
  const guide = '# Guide\n'.repeat(10_000)
  const first = store.createResult('guide', guide, { mimeType: 'text/plain' })
  expect(getBody(first)).toMatchObject({ whole: false, range: 'characters', from: 0, total: guide.length })
  expect(collect(store, first)).toBe(guide)
})

test('drops the oldest response when the space is used up, and refuses a response that never fits', () => {
  const store = new ResponseStore()
  const createJson = (size: number): string => JSON.stringify('x'.repeat(size))
  const first = String(getBody(store.createResult('x', createJson(40_000_000)))['answer'])
  const second = String(getBody(store.createResult('x', createJson(40_000_000)))['answer'])
  store.createResult('x', createJson(40_000_000))
  expect(() => store.getResponse(first)).toThrow('no longer kept')
  expect(store.getResponse(second).text).toHaveLength(40_000_002)
  expect(() => store.createResult('x', createJson(50_000_000))).toThrow('Ask for less')
})
