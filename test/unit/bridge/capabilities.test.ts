import { describe, expect, it } from 'vitest'
import { compareCapabilities, findLayersName, findUnlistedReadIds } from '../../../shared/bridge/capabilities.ts'
import { getEndpoint, endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { buildPath } from '../../../electron/services/bridge/client/request-path.ts'

const withoutTree = endpoints
  .filter(({ id }) => id !== 'studySets.tree')
  .map(({ method, path }): { method: string; path: string } => ({ method, path }))

const compare = (...more: { method: string; path: string; [member: string]: unknown }[]) =>
  compareCapabilities({ routes: [...withoutTree, ...more] })

describe('path of the card listing, which the spec does not fix', () => {
  it.each([
    ['/study-sets/{id}/cards', '/study-sets/A%2FB/cards'],
    ['/study-sets/{topicid}/nodes', '/study-sets/A%2FB/nodes'],
    ['bridge/v1/study-sets/{id}/mind-map', '/study-sets/A%2FB/mind-map'],
    ['/bridge/v1/study-sets/:id/cards/', '/study-sets/A%2FB/cards'],
  ])('is recognized as %s', (path, expectedPath) => {
    const report = compare({ method: 'get', path })
    expect(report.missingRowIds).toEqual([])
    expect(report.unknownRoutes).toEqual([])
    const template = report.pathOverrides['studySets.tree']
    expect(buildPath(getEndpoint('studySets.tree'), { topicid: 'A/B' }, {}, template)).toBe(expectedPath)
  })

  it('ignores lookalike routes', () => {
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

  it('reports a write on the same path as unknown', () => {
    const write = { method: 'POST', path: '/study-sets/{id}/cards' }
    const report = compare({ method: 'GET', path: '/study-sets/{id}/cards' }, write)
    expect(report.pathOverrides['studySets.tree']).toBe('/study-sets/{id}/cards')
    expect(report.unknownRoutes).toEqual([write])
  })

  it('keeps the default path if the host lists it, whatever else it lists', () => {
    const report = compare(
      { method: 'GET', path: '/study-sets/{id}/tree' },
      { method: 'GET', path: '/study-sets/{id}/nodes' },
    )
    expect(report.pathOverrides).toEqual({})
    expect(report.unknownRoutes).toEqual([{ method: 'GET', path: '/study-sets/{id}/nodes' }])
  })
})

describe('card listing under an unknown name', () => {
  const parameterNames = ['root', 'limit', 'cursor', 'sort']
  const path = '/study-sets/{id}/outline-order'
  const getOverride = (...more: Parameters<typeof compare>) => compare(...more).pathOverrides['studySets.tree']

  it.each([
    ['a list of names', { path, query: parameterNames }],
    [
      'objects with names',
      { path, parameters: [{ name: 'id', in: 'path' }, ...parameterNames.map((name) => ({ name, in: 'query' }))] },
    ],
    [
      'an object by name',
      { path, params: Object.fromEntries(parameterNames.map((name) => [name, { type: 'string' }])) },
    ],
    ['query parameters apart from path parameters', { path, parameters: { path: ['id'], query: parameterNames } }],
    ['a query form', { path: `${path}{?root,limit,cursor,sort}` }],
    ['a query', { path: `${path}?root={root}&limit={limit}&cursor={cursor}` }],
  ])('is recognized by its parameters: %s', (_, route) => {
    const report = compare({ method: 'GET', ...route })
    expect(report.pathOverrides['studySets.tree']).toBe(path)
    expect(report.missingRowIds).toEqual([])
    expect(report.unknownRoutes).toEqual([])
  })

  it('ignores a route that takes only some of the parameters or has no place for the study set', () => {
    expect(getOverride({ method: 'GET', path, query: ['limit', 'cursor'] })).toBeUndefined()
    expect(getOverride({ method: 'GET', path: '/listing', query: parameterNames })).toBeUndefined()
    expect(getOverride({ method: 'GET', path: '/sets/{id}/x/{index}', query: parameterNames })).toBeUndefined()
    expect(getOverride({ method: 'GET', path: '/sets/{id}/../y', query: parameterNames })).toBeUndefined()
    expect(getOverride({ method: 'POST', path, query: parameterNames })).toBeUndefined()
  })

  it('offers several candidates, the one that takes most parameters first', () => {
    const report = compare(
      { method: 'GET', path: '/study-sets/{id}/cards' },
      { method: 'GET', path: '/study-sets/{id}/list', query: ['root', 'limit', 'cursor'] },
      { method: 'GET', path, query: parameterNames },
    )
    expect(report.candidatePaths['studySets.tree']).toEqual([path, '/study-sets/{id}/list', '/study-sets/{id}/cards'])
    expect(report.pathOverrides['studySets.tree']).toBe(path)
  })

  it('replaces the usual path if that is listed without paging', () => {
    const tree = { method: 'GET', path: '/study-sets/{id}/tree', query: ['root'] }
    expect(getOverride(tree)).toBeUndefined()
    expect(getOverride(tree, { method: 'GET', path, query: parameterNames })).toBe(path)
    expect(
      getOverride({ ...tree, query: parameterNames }, { method: 'GET', path, query: parameterNames }),
    ).toBeUndefined()
  })
})

describe('another row that only reads', () => {
  const routes = endpoints
    .filter(({ id }) => id !== 'search.get' && id !== 'notes.move')
    .map(({ method, path }): { method: string; path: string } => ({ method, path }))
  it('is offered as a candidate by its parameters, and not used without a decision', () => {
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

describe('the name of the parameter that selects a layer', () => {
  const path = '/notes/{id}/content/{part}'
  const values = ['composite', 'base']
  it.each<[string, object]>([
    ['an object with a name', { path, parameters: [{ name: 'maxEdge' }, { name: 'picture', values }] }],
    ['an object with a schema', { path, params: [{ name: 'picture', in: 'query', schema: { enum: values } }] }],
    ['an object by name', { path, query: { maxEdge: { max: 4096 }, picture: { allowed: values } } }],
    ['a list by name', { path, queryParameters: { picture: values } }],
    ['a text by name', { path, query: { picture: 'composite|base' } }],
    ['a description', { path, parameters: [{ name: 'picture', description: 'composite (default) or base' }] }],
    ['a query in the path', { path: `${path}?maxEdge={n}&picture=composite|base` }],
  ])('is found in %s', (_case, route) => {
    const routes = [{ method: 'GET', ...route } as { method: string; path: string }]
    expect(findLayersName(null, { routes })).toBe('picture')
  })

  it.each<[string, object]>([
    ['a route without parameters', { path, summary: 'composite or base' }],
    ['a parameter of the path', { path, parameters: [{ name: 'part', in: 'path', values }] }],
    ['a name that is none', { path, query: { 'a b': values } }],
    ['another route', { path: '/notes/{id}/render', query: { picture: values } }],
    ['a parameter with one of the values', { path, query: { picture: ['base', 'ink'] } }],
  ])('is not found in %s, so the paths of the card decide', (_case, route) => {
    const routes = [{ method: 'GET', ...route } as { method: string; path: string }]
    expect(findLayersName(null, { routes })).toBeNull()
    expect(findLayersName({ parts: [{ contentPath: '/x?variant=base' }] }, { routes })).toBe('variant')
  })
})

describe('reads that a host leaves out of its list', () => {
  const listed = [
    { method: 'GET', path: '/ui-state' },
    { method: 'GET', path: '/library/study-sets' },
    { method: 'GET', path: '/notes/batch-get' },
  ]

  it('are all others that are named by another path, but not what says which routes there are', () => {
    const ids = findUnlistedReadIds({ routes: [...listed, { method: 'GET', path: '/documents/{id}/excerpts' }] })
    expect(ids).toContain('status.get')
    expect(ids).toContain('search.get')
    for (const id of ['uiState.get', 'documents.excerpts', 'capabilities.get', 'guide.get', 'notes.title'])
      expect(ids).not.toContain(id)
    // A path may be listed without its method, which is then read as GET.
    expect(ids).not.toContain('notes.batchGet')
  })

  it('are none where a few paths are no list of routes, and where a path is recognized', () => {
    expect(findUnlistedReadIds({ routes: listed.slice(0, 2) })).toEqual(new Set())
    const routes = [...listed, { method: 'GET', path: '/documents/{id}/excerpts' }]
    expect(findUnlistedReadIds({ routes })).toContain('studySets.tree')
    expect(
      findUnlistedReadIds({ routes: [...routes, { method: 'GET', path: '/study-sets/{id}/cards' }] }),
    ).not.toContain('studySets.tree')
  })
})
