import { describe, expect, it } from 'vitest'
import { compareCapabilities } from '../../../shared/bridge/capabilities.ts'
import { getEndpoint, endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { buildPath } from '../../../electron/services/bridge/client/request-path.ts'

const withoutTree = endpoints
  .filter(({ id }) => id !== 'studySets.tree')
  .map(({ method, path }): { method: string; path: string } => ({ method, path }))

const compare = (...more: { method: string; path: string; [member: string]: unknown }[]) =>
  compareCapabilities({ routes: [...withoutTree, ...more] })

describe('the path of the card listing, which the spec does not give', () => {
  it.each([
    ['/study-sets/{id}/cards', '/study-sets/A%2FB/cards'],
    ['/study-sets/{topicid}/nodes', '/study-sets/A%2FB/nodes'],
    ['bridge/v1/study-sets/{id}/mind-map', '/study-sets/A%2FB/mind-map'],
    ['/bridge/v1/study-sets/:id/cards/', '/study-sets/A%2FB/cards'],
  ])('listed as %s', (path, asked) => {
    const report = compare({ method: 'get', path })
    expect(report.missingRowIds).toEqual([])
    expect(report.unknownRoutes).toEqual([])
    const template = report.pathOverrides['studySets.tree']
    expect(buildPath(getEndpoint('studySets.tree'), { topicid: 'A/B' }, {}, template)).toBe(asked)
  })

  it('is not replaced by a lookalike', () => {
    const others = [
      { method: 'POST', path: '/study-sets/{id}/cards' },
      { method: 'GET', path: '/study-sets/{id}/tree/{index}' },
      { method: 'GET', path: '/decks/{id}/tree' },
      { method: 'GET', path: '/study-sets/{id}/../../evil/tree' },
    ]
    const report = compare(...others)
    expect(report.pathOverrides).toEqual({})
    expect(report.missingRowIds).toEqual(['studySets.tree'])
    expect(report.unknownRoutes).toEqual(others)
  })

  it('a write on the same path stays unknown', () => {
    const write = { method: 'POST', path: '/study-sets/{id}/cards' }
    const report = compare({ method: 'GET', path: '/study-sets/{id}/cards' }, write)
    expect(report.pathOverrides['studySets.tree']).toBe('/study-sets/{id}/cards')
    expect(report.unknownRoutes).toEqual([write])
  })

  it('the default stays if the host lists it, whatever else it lists', () => {
    const report = compare(
      { method: 'GET', path: '/study-sets/{id}/tree' },
      { method: 'GET', path: '/study-sets/{id}/nodes' },
    )
    expect(report.pathOverrides).toEqual({})
    expect(report.unknownRoutes).toEqual([{ method: 'GET', path: '/study-sets/{id}/nodes' }])
  })
})

describe('a listing under a name that nobody knows', () => {
  const all = ['root', 'limit', 'cursor', 'sort']
  const path = '/study-sets/{id}/outline-order'
  const override = (...more: Parameters<typeof compare>) => compare(...more).pathOverrides['studySets.tree']

  it.each([
    ['a list of names', { path, query: all }],
    [
      'objects with names',
      { path, parameters: [{ name: 'id', in: 'path' }, ...all.map((name) => ({ name, in: 'query' }))] },
    ],
    ['an object by name', { path, params: Object.fromEntries(all.map((name) => [name, { type: 'string' }])) }],
    ['those of the query apart', { path, parameters: { path: ['id'], query: all } }],
    ['a query form', { path: `${path}{?root,limit,cursor,sort}` }],
    ['a query', { path: `${path}?root={root}&limit={limit}&cursor={cursor}` }],
  ])('is recognised by its parameters: %s', (_, route) => {
    const report = compare({ method: 'GET', ...route })
    expect(report.pathOverrides['studySets.tree']).toBe(path)
    expect(report.missingRowIds).toEqual([])
    expect(report.unknownRoutes).toEqual([])
  })

  it('is not a route that takes a part of them, or that has no place for the study set', () => {
    expect(override({ method: 'GET', path, query: ['limit', 'cursor'] })).toBeUndefined()
    expect(override({ method: 'GET', path: '/listing', query: all })).toBeUndefined()
    expect(override({ method: 'GET', path: '/sets/{id}/x/{index}', query: all })).toBeUndefined()
    expect(override({ method: 'GET', path: '/sets/{id}/../y', query: all })).toBeUndefined()
    expect(override({ method: 'POST', path, query: all })).toBeUndefined()
  })

  it('gives a choice where there are several, the one that takes more of them first', () => {
    const report = compare(
      { method: 'GET', path: '/study-sets/{id}/cards' },
      { method: 'GET', path: '/study-sets/{id}/list', query: ['root', 'limit', 'cursor'] },
      { method: 'GET', path, query: all },
    )
    expect(report.candidatePaths['studySets.tree']).toEqual([path, '/study-sets/{id}/list', '/study-sets/{id}/cards'])
    expect(report.pathOverrides['studySets.tree']).toBe(path)
  })

  it('is asked for by another path than the usual one where that is listed without pages', () => {
    const tree = { method: 'GET', path: '/study-sets/{id}/tree', query: ['root'] }
    expect(override(tree)).toBeUndefined()
    expect(override(tree, { method: 'GET', path, query: all })).toBe(path)
    expect(override({ ...tree, query: all }, { method: 'GET', path, query: all })).toBeUndefined()
  })
})

describe('another row that only reads', () => {
  const routes = endpoints
    .filter(({ id }) => id !== 'search.get' && id !== 'notes.move')
    .map(({ method, path }): { method: string; path: string } => ({ method, path }))
  it('is offered by its parameters, and not taken without being asked', () => {
    const report = compareCapabilities({
      routes: [
        ...routes,
        { method: 'GET', path: '/find', query: ['q', 'scope'] },
        { method: 'GET', path: '/x', query: ['q'] },
        { method: 'POST', path: '/notes/relocate', query: ['q', 'scope'] },
      ],
    })
    expect(report.candidatePaths).toEqual({ 'search.get': ['/find'] })
    expect(report.pathOverrides).toEqual({})
    expect(report.missingRowIds).toEqual(['search.get', 'notes.move'])
  })
})
