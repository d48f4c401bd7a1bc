import { describe, expect, test } from 'vitest'
import { formatText } from '../../../../../renderer/model/json/json-formatter.ts'
import { parseJsonQuery, selectJson } from '../../../../../renderer/model/json/json-query.ts'

const text = `{
  "nodes": [
    {"noteid": "N1", "title": "a\\/b", "revision": 12345678901234567890, "inner": {"title": 1.0}},
    {"noteid": "N2", "title": "c", "title": "d", "a/b": {"x y": [true, null]}}
  ],
  "nodeTotal": 2
}`

function select(query: string, source = text): unknown {
  const parsed = parseJsonQuery(query)
  return parsed && selectJson(source, parsed).text
}

describe('a query of a JSON text', () => {
  test.each([
    ['/nodes/0/noteid', '"N1"'],
    ['/nodes/0/revision', '12345678901234567890'],
    ['/nodes/1/a~1b/x y/1', 'null'],
    ['$.nodes[0].title', '"a\\/b"'],
    ["$['nodes'][1]['a/b']", '{"x y": [true, null]}'],
    ['$["nodes"][1]["a/b"]["x y"][0]', 'true'],
    ['$.nodes[*].noteid', '["N1","N2"]'],
    ['$.nodes.*.noteid', '["N1","N2"]'],
    ['$..title', '["a\\/b",1.0,"c","d"]'],
    ['$..inner.title', '[1.0]'],
    ['$..[0]', '[{"noteid": "N1", "title": "a\\/b", "revision": 12345678901234567890, "inner": {"title": 1.0}},true]'],
    ['$', text],
    // A repeated name leads to each of its values.
    ['/nodes/1/title', '["c","d"]'],
    ['$.nodes[7]', ''],
    ['/nodeTotal/0', ''],
  ])('%s selects the values as they were sent', (query, expected) => {
    expect(select(query)).toBe(expected)
  })

  test.each(['', 'nodes', '/a~2', '$.', '$nodes', '$.[0]', '$..', '$[?(@.x)]', '$[0:2]', '$[-1]', "$['a'", '$.a b'])(
    '%j is no query',
    (query) => {
      expect(parseJsonQuery(query)).toBeNull()
    },
  )

  test('a text without a query, or with one that is not understood, stays whole', () => {
    const options = { isIndented: false, maxChars: 1_000 }
    expect(formatText(text, { ...options, query: '$[?x]' })).toEqual({
      text,
      isTruncated: false,
      sourceChars: text.length,
    })
    expect(formatText(text, { ...options, query: '/nodeTotal' })).toEqual({
      text: '2',
      isTruncated: false,
      sourceChars: 1,
      selection: { count: 1, isTruncated: false },
    })
    expect(formatText(text, { ...options, query: '/none' }).selection).toEqual({ count: 0, isTruncated: false })
  })

  test('matches are bounded in number and length, and a cut is said', () => {
    const anyEntry = parseJsonQuery('$[*]')
    const long = `[${'0,'.repeat(20_000)}0]`
    expect(anyEntry && selectJson(long, anyEntry)).toMatchObject({ matchCount: 10_000, isTruncated: true })
    // Each of these lists contains the next one.
    const deep = parseJsonQuery('$..*')
    const nested = '['.repeat(9_000) + ']'.repeat(9_000)
    const result = deep && selectJson(nested, deep)
    expect(result?.isTruncated).toBe(true)
    expect(result?.text.length).toBeLessThan(4_100_000)
  })

  test('too many steps are refused instead of being forgotten', () => {
    expect(parseJsonQuery(`$${'.a'.repeat(30)}`)?.steps).toHaveLength(30)
    expect(parseJsonQuery(`$${'.a'.repeat(31)}`)).toBeNull()
    expect(select(`$${'.a'.repeat(30)}`, '{"a":'.repeat(31) + '1' + '}'.repeat(31))).toBe('{"a":1}')
  })
})
