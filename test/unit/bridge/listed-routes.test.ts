import { expect, test } from 'vitest'
import { compareCapabilities } from '../../../shared/bridge/capabilities.ts'
import { findListedRoutes } from '../../../shared/bridge/listed-routes.ts'
import { readResponse } from '../../../shared/bridge/response-reading.ts'

const UI_STATE = { method: 'GET', path: '/ui-state' }
const COMMIT = { method: 'POST', path: '/writing/pencil-commit' }

test.each<[string, unknown]>([
  ['the list of the schema', { routes: [UI_STATE, COMMIT] }],
  ['another name of the list', { endpoints: [UI_STATE, COMMIT] }],
  ['the list itself', [UI_STATE, COMMIT]],
  ['texts', { routes: ['GET /ui-state', 'POST /writing/pencil-commit'] }],
  ['a map by route', { routes: { 'GET /ui-state': {}, 'POST /writing/pencil-commit': { confirm: true } } }],
  ['a map by method', { get: ['/ui-state'], post: ['/writing/pencil-commit'] }],
  ['a map from path to method', { routes: { '/ui-state': 'GET', '/writing/pencil-commit': ['POST'] } }],
  [
    'paths as in OpenAPI',
    { openapi: '3.1.0', paths: { '/ui-state': { get: {} }, '/writing/pencil-commit': { post: {} } } },
  ],
  [
    'groups',
    {
      groups: [
        { tag: 'state', items: [UI_STATE] },
        { tag: 'handwriting', items: [COMMIT] },
      ],
    },
  ],
  [
    'other member names',
    {
      api: [
        { verb: 'get', uri: '/ui-state' },
        { httpMethod: 'post', url: COMMIT.path },
      ],
    },
  ],
  [
    'whole addresses',
    [{ method: 'GET', url: 'http://127.0.0.1:1/bridge/v1/ui-state' }, 'POST /bridge/v1/writing/pencil-commit'],
  ],
  ['a wrapper', { data: { routes: [UI_STATE, COMMIT] } }],
])('finds routes in %s', (_shape, body) => {
  const { value } = readResponse('capabilities.get', body)
  const { missingRowIds, unknownRoutes } = compareCapabilities(value ?? { routes: [] })
  expect(unknownRoutes).toEqual([])
  expect(missingRowIds).not.toContain('uiState.get')
  expect(missingRowIds).not.toContain('writing.pencilCommit')
  expect(missingRowIds).toContain('search.get')
})

test.each<[unknown]>([[{}], [{ version: 3 }], [[]], [{ guide: { route: '/guide' } }], [{ limits: { maxEdge: 4096 } }]])(
  'knows nothing about the routes of a host that says only %j',
  (body) => {
    const { value } = readResponse('capabilities.get', body)
    expect(value?.routes).toEqual([])
    expect(compareCapabilities(value ?? { routes: [] }).missingRowIds).toEqual([])
  },
)

test('keeps what a host says about a route, and numbers beside the list', () => {
  const body = { endpoints: [{ ...COMMIT, requiresMax: true }], limits: { maxEdge: 99 } }
  expect(readResponse('capabilities.get', body).value).toMatchObject({
    routes: [{ ...COMMIT, requiresMax: true }],
    limits: { maxEdge: 99 },
  })
})

test('looks through hostile capabilities in bounded time', () => {
  let deep: unknown = UI_STATE
  for (let depth = 0; depth < 200; depth += 1) deep = [deep, deep]
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`/r${index}`, { get: {} }]))
  const startedAt = performance.now()
  expect(findListedRoutes([deep, wide]).length).toBeLessThanOrEqual(5_000)
  expect(findListedRoutes({ paths: wide })).toHaveLength(5_000)
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})
