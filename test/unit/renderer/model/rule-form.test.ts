import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  toRuleForm,
  listJsonPointers,
  parseRuleForm,
  type RuleForm,
} from '../../../../renderer/model/panel/rule-form.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'

const identity = { id: 'r', on: true }
const base = { ...identity, name: 'Rule', match: { method: 'GET', path: '/notes' }, delayMs: 5 }

const BODY_CONDITIONS = [{ at: '/noteids/0', equals: 'N = 1' }, { at: '/confirm', equals: null }, { at: '/a~1b' }]

describe('the override rule form', () => {
  const responses: readonly OverrideRule['answer'][] = [
    {
      kind: 'change',
      changes: [
        { do: 'set', at: '/a', value: { b: [1, null] } },
        { do: 'remove', at: '/c' },
      ],
    },
    { kind: 'canned', status: 404, headers: [['X-A', 'b: c']], body: '{ "kept" : 1 }\n', base64: false },
    { kind: 'canned', status: 200, headers: [], body: 'AP8=', base64: true },
    { kind: 'fault', fault: 'hang' },
    { kind: 'fault', fault: 'rate-limit', retryAfterSeconds: 7 },
  ]
  test.each(responses)('returns the same rule unchanged: %j', (response) => {
    const rule: OverrideRule = {
      ...base,
      match: { ...base.match, query: { cursor: 'a = b' }, body: BODY_CONDITIONS, nth: 3 },
      answer: response,
    }
    expect(parseRuleForm(toRuleForm(rule), identity)).toEqual({ rule })
  })

  test('keeps any value exactly', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const exact: unknown = JSON.parse(JSON.stringify(value))
        fc.pre(!/\d{16,}|e[+-]/.test(JSON.stringify(value)))
        const rule = {
          ...base,
          answer: { kind: 'change' as const, changes: [{ do: 'set' as const, at: '', value: exact ?? null }] },
        }
        expect(parseRuleForm(toRuleForm(rule), identity)).toEqual({ rule })
      }),
    )
  })

  test.each<[Partial<RuleForm>, object]>([
    [{ path: 'notes' }, { field: 'path', reason: 'slash' }],
    [{ path: '/a?b' }, { field: 'path', reason: 'query' }],
    [{ path: '///' }, { field: 'path', reason: 'empty' }],
    [{ query: 'a=1\n=2' }, { field: 'query', reason: 'line', index: 2 }],
    [{ members: '/a\nb = 1' }, { field: 'members', reason: 'pointer', index: 2 }],
    [{ members: '/a = b' }, { field: 'members', reason: 'json', index: 1 }],
    [{ members: '/a = 12345678901234567890' }, { field: 'members', reason: 'inexact', index: 1 }],
    [
      { kind: 'canned', status: 100 },
      { field: 'status', reason: 'status' },
    ],
    [
      { kind: 'canned', headers: 'nothing' },
      { field: 'headers', reason: 'line', index: 1 },
    ],
    [
      { kind: 'canned', headers: 'X-A: b\nBad Name: x' },
      { field: 'headers', reason: 'name', index: 2 },
    ],
    [
      { kind: 'canned', headers: '\nX-A: 中' },
      { field: 'headers', reason: 'value', index: 2 },
    ],
    [
      { kind: 'canned', base64: true, body: 'abc' },
      { field: 'body', reason: 'base64' },
    ],
    [{ changes: [{ action: 'set', pointer: '/a', value: '' }] }, { field: 'value', reason: 'json', index: 0 }],
    [
      {
        changes: [
          { action: 'remove', pointer: '/a', value: '' },
          { action: 'remove', pointer: 'b', value: '' },
        ],
      },
      { field: 'pointer', reason: 'pointer', index: 1 },
    ],
  ])('reports what is wrong: %j', (change, problem) => {
    expect(parseRuleForm({ ...toRuleForm(null), path: '/a', ...change }, identity)).toMatchObject({ problem })
  })
})

test('listPointers returns the pointers of a response with their values', () => {
  expect(listJsonPointers({ 'a/b': [1, 2, 3], c: { 'd~': 'text' } }).map(({ value, label }) => [value, label])).toEqual(
    [
      ['/a~1b', '/a~1b  [3]'],
      ['/a~1b/0', '/a~1b/0  1'],
      ['/a~1b/1', '/a~1b/1  2'],
      ['/c', '/c  {…}'],
      ['/c/d~0', '/c/d~0  "text"'],
    ],
  )
})

test('formats a JSON body for editing, and keeps its bytes unless it was edited', () => {
  const canned = { kind: 'canned' as const, status: 200, headers: [], body: '{"a":1.0,"b":[2]}', base64: false }
  const rule = { ...base, answer: canned }
  const form = toRuleForm(rule)
  expect(form.body).toBe('{\n  "a": 1.0,\n  "b": [\n    2\n  ]\n}')
  expect(parseRuleForm(form, rule)).toEqual({ rule })
  expect(parseRuleForm({ ...form, body: '{}' }, rule)).toEqual({ rule: { ...rule, answer: { ...canned, body: '{}' } } })
})
