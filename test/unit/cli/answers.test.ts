import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ResponseStore, type ToolResult } from '../../../cli/mcp/response-store.ts'

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const bodyOf = ({ content, structuredContent = {} }: ToolResult) => {
  const [first] = content
  const text = first?.type === 'text' ? first.text : ''
  return { text, ...structuredContent } as Record<string, unknown> & { text: string }
}

/** Everything that can be reached from a result, in small results, put together again. */
function collect(answers: ResponseStore, result: ToolResult): unknown {
  expect(sizeOf(result)).toBeLessThanOrEqual(40_000)
  const body = bodyOf(result)
  if (body['whole'] === true) return body['data']
  expect(JSON.parse(body.text)).toEqual(result.structuredContent)
  const answer = String(body['answer'])
  const at = (pointer: string): unknown => collect(answers, answers.readPart(answer, { pointer }))
  const rest = body['cursor'] === undefined ? null : answers.readPart(answer, { cursor: String(body['cursor']) })
  const following = rest === null ? null : collect(answers, rest)
  if (body['range'] === 'characters') return `${String(body['data'])}${following === null ? '' : String(following)}`
  if (body['from'] === undefined) return body['data']
  const large = body['large'] as { pointer: string } | undefined
  const data = large === undefined ? (body['data'] as unknown[]) : [at(large.pointer)]
  if (body['summary'] !== true) return [...data, ...((following ?? []) as unknown[])]
  const members = (data as { name: string; value?: unknown; pointer?: string }[]).map(
    ({ name, value, pointer }) => [name, pointer === undefined ? value : at(pointer)] as const,
  )
  return { ...Object.fromEntries(members), ...((following ?? {}) as object) }
}

test('whatever an answer holds, it comes in results of 40 KB that are whole JSON, and all of it can be read', () => {
  const long = fc.nat({ max: 30_000 }).map((length) => '“ü\u0001😀'.repeat(Math.ceil(length / 5)))
  const name = fc.string({ minLength: 1, maxLength: 5 }).filter((text) => text !== '__proto__')
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      long,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 40 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 30, noNullPrototype: true }),
      fc.nat({ max: 4_000 }).map((length) => Array.from({ length }, (_, index) => ({ id: `N-${index}`, '/~': index }))),
    ),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      const answers = new ResponseStore()
      expect(collect(answers, answers.createResult('x', JSON.stringify(value)))).toEqual(value)
    }),
    { numRuns: 15 },
  )
})

test('numbers, repeated names and text that is no JSON stay as they came', () => {
  const answers = new ResponseStore()
  const odd = '{"a":12345678901234567890,"a":1.10, "b" : [ ]}'
  expect(bodyOf(answers.createResult('x', odd)).text).toBe(odd)
  const many = `{"list":[${Array.from({ length: 9_000 }, () => '12345678901234567890').join(',')}]}`
  const page = bodyOf(answers.createResult('x', many, { list: '/list' }))
  expect(page.text).toContain('12345678901234567890,12345678901234567890')
  const guide = '# Guide\n'.repeat(10_000)
  const first = answers.createResult('guide', guide, { mimeType: 'text/plain' })
  expect(bodyOf(first)).toMatchObject({ whole: false, range: 'characters', from: 0, total: guide.length })
  expect(collect(answers, first)).toBe(guide)
})

test('what no longer fits is dropped, oldest first, and what never fits is refused', () => {
  const answers = new ResponseStore()
  const of = (size: number): string => JSON.stringify('x'.repeat(size))
  const first = String(bodyOf(answers.createResult('x', of(40_000_000)))['answer'])
  const second = String(bodyOf(answers.createResult('x', of(40_000_000)))['answer'])
  answers.createResult('x', of(40_000_000))
  expect(() => answers.getResponse(first)).toThrow('no longer kept')
  expect(answers.getResponse(second).text).toHaveLength(40_000_002)
  expect(() => answers.createResult('x', of(50_000_000))).toThrow('Ask for less')
})
