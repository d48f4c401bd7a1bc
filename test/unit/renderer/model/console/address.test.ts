import { describe, expect, test } from 'vitest'
import {
  getPathFields,
  parsePathValues,
  getInitialPath,
  setPathValue,
} from '../../../../../renderer/model/console/request-path.ts'
import { findUnfilledPlaceholders } from '../../../../../shared/bridge/endpoints/path-template.ts'
import {
  getCallAccess,
  listCallTargets,
  matchCallTarget,
  toCommandParameters,
} from '../../../../../shared/bridge/call-target.ts'
import type { Capabilities } from '../../../../../shared/bridge/resources/state.ts'

const host: Capabilities = {
  routes: [
    { method: 'GET', path: '/study-sets/{id}/tree' },
    { method: 'GET', path: '/notes/{id}', requiresMax: true },
    { method: 'GET', path: '/plugin/things/{name}?depth=2' },
    { method: 'POST', path: '/plugin/things' },
    { method: 'GET', path: '/plugin/locked', requiresMax: true },
    { method: 'GET', path: '../elsewhere' },
  ],
}
const all = listCallTargets(host)
const findTarget = (method: string, path: string) => {
  const match = matchCallTarget(method, path, all)
  if (!match) throw new Error(`nothing fits ${path}`)
  return match
}
const field = (method: string, path: string, name: string) => {
  const pathField = getPathFields(findTarget(method, path)).find((entry) => entry.name === name)
  if (!pathField) throw new Error(`no field ${name}`)
  return pathField
}

describe('call targets', () => {
  test('combine the endpoint table with the routes of the host', () => {
    const findById = (id: string) => all.find((entry) => entry.id === id)
    expect(findById('studySets.tree')).toMatchObject({ knownBy: 'both', path: '/study-sets/{topicid}/tree' })
    expect(findById('documents.excerpts')).toMatchObject({ knownBy: 'table' })
    expect(findById('listed GET /plugin/things/{name}')).toMatchObject({ knownBy: 'host', requiresMax: null })
    expect(findById('listed GET /plugin/locked')).toMatchObject({ knownBy: 'host', requiresMax: true })
    expect(all.some(({ path }) => path.includes('elsewhere'))).toBe(false)
    expect(all.some(({ row }) => row.returnsSecret || row.isUpload)).toBe(false)
    expect(new Set(listCallTargets(null).map(({ knownBy: knownFrom }) => knownFrom))).toEqual(new Set(['unread']))
  })

  test('need a subscription if the capabilities report it', () => {
    expect(findTarget('GET', '/notes/N1').target.requiresMax).toBe(true)
    expect(findTarget('GET', '/study-sets/S/tree').target.requiresMax).toBe(false)
  })

  test('are matched at a path that the user configured', () => {
    const moved = listCallTargets(host, { 'studySets.tree': '/maps/{id}/all' })
    expect(matchCallTarget('GET', '/maps/S1/all?limit=3', moved)).toMatchObject({
      target: { id: 'studySets.tree' },
      rawParameters: { topicid: 'S1' },
    })
  })

  test('are matched by the most literal path', () => {
    expect(findTarget('POST', '/notes/batch-get').target.id).toBe('notes.batchGet')
    expect(findTarget('GET', '/plugin/locked').target.id).toBe('listed GET /plugin/locked')
  })

  test.each([
    ['GET', '/nobody/knows', null, 'read'],
    ['HEAD', '/status', null, 'read'],
    ['POST', '/nobody/knows', '{}', 'write'],
    ['DELETE', '/status', null, 'write'],
    ['GET', '/plugin/locked', null, 'write'],
    ['GET', '/study-sets/S/tree', null, 'read'],
    ['POST', '/notes/batch-get', '{"noteIds":[]}', 'read'],
    ['POST', '/plugin/things', '{}', 'write'],
  ])('classify %s %s as a %s', (method, path, body, access) => {
    expect(getCallAccess(method, matchCallTarget(method, path, all), body)).toBe(access)
  })

  test('classify a read with the navigation member as navigation', () => {
    const row = all.find((entry) => entry.row.navigationMember !== null)
    if (!row) throw new Error('no row of that kind')
    const match = { target: row, rawParameters: {} }
    expect(getCallAccess(row.method, match, '{}')).toBe('read')
    expect(getCallAccess(row.method, match, `{"${row.row.navigationMember}" : true}`)).toBe('navigate')
  })
})

describe('the parameter form of a path', () => {
  test('shows the decoded values of the path, and none for a placeholder', () => {
    const path = '/study-sets/a%2Fb/tree?limit=5&limit=6&odd&cursor=%E5%8D%A1'
    expect(parsePathValues(findTarget('GET', path), path)).toMatchObject({ topicid: 'a/b', limit: '5', cursor: '卡' })
    const empty = getInitialPath(findTarget('GET', '/study-sets/{topicid}/tree').target)
    expect(empty).toBe('/study-sets/{topicid}/tree')
    expect(parsePathValues(findTarget('GET', empty), empty)).toEqual({ topicid: '' })
    expect(findUnfilledPlaceholders(empty)).toEqual(['topicid'])
    expect(findUnfilledPlaceholders('/study-sets/{{topicid}}/tree?x={y}')).toEqual([])
    // An id in braces is none.
    expect(findUnfilledPlaceholders('/study-sets/{6B29FC40-CA47}/tree')).toEqual([])
  })

  test('changes one value and leaves the rest as typed', () => {
    const path = '/study-sets/{topicid}/tree?odd&limit=05&x=a+b'
    const limit = field('GET', path, 'limit')
    expect(setPathValue(findTarget('GET', path), path, limit, '7')).toBe('/study-sets/{topicid}/tree?odd&limit=7&x=a+b')
    expect(setPathValue(findTarget('GET', path), path, limit, '')).toBe('/study-sets/{topicid}/tree?odd&x=a+b')
    const topic = field('GET', path, 'topicid')
    const filled = setPathValue(findTarget('GET', path), path, topic, 'S/1 卡')
    expect(filled).toBe('/study-sets/S%2F1%20%E5%8D%A1/tree?odd&limit=05&x=a+b')
    expect(setPathValue(findTarget('GET', filled), filled, topic, '')).toBe(path)
    expect(setPathValue(findTarget('GET', path), path, topic, '{{topicid}}')).toBe(
      '/study-sets/{{topicid}}/tree?odd&limit=05&x=a+b',
    )
  })

  test('starts with the listed query for a route that only the host lists, and accepts other parameters', () => {
    const { target: callable } = findTarget('GET', '/plugin/things/x')
    expect(getInitialPath(callable)).toBe('/plugin/things/{name}?depth=2')
    const path = '/plugin/things/x?depth=2&a=1&b=2'
    expect(parsePathValues(findTarget('GET', path), path)).toEqual({ name: 'x', depth: '2', '?': 'a=1\nb=2' })
    expect(setPathValue(findTarget('GET', path), path, field('GET', path, '?'), 'c=3&4\nd')).toBe(
      '/plugin/things/x?depth=2&c=3%264&d=',
    )
  })

  test('passes decoded values to the write gate, or none', () => {
    const path = '/study-sets/a%20b/tree?limit=5&cursor=x%26y'
    expect(toCommandParameters(findTarget('GET', path), path)).toEqual({
      params: { topicid: 'a b' },
      query: { limit: '5', cursor: 'x&y' },
    })
    for (const odd of ['/study-sets/S/tree?limit=5&limit=6', '/study-sets/S/tree?flag']) {
      expect(toCommandParameters(findTarget('GET', odd), odd)).toBeNull()
    }
  })
})
