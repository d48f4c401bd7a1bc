import { describe, expect, test } from 'vitest'
import { formatAssertion, parseAssertions } from '../../../shared/collections/assertion.ts'
import {
  createValueAssertion,
  evaluateAssertions,
  expectsStatus,
  formatAssertionResult,
  type AssertedResponse,
} from '../../../shared/collections/assertion-result.ts'
import { matchesTextPattern } from '../../../shared/collections/text-pattern.ts'

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const response = (body: string | null, part: Partial<AssertedResponse> = {}): AssertedResponse => ({
  status: 200,
  durationMs: 40,
  endpointId: null,
  body: body === null ? null : toBytes(body),
  ...part,
})
const outcomes = (assertions: unknown, to: AssertedResponse, variables = {}) =>
  evaluateAssertions(assertions, variables, to).map(({ outcome }) => outcome)
const check = (assertion: unknown, to: AssertedResponse, variables = {}) => {
  const [result] = evaluateAssertions([assertion], variables, to)
  return [result?.outcome, result?.reason ?? result?.actual]
}

const body = `{"nodes": [{"title": "颈椎 C2", "count": 5, "big": 12345678901234567890}], "a/b": null, "flag": true}`

describe('assertions', () => {
  test('compare status, error code and duration', () => {
    expect(check({ kind: 'status', equals: 200 }, response(body))).toEqual(['passed', '200'])
    expect(check({ kind: 'status', equals: 200 }, response(body, { status: 404 }))).toEqual(['failed', '404'])
    const refused = response('{"error": {"code": "NOTE_NOT_FOUND", "message": "x"}}', { status: 404 })
    expect(check({ kind: 'error-code', equals: 'NOTE_NOT_FOUND' }, refused)).toEqual(['passed', 'NOTE_NOT_FOUND'])
    expect(check({ kind: 'error-code', equals: null }, refused)).toEqual(['failed', 'NOTE_NOT_FOUND'])
    expect(check({ kind: 'error-code', equals: null }, response(body))[0]).toBe('passed')
    expect(check({ kind: 'duration', maxMs: 40 }, response(body))).toEqual(['passed', '40 ms'])
    expect(check({ kind: 'duration', maxMs: 39 }, response(body))[0]).toBe('failed')
    expect(check({ kind: 'duration', maxMs: 39 }, response(body, { durationMs: null }))).toEqual([
      'not-evaluated',
      'no-duration',
    ])
  })

  test('compare values at pointers', () => {
    const cases: [unknown, string][] = [
      [{ kind: 'equals', pointer: '/nodes/0/title', value: '颈椎 C2' }, 'passed'],
      [{ kind: 'equals', pointer: '/nodes/0/title', value: '颈椎 C3' }, 'failed'],
      [{ kind: 'equals', pointer: '/a~1b', value: null }, 'passed'],
      [{ kind: 'equals', pointer: '/nodes/0/count', value: '5' }, 'failed'],
      [{ kind: 'matches', pointer: '/nodes/0/title', pattern: '颈椎*' }, 'passed'],
      [{ kind: 'matches', pointer: '/nodes/0/title', pattern: '颈椎' }, 'failed'],
      [{ kind: 'matches', pointer: '/nodes/0/big', pattern: '12345678901234567890' }, 'passed'],
      [{ kind: 'matches', pointer: '/nodes', pattern: '*' }, 'failed'],
      [{ kind: 'exists', pointer: '/nodes/0' }, 'passed'],
      [{ kind: 'exists', pointer: '/nodes/1' }, 'failed'],
      [{ kind: 'exists', pointer: '/nodes/1', exists: false }, 'passed'],
      [{ kind: 'type', pointer: '/nodes', type: 'array' }, 'passed'],
      [{ kind: 'type', pointer: '/flag', type: 'boolean' }, 'passed'],
      [{ kind: 'type', pointer: '/nodes/0/count', type: 'string' }, 'failed'],
      [{ kind: 'type', pointer: '/gone', type: 'null' }, 'failed'],
    ]
    for (const [assertion, outcome] of cases)
      expect([assertion, check(assertion, response(body))[0]]).toEqual([assertion, outcome])
  })

  test('compare objects whatever the order of their members, and lists in order', () => {
    const nested = response('{"o": {"b": [1, 2], "a": {}}}')
    expect(outcomes([{ kind: 'equals', pointer: '/o', value: { a: {}, b: [1, 2] } }], nested)).toEqual(['passed'])
    expect(outcomes([{ kind: 'equals', pointer: '/o', value: { a: {}, b: [2, 1] } }], nested)).toEqual(['failed'])
    expect(outcomes([{ kind: 'equals', pointer: '/o', value: { b: [1, 2] } }], nested)).toEqual(['failed'])
  })

  test('never pass for a number that would be rounded', () => {
    const assertion = { kind: 'equals', pointer: '/nodes/0/big', value: 12345678901234567000 }
    expect(check(assertion, response(body))).toEqual(['not-evaluated', 'inexact-number'])
  })

  test('are not evaluated where the body was not read whole', () => {
    const all = [
      { kind: 'status', equals: 200 },
      { kind: 'error-code', equals: null },
      { kind: 'equals', pointer: '', value: {} },
      { kind: 'exists', pointer: '/x', exists: false },
      { kind: 'schema' },
    ]
    expect(outcomes(all, response(null))).toEqual([
      'passed',
      'not-evaluated',
      'not-evaluated',
      'not-evaluated',
      'not-evaluated',
    ])
  })

  test('fail for a body that is not JSON', () => {
    expect(check({ kind: 'exists', pointer: '/x', exists: false }, response('<p>'))).toEqual(['failed', 'not-json'])
    expect(check({ kind: 'error-code', equals: null }, response('<p>'))).toEqual(['failed', 'not-json'])
    expect(check({ kind: 'error-code', equals: null }, response(''))[0]).toBe('passed')
  })

  test('compare a response with the contract of its endpoint', () => {
    const status = { endpointId: 'status.get' }
    const decks = { endpointId: 'decks.list' }
    expect(check({ kind: 'schema' }, response('{"decks": []}', decks))[0]).toBe('passed')
    expect(check({ kind: 'schema' }, response('{"decks": "none"}', decks))).toEqual(['not-evaluated', 'no-schema'])
    const palette = { endpointId: 'studySets.palette' }
    expect(check({ kind: 'schema' }, response('{"colors": "none"}', palette))[0]).toBe('failed')
    expect(check({ kind: 'schema' }, response('{}', { ...status, status: 500 }))).toEqual([
      'not-evaluated',
      'no-schema',
    ])
    expect(check({ kind: 'schema' }, response('{}'))).toEqual(['not-evaluated', 'no-schema'])
  })

  test('use variables, and are not evaluated without them', () => {
    const assertion = { kind: 'equals', pointer: '/nodes/0/title', value: '{{part}} C2' }
    expect(check(assertion, response(body), { part: '颈椎' })[0]).toBe('passed')
    expect(check(assertion, response(body))).toEqual(['not-evaluated', 'no-variable'])
    expect(check(assertion, response('{"nodes": [{"title": "\\"\\\\ C2"}]}'), { part: '"\\' })[0]).toBe('passed')
  })

  test('report entries that are no assertions, and evaluate the others', () => {
    const entries = [
      { kind: 'status', equals: 200 },
      { kind: 'matches', pointer: '/x', regex: '(a+)+$' },
      { kind: 'equals', pointer: 'nodes', value: 1 },
      { kind: 'nonsense' },
      null,
    ]
    expect(outcomes(entries, response(body))).toEqual(['passed', 'invalid', 'invalid', 'invalid', 'invalid'])
    const reasons = parseAssertions(entries).map((entry) => (entry.kind === 'invalid' ? entry.reason : null))
    expect(reasons[2]).toBe('pointer: not a JSON pointer')
    expect(reasons[3]).toContain('status, error-code')
    expect(parseAssertions('x')).toEqual([{ kind: 'invalid', json: '"x"', reason: 'the assertions are not a list' }])
    expect(parseAssertions(undefined)).toEqual([])
    expect(parseAssertions(Array.from({ length: 201 }, () => ({ kind: 'schema' })))[200]?.kind).toBe('invalid')
  })

  test('that expect a status or an error code allow an error response', () => {
    expect(expectsStatus([{ kind: 'schema' }, { kind: 'error-code', equals: 'X' }])).toBe(true)
    expect(expectsStatus([{ kind: 'schema' }, { kind: 'status' }])).toBe(false)
  })

  test('are written in one line each', () => {
    const [result] = evaluateAssertions([{ kind: 'status', equals: 200 }], {}, response(body, { status: 404 }))
    expect(result && formatAssertionResult(result)).toBe('status = 200 (is 404)')
    expect(parseAssertions([{ kind: 'equals', pointer: '', value: [1] }, 5]).map(formatAssertion)).toEqual([
      '(body) = [1]',
      '5',
    ])
  })
})

describe('the assertion of a value', () => {
  const create = (pointer: string, text = body) => createValueAssertion(toBytes(text), pointer)

  test.each(['/nodes/0/title', '/nodes/0/count', '/nodes/0/big', '/nodes', '/a~1b', '/flag', ''])(
    'passes for the response it was made from: %s',
    (pointer) => {
      const assertion = create(pointer)
      expect(assertion && outcomes([assertion], response(body))).toEqual(['passed'])
    },
  )

  test('keeps a number that would be rounded, and text that looks like a variable', () => {
    expect(create('/nodes/0/big')).toEqual({
      kind: 'matches',
      pointer: '/nodes/0/big',
      pattern: '12345678901234567890',
    })
    const text = '{"t": "{{a}} \\\\{{b}}"}'
    expect(outcomes([create('/t', text)], response(text), { a: '1' })).toEqual(['passed'])
  })

  test('only names the type of a long value, and is none where nothing is', () => {
    expect(create('/t', JSON.stringify({ t: 'x'.repeat(2000) }))).toEqual({
      kind: 'type',
      pointer: '/t',
      type: 'string',
    })
    expect(create('/gone')).toBeNull()
    expect(create('', '<p>')).toBeNull()
  })
})

describe('a text pattern', () => {
  test.each([
    ['*', '', true],
    ['a*c', 'abbc', true],
    ['a*c', 'abbd', false],
    ['?', '卡', true],
    ['?', '😀', true],
    ['?', '', false],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['*b*d', 'abcbd', true],
    ['', '', true],
    ['', 'a', false],
  ])('%s on %s: %s', (pattern, text, expected) => expect(matchesTextPattern(pattern, text)).toBe(expected))

  test('matches exactly an escaped text', () => {
    expect(matchesTextPattern('a\\*\\?\\\\', 'a*?\\')).toBe(true)
    expect(matchesTextPattern('a\\*\\?\\\\', 'ab?\\')).toBe(false)
  })

  test('takes no exponential time', () => {
    expect(matchesTextPattern(`${'*a'.repeat(250)}b`, 'a'.repeat(20_000))).toBe(false)
  })
})
