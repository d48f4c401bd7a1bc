import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareCapabilities } from '../../../shared/bridge/capabilities.ts'
import {
  getEndpoint,
  getEndpointById,
  findEndpointById,
  endpoints,
  classifyRequest,
} from '../../../shared/bridge/endpoints/index.ts'
import { buildPath } from '../../../electron/services/bridge/client/request-path.ts'
import { AppError } from '../../../shared/errors.ts'

/** Every route that spec-0.91 lists by method and path, and those of observed-0.49. */
const documentedRoutes = `GET /study-sets/{topicid}/note-palette
GET /documents/{bookmd5}/excerpts
GET /documents/{bookmd5}/pages/{index}/content/{contentId}
GET /notes/{noteid}/content/{contentId}
POST /notes/batch-get
POST /notes/{noteid}/blank-bands
POST /notes/{noteid}/practice-verdict
POST /writing/session-focus-begin
POST /writing/session-reserve
POST /writing/session-pause
POST /writing/pencil-commit
POST /writing/pencil-result
GET /capabilities
GET /guide
GET /ui-state
GET /library/study-sets
GET /writing/context
GET /study-sets/{topicid}/documents
GET /study-sets/{topicid}/sub-maps
GET /search
GET /immersive/template
GET /documents/{bookmd5}/pages/{index}/parts
GET /notes/{noteid}/render
GET /bundles/{bundleId}/files
GET /status
GET /context
GET /study-sets/{topicid}/tree
GET /study-sets/{topicid}/hashtags
GET /study-sets/{topicid}/snapshots
GET /study-sets/{topicid}/notebooks
GET /documents/{bookmd5}/outline
GET /documents/{bookmd5}/pages
GET /documents/{bookmd5}/sync-status
GET /decks
GET /decks/{deckId}/cards
GET /bundles
GET /sync/legacy/status
GET /sync/legacy/events
POST /pair
POST /library/study-sets
POST /notes/move`.split('\n')

const catchErrorCode = (work: () => unknown): string | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof AppError ? error.code : String(error)
  }
}

describe('the endpoint table', () => {
  it('holds every route in the contract', () => {
    const table = new Set(endpoints.map(({ method, path }) => `${method} ${path}`))
    expect(documentedRoutes.filter((route) => !table.has(route))).toEqual([])
  })

  it('has each id and each route once, and no prototype member as an id', () => {
    expect(new Set(endpoints.map(({ id }) => id)).size).toBe(endpoints.length)
    expect(new Set(endpoints.map(({ method, path }) => `${method} ${path}`)).size).toBe(endpoints.length)
    expect(findEndpointById('__proto__')).toBeUndefined()
    expect(() => getEndpointById('nothing')).toThrow('no endpoint')
  })

  it('names every placeholder of a path as a required path parameter, in order', () => {
    for (const { id, path, parameters } of endpoints) {
      const placeholders = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1])
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      expect(
        inPath.map(({ name }) => name),
        id,
      ).toEqual(placeholders)
      expect(inPath.every(({ required }) => required)).toBe(true)
    }
  })

  it('reads back only through read rows, and entries only from a listing', () => {
    const touches = endpoints.flatMap(({ id, touches }) => touches.map((touch) => [id, touch] as const))
    expect(touches.length).toBeGreaterThan(0)
    for (const [id, { kind, from }] of touches) {
      const { access, response } = getEndpointById(from)
      expect(access, id).toBe('read')
      if (kind === 'entry') expect(response, id).toHaveProperty('list.member')
    }
    // A row with an effect needs a read to compare it with.
    expect(endpoints.filter(({ effect, touches }) => effect !== null && touches.length === 0)).toEqual([])
  })

  it('declares data kinds for every row that shows or changes data', () => {
    const idsWithoutDataKinds = endpoints
      .filter(({ dataKinds: concerns }) => concerns?.length === 0)
      .map(({ id }) => id)
    // These rows concern the host itself, its template, request ids, or files outside the
    // library.
    expect(idsWithoutDataKinds.sort()).toEqual([
      'capabilities.get',
      'documents.export',
      'guide.get',
      'immersive.template',
      'install.code',
      'install.get',
      'pair.post',
      'status.get',
      'studySets.printExport',
      'writing.pencilResult',
    ])
    const shownKinds = new Set(
      endpoints.flatMap(({ access, dataKinds: concerns }) => (access === 'read' ? (concerns ?? []) : [])),
    )
    const changedKinds = endpoints.flatMap(({ access, dataKinds: concerns }) =>
      access === 'read' ? [] : (concerns ?? []),
    )
    expect(changedKinds.filter((kind) => !shownKinds.has(kind))).toEqual([])
  })

  it('safety 40: every row and every unknown method is classified as read or not', () => {
    for (const row of endpoints) {
      expect(['read', 'write', 'navigate', 'task'], row.id).toContain(row.access)
      if (row.method === 'GET') expect(row.access, row.id).toBe(row.id === 'install.get' ? 'task' : 'read')
      const sample = row.path.replace(/\{[^}]+\}/g, 'X')
      expect(classifyRequest(row.method, sample).access, row.id).toBe(row.access)
    }
    const postReads = endpoints
      .filter(({ method, access }) => method === 'POST' && access === 'read')
      .map(({ id }) => id)
    expect(postReads).toEqual(['studySets.printPreview', 'documents.locate', 'notes.batchGet', 'writing.pencilResult'])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'MOVE', 'post', '']) {
      expect(classifyRequest(method, '/never/heard/of').access, method).toBe('write')
    }
    expect(classifyRequest('GET', '/never/heard/of').access).toBe('read')
  })

  it('prefers the row with the most literal path', () => {
    expect(classifyRequest('POST', '/notes/move').endpoint?.id).toBe('notes.move')
    expect(classifyRequest('POST', '/notes/ABC/title').endpoint?.id).toBe('notes.title')
    expect(classifyRequest('GET', '/study-sets/A%2FB/tree?limit=1').params).toEqual({ topicid: 'A/B' })
  })
})

describe('buildPath', () => {
  const tree = getEndpoint('studySets.tree')

  it('keeps every value inside its path segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (topicid) => {
        const errorCode = catchErrorCode(() => buildPath(tree, { topicid }))
        if (errorCode !== undefined) {
          expect(['PARAM_SEGMENT', 'PARAM_VALUE']).toContain(errorCode)
          return
        }
        const url = new URL(`http://h/bridge/v1${buildPath(tree, { topicid })}`)
        const parts = url.pathname.split('/')
        expect(parts.slice(0, 4)).toEqual(['', 'bridge', 'v1', 'study-sets'])
        expect(parts.length).toBe(6)
        expect(decodeURIComponent(parts[4] ?? '')).toBe(topicid)
        expect(url.search + url.hash).toBe('')
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['a missing parameter', () => buildPath(tree), 'PARAM_MISSING'],
    ['a placeholder', () => buildPath(tree, { topicid: '{topicid}' }), 'PARAM_MISSING'],
    ['a host’s placeholder', () => buildPath(tree, { topicid: '{id}' }, {}, '/maps/{id}'), 'PARAM_MISSING'],
    ['an empty parameter', () => buildPath(tree, { topicid: '' }), 'PARAM_MISSING'],
    ['two dots', () => buildPath(tree, { topicid: '..' }), 'PARAM_SEGMENT'],
    ['an unknown query parameter', () => buildPath(tree, { topicid: 'a' }, { token: 'x' }), 'PARAM_UNKNOWN'],
    ['an unknown path parameter', () => buildPath(tree, { topicid: 'a', other: 'x' }), 'PARAM_UNKNOWN'],
    ['a limit of 0', () => buildPath(tree, { topicid: 'a' }, { limit: 0 }), 'PARAM_RANGE'],
    ['a limit of 5001', () => buildPath(tree, { topicid: 'a' }, { limit: 5001 }), 'PARAM_RANGE'],
    ['a limit that is no whole number', () => buildPath(tree, { topicid: 'a' }, { limit: '1e3' }), 'PARAM_RANGE'],
    ['another sort', () => buildPath(tree, { topicid: 'a' }, { sort: 'title' }), 'PARAM_VALUE'],
    ['half a character', () => buildPath(tree, { topicid: '\ud800' }), 'PARAM_VALUE'],
    ['a required query parameter', () => buildPath(getEndpoint('search.get')), 'PARAM_MISSING'],
  ])('rejects %s with the code for it', (_name, work, expected) => {
    expect(catchErrorCode(work)).toBe(expected)
  })

  it('follows the template that the capabilities list', () => {
    expect(buildPath(tree, { topicid: 'A B' }, { limit: 10 }, '/study-sets/{id}/cards')).toBe(
      '/study-sets/A%20B/cards?limit=10',
    )
  })
})

describe('compareCapabilities', () => {
  const routes = endpoints.map(({ method, path }) => ({ method, path: path.replace(/\{(\w+)\}/g, '{id}') }))

  it('reports nothing missing if the host lists every route', () => {
    expect(compareCapabilities({ routes })).toEqual({
      pathOverrides: {},
      candidatePaths: {},
      unknownRoutes: [],
      missingRowIds: [],
    })
  })

  it('replaces the default path by another path of the card listing', () => {
    const other = routes.map((route) =>
      route.path.endsWith('/tree') ? { ...route, path: '/bridge/v1/study-sets/{id}/cards' } : route,
    )
    expect(compareCapabilities({ routes: other })).toEqual({
      pathOverrides: { 'studySets.tree': '/study-sets/{id}/cards' },
      candidatePaths: { 'studySets.tree': ['/study-sets/{id}/cards'] },
      unknownRoutes: [],
      missingRowIds: [],
    })
  })

  it('names unknown and missing routes', () => {
    const fewer = [...routes.filter(({ path }) => path !== '/decks'), { method: 'GET', path: '/new/{id}' }]
    const report = compareCapabilities({ routes: fewer })
    expect(report.unknownRoutes).toEqual([{ method: 'GET', path: '/new/{id}' }])
    expect(report.missingRowIds).toEqual(['decks.list', 'decks.create'])
  })
})
