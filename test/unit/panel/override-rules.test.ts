import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { applyChanges } from '../../../electron/services/panel/overrides/changed-response.ts'
import {
  createCallMatcher,
  createCountingMatcher,
  type CallConditions,
  toLiteralTemplate,
  findTemplateProblem,
} from '../../../shared/panel/call-match.ts'

function isMatchingCall(match: CallConditions, method: string, path: string): boolean {
  return createCallMatcher(match)({ method, path })
}

describe('createCallMatcher', () => {
  it.each([
    ['GET', '/notes/{noteid}', 'GET', '/notes/N1', true],
    ['GET', '/notes/{noteid}', 'GET', '/notes/N1?full=1', true],
    ['GET', '/notes/{noteid}', 'GET', '/notes/N1/render', false],
    ['GET', '/notes/{noteid}', 'GET', '/notes/', false],
    ['GET', '/notes/{noteid}', 'POST', '/notes/N1', false],
    ['get', '/notes', 'GET', '/notes', true],
    ['*', '/notes', 'DELETE', '/notes', true],
    ['*', '*', 'PATCH', '/anything/at?all', true],
    ['GET', '/notes/*', 'GET', '/notes/N1/render', true],
    ['GET', '/notes/*', 'GET', '/note', false],
    ['GET', '/study-sets/{id}/*', 'GET', '/study-sets/S/cards/1', true],
    ['GET', '/Notes', 'GET', '/notes', false],
    ['GET', '/a.b', 'GET', '/axb', false],
    ['GET', '/files/a b', 'GET', '/files/a%20b', true],
    ['GET', '/files/%61', 'GET', '/files/a', true],
    ['GET', '/files/a%2Fb', 'GET', '/files/a/b', false],
    ['GET', '/x%2A', 'GET', '/x*', true],
    ['GET', '/x%2A', 'GET', '/xy', false],
  ])('compares %s %s with %s %s: %s', (method, path, otherMethod, otherPath, expected) => {
    expect(isMatchingCall({ method, path }, otherMethod, otherPath)).toBe(expected)
  })

  it('requires the parameters of the rule, and allows others', () => {
    const match = { method: 'GET', path: '/cards', query: { cursor: 'a b', limit: '5' } }
    expect(isMatchingCall(match, 'GET', '/cards?limit=5&cursor=a%20b&sort=document')).toBe(true)
    expect(isMatchingCall(match, 'GET', '/cards?limit=5&limit=6&cursor=a+b')).toBe(true)
    expect(isMatchingCall(match, 'GET', '/cards?limit=6&cursor=a%20b')).toBe(false)
    expect(isMatchingCall(match, 'GET', '/cards')).toBe(false)
  })

  it('matches a literal path only with itself', () => {
    const segment = fc.string({ minLength: 1, unit: 'grapheme' }).map(encodeURIComponent)
    const anyPath = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`)
    fc.assert(
      fc.property(anyPath, anyPath, (path, other) => {
        const match = { method: 'GET', path: toLiteralTemplate(path) }
        expect(findTemplateProblem(match.path)).toBeNull()
        expect(isMatchingCall(match, 'GET', path)).toBe(true)
        expect(isMatchingCall(match, 'GET', other)).toBe(other === path)
      }),
    )
  })

  it('never matches an invalid template', () => {
    expect(isMatchingCall({ method: 'GET', path: '/{a}{b}{c}' }, 'GET', '/abc')).toBe(false)
    expect(isMatchingCall({ method: 'GET', path: '/\ud800' }, 'GET', '/%ud800')).toBe(false)
  })
})

describe('findTemplateProblem', () => {
  it.each([
    ['/notes/{noteid}', null],
    ['*', null],
    ['/notes/*', null],
    ['notes', 'slash'],
    ['', 'slash'],
    ['/notes?x=1', 'query'],
    ['/notes/{noteid', 'brace'],
    ['/notes/{}', 'brace'],
    ['/notes/{a}-{b}', 'two'],
    ['/notes/{a}/{b}', null],
  ])('returns for %s: %s', (template, expected) => {
    expect(findTemplateProblem(template)).toBe(expected)
  })
})

describe('applyChanges', () => {
  it('applies changes in order and reports the effect of each', () => {
    const text = '{"total": 10000000000000000000001, "items": [{"id": "a"}]}'
    expect(
      applyChanges(text, [
        { do: 'set', at: '/items/-', value: { id: 'b' } },
        { do: 'remove', at: '/items/0' },
        { do: 'set', at: '/items/0/id/deep', value: 1 },
        { do: 'set', at: '/truncated', value: true },
      ]),
    ).toEqual({
      text: '{"total": 10000000000000000000001, "items": [{"id":"b"}],"truncated":true}',
      applied: [
        { at: '/items/-', from: null, to: '{"id":"b"}', problem: null },
        { at: '/items/0', from: '{"id": "a"}', to: null, problem: null },
        { at: '/items/0/id/deep', from: null, to: '1', problem: { why: 'no-container', at: '/items/0/id' } },
        { at: '/truncated', from: null, to: 'true', problem: null },
      ],
    })
  })
})

describe('conditions on the body', () => {
  const createMatcher = (...body: { at: string; equals?: unknown }[]) => {
    const isMatch = createCallMatcher({ method: 'POST', path: '/notes', body })
    return (value: unknown): boolean => isMatch({ method: 'POST', path: '/notes', getBody: () => value })
  }
  test('compare a member as JSON, whatever the order of its members is', () => {
    const isMatch = createMatcher({ at: '/target', equals: { a: 1, b: [null] } })
    expect(isMatch({ target: { b: [null], a: 1 }, more: 1 })).toBe(true)
    expect(isMatch({ target: { a: 1, b: [null], c: 1 } })).toBe(false)
    expect(isMatch({ target: { a: '1', b: [null] } })).toBe(false)
    expect(isMatch(undefined)).toBe(false)
  })
  test('without a value, only the member must be there', () => {
    const isMatch = createMatcher({ at: '/a/0' }, { at: '/b', equals: null })
    expect(isMatch({ a: [false], b: null })).toBe(true)
    expect(isMatch({ a: [], b: null })).toBe(false)
    expect(isMatch({ a: [1] })).toBe(false)
    expect(isMatch({ toString: 1 })).toBe(false)
  })
  test('are left out where the body is unknown, and the body is not parsed for another path', () => {
    const isMatch = createCallMatcher({ method: 'POST', path: '/notes', body: [{ at: '/a' }] })
    expect(isMatch({ method: 'POST', path: '/notes' })).toBe(true)
    const getBody = (): never => {
      throw new Error('parsed')
    }
    expect(isMatch({ method: 'POST', path: '/decks', getBody })).toBe(false)
  })
})

test('the count of nth begins anew with each load, and calls of an earlier load do not count', () => {
  const isMatch = createCountingMatcher({ method: 'GET', path: '/notes', nth: 2 })
  const call = { method: 'GET', path: '/notes' }
  expect([isMatch(call, 1), isMatch({ ...call, path: '/decks' }, 1), isMatch(call, 1), isMatch(call, 1)]).toEqual([
    false,
    false,
    true,
    false,
  ])
  expect([isMatch(call, 2), isMatch(call, 1), isMatch(call, 2)]).toEqual([false, false, true])
})
