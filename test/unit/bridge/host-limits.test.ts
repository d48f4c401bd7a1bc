import { describe, expect, test } from 'vitest'
import { getEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { getLimit, readHostLimits, applyHostLimits } from '../../../shared/bridge/host-limits.ts'
import type { Capabilities } from '../../../shared/bridge/resources/state.ts'
import { buildCapabilities } from '../../../electron/demo-host/state/capabilities.ts'
import type { DemoState } from '../../../electron/demo-host/state/context.ts'
import { getMember } from '../../../shared/json/object.ts'
import { startAlteringHost } from '../../support/hosts/altering-host.ts'
import { createConnectionFlags, runCommandLine } from '../../support/program/command-line.ts'
import { startComposedApp } from '../../support/program/composed-app.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'

const routes: Capabilities['routes'] = [{ method: 'GET', path: '/study-sets/{id}/tree' }]
const readLimits = (more: object) => readHostLimits({ routes, ...more })
const readMax = (more: object, id: string, name: string) => getLimit(readLimits(more), id, name).max

describe('limit in the capabilities, found by its meaning (spec §8)', () => {
  test.each<[string, object]>([
    ['limits.maxNoteIds', { limits: { maxNoteIds: 30 } }],
    ['limits.noteIds.max', { limits: { noteIds: { min: 1, max: 30 } } }],
    ['limits.noteMetadata.maxNoteIds', { limits: { noteMetadata: { maxNoteIds: 30 } } }],
    ['noteMetadata.maxNoteIds', { noteMetadata: { maxNoteIds: 30 } }],
    ['limits.batchGet.maxItems', { limits: { batchGet: { maxItems: 30 } } }],
    ['limits.batch_size', { limits: { batch_size: 30 } }],
    ['limits.batchGet.noteIds', { limits: { batchGet: { noteIds: 30 } } }],
    ['noteBatch.maxIds', { noteBatch: { maxIds: 30 } }],
  ])('reads %s as the number of cards per request', (_, more) => {
    expect(readMax(more, 'notes.batchGet', 'noteIds')).toBe(30)
  })

  test.each<[string, object]>([
    ['limits.tree.limit.max', { limits: { tree: { limit: { min: 1, max: 700, default: 500 } } } }],
    ['limits.tree.maxPageSize', { limits: { tree: { maxPageSize: 700 } } }],
    ['limits.treeLimit', { limits: { treeLimit: 700 } }],
    ['limits.pageSize', { limits: { pageSize: 700 } }],
    ['tree.maxNodes', { tree: { maxNodes: 700 } }],
    ['limits.tree', { limits: { tree: [1, 700] } }],
    ['parameters[].max', { routes: [{ ...routes[0], parameters: [{ name: 'limit', in: 'query', max: 700 }] }] }],
    ['parameters.limit', { routes: [{ ...routes[0], query: { limit: { min: 1, max: 700 } } }] }],
    ['schema.maximum', { routes: [{ ...routes[0], parameters: [{ name: 'limit', schema: { maximum: 700 } }] }] }],
  ])('reads %s as the page size of the listing', (_, more) => {
    expect(readMax(more, 'studySets.tree', 'limit')).toBe(700)
  })

  test('applies an edge to both image routes, unless it names one', () => {
    const edgeLimits = readLimits({ limits: { images: { maxEdge: { min: 32, max: 8192, default: 1024 } } } })
    for (const id of ['notes.content', 'documents.pageContent'])
      expect(getLimit(edgeLimits, id, 'maxEdge')).toMatchObject({ min: 32, max: 8192, default: 1024 })
    const pages = { limits: { maxEdge: 2000, pages: { maxEdge: 1000 } } }
    expect(readMax(pages, 'documents.pageContent', 'maxEdge')).toBe(1000)
    expect(readMax(pages, 'notes.content', 'maxEdge')).toBe(2000)
  })

  test('ignores numbers that are no limit of a parameter', () => {
    const more = {
      limits: { walkLimit: 9, treeWalkLimit: 9, excerptLimit: 9, treeDepth: 9, decks: { cards: { limit: 9 } } },
      noteMetadata: { colorIndex: { min: 0, max: 15 }, fillIndex: [-1, 0, 1, 2] },
      mindMapPrint: { densityValue: { min: 0, max: 1 } },
    }
    const { limits, stated } = readLimits(more)
    expect(limits).toEqual(readHostLimits(null).limits)
    expect(stated.every(({ appliesTo }) => appliesTo.length === 0)).toBe(true)
    expect(stated.map(({ pointer, values }) => [pointer, values.length])).toContainEqual(['/noteMetadata/fillIndex', 4])
    expect(stated).toHaveLength(10)
  })

  test('ignores a number that is no valid bound', () => {
    for (const value of [0, -1, 1.5, 1e300])
      expect(readMax({ limits: { maxNoteIds: value } }, 'notes.batchGet', 'noteIds')).toBe(200)
    expect(readMax({ limits: { maxNoteIds: '30' } }, 'notes.batchGet', 'noteIds')).toBe(200)
  })
})

test('prefers the description of the route, then the more specific name, then the stricter limit', () => {
  const route = { method: 'POST', path: '/notes/batch-get', parameters: { noteIds: { maxItems: 10 } } }
  const general = { limits: { maxNoteIds: 5 }, noteMetadata: { maxNoteIds: 50 } }
  const limits = readLimits({ routes: [route], ...general })
  expect(getLimit(limits, 'notes.batchGet', 'noteIds')).toMatchObject({
    max: 10,
    sources: { max: '/routes/0/parameters/noteIds/maxItems' },
  })
  expect(readMax(general, 'notes.batchGet', 'noteIds')).toBe(50)
  expect(readMax({ ...general, limits: { batchGet: { max: 40 } } }, 'notes.batchGet', 'noteIds')).toBe(40)
  const stated = limits.stated.find(({ pointer }) => pointer === '/limits/maxNoteIds')
  expect(stated?.outranked).toContain('notes.batchGet noteIds')
  expect(stated?.appliesTo).toContain('notes.fold noteIds')
})

test('adapts the other bounds of the contract to the maximum of the host', () => {
  expect(getLimit(readLimits({ limits: { maxEdge: 32 } }), 'documents.pageContent', 'maxEdge')).toEqual({
    endpoint: 'documents.pageContent',
    name: 'maxEdge',
    min: 32,
    max: 32,
    default: 32,
    sources: { min: null, max: '/limits/maxEdge', default: null },
  })
})

test('knows no default for the picture of a card, because the contract shows none', () => {
  expect(getLimit(null, 'notes.content', 'maxEdge')).toMatchObject({ min: 64, max: 4096, default: null })
})

test.each<[string, object, string, string, number | null]>([
  [
    'schema.multipleOf',
    { name: 'limit', schema: { minimum: 1, maximum: 5000, multipleOf: 1 } },
    'studySets.tree',
    'limit',
    5000,
  ],
  ['an example', { name: 'limit', maximum: 4000, example: 100 }, 'studySets.tree', 'limit', 4000],
  ['a position', { name: 'limit', position: 2 }, 'studySets.tree', 'limit', 5000],
])('ignores %s of a parameter', (_, parameter, id, name, max) => {
  expect(readMax({ routes: [{ ...routes[0], parameters: [parameter] }] }, id, name)).toBe(max)
})

test('ignores lengths of elements and rates', () => {
  const noteIds = { maxItems: 150, items: { type: 'string', minLength: 36, maxLength: 36 } }
  const more = { routes: [{ method: 'POST', path: '/notes/batch-get', body: { noteIds } }] }
  expect(readMax(more, 'notes.batchGet', 'noteIds')).toBe(150)
  expect(readMax({ routes: [{ ...routes[0], rateLimit: { limit: 60 } }] }, 'studySets.tree', 'limit')).toBe(5000)
})

test.each<[object, string, string, number]>([
  [{ limits: { maxNoteIds: 100, ocr: { batchSize: 1 }, sync: { batchSize: 20 } } }, 'notes.batchGet', 'noteIds', 100],
  [{ limits: { maxNoteIds: 100, delete: { batchNoteIds: 50 } } }, 'notes.batchGet', 'noteIds', 100],
  [{ limits: { treeRateLimit: 5, cardTextLimit: 500, cards: { titleLimit: 255 } } }, 'studySets.tree', 'limit', 5000],
  [{ stats: { tree: { nodes: 12 } } }, 'studySets.tree', 'limit', 5000],
  [
    { limits: { images: { maxEdge: 4000 }, thumbnails: { maxEdge: 256 }, ocr: { maxEdge: 512 } } },
    'notes.content',
    'maxEdge',
    4000,
  ],
])('picks the limit that applies from %j', (more, id, name, max) => {
  expect(readMax(more, id, name)).toBe(max)
})

test('turns contradicting bounds into a range that some value fits', () => {
  const limits = readLimits({ limits: { images: { minEdge: 512 }, pages: { maxEdge: 256, defaultEdge: 4096 } } })
  expect(getLimit(limits, 'documents.pageContent', 'maxEdge')).toMatchObject({ min: 256, max: 256, default: 256 })
})

test('puts the limits of the host into a row', () => {
  const row = applyHostLimits(
    getEndpoint('studySets.tree'),
    readLimits({ limits: { tree: { limit: { max: 9000, default: 100 } } } }),
  )
  expect(row.parameters.find(({ name }) => name === 'limit')).toMatchObject({ min: 1, max: 9000, default: 100 })
  expect(applyHostLimits(getEndpoint('studySets.tree'), null)).toBe(getEndpoint('studySets.tree'))
})

test('applies each limit of the demo host, without contradictions', () => {
  const state = { noteLimit: 25, walkLimit: 9, excerptLimit: 9 } as DemoState
  const limits = readHostLimits(buildCapabilities(state) as Capabilities)
  expect(getLimit(limits, 'notes.batchGet', 'noteIds').max).toBe(25)
  const applied = limits.stated.filter(({ pointer }) => pointer.startsWith('/limits/'))
  const idle = applied.filter(({ appliesTo, outranked }) => appliesTo.length + outranked.length === 0)
  expect(idle.map(({ pointer }) => pointer)).toEqual(['/limits/walkLimit', '/limits/excerptLimit'])
})

test('reads a hostile description of limits in bounded time and space', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`) as object
  const wide = Object.fromEntries(
    Array.from({ length: 4_000 }, (_, index) => [`limit-${'-max'.repeat(40)}${index}`, index]),
  )
  const { stated, left: omittedCount } = readLimits({ deep, wide, limits: { ['x'.repeat(100_000)]: 3 } })
  expect(stated.length + omittedCount).toBe(4_001)
  expect(stated).toHaveLength(2_000)
})

describe('a host with other limits than the contract', () => {
  const limits = { maxNoteIds: 3, tree: { limit: { max: 40 } }, images: { maxEdge: { min: 16, max: 9000 } } }

  async function startLimitedHost() {
    const { host } = await startDemo({ nodes: 100 })
    const requests: { readonly path: string; readonly body: unknown }[] = []
    const baseUrl = await startAlteringHost(host, (request, { status, body }) => {
      if (request.path === '/capabilities') {
        return { status, body: { ...(body as object), noteMetadata: undefined, limits } }
      }
      requests.push(request)
      const noteIds = getMember(request.body, 'noteIds')
      if (request.path !== '/notes/batch-get' || !Array.isArray(noteIds) || noteIds.length <= 3) return null
      return { status: 422, body: { error: { code: 'TOO_MANY_NOTES', message: 'At most 3.' } } }
    })
    const flags = createConnectionFlags({ ...host, baseUrl })
    const pathsBeginningWith = (begin: string): string[] =>
      requests.map(({ path }) => path).filter((path) => path.startsWith(begin))
    return { host, baseUrl, asked: requests, paths: pathsBeginningWith, flags }
  }

  test('gets as many cards and as large pages from the command line as it allows', async () => {
    const { host, flags, asked, paths } = await startLimitedHost()
    const { topicid } = host.state.generatedSet
    const ids = Array.from({ length: 7 }, (_, index) => host.state.generatedSet.getNoteid(index))
    const cards = await runCommandLine(['cards', ...ids, ...flags])
    expect([cards.code, cards.stderr]).toEqual([0, ''])
    expect(
      asked
        .map(({ body }) => getMember(body, 'noteIds'))
        .filter(Array.isArray)
        .map((noteIds) => noteIds.length),
    ).toEqual([3, 3, 1])
    const tree = await runCommandLine(['tree', topicid, ...flags])
    expect(tree.code).toBe(0)
    expect(tree.stdout.toString().trimEnd().split('\n')).toHaveLength(host.state.generatedSet.count)
    for (const path of paths('/study-sets/')) expect(path).toContain('limit=40')
    const refused = await runCommandLine(['tree', topicid, '--page-size', '41', ...flags])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('from 1 to 40, which is what this host allows')
    expect((await runCommandLine(['tree', topicid, '--page-size', '20', ...flags])).code).toBe(0)
  })

  test('gets a value beyond the range of the contract only if it allows it', async () => {
    const { host, flags, paths } = await startLimitedHost()
    const app = await startComposedApp(createTempDir(), flags.slice(0, 4))
    await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
    const card = host.state.library.sets
      .flatMap(({ cards }) => cards)
      .find(({ parts }) => parts.some(({ contentId }) => contentId))
    const part = card?.parts.find(({ contentId }) => contentId)
    const params = { noteid: card?.noteid ?? '', contentId: part?.contentId ?? '' }
    const openContent = (maxEdge: number): Promise<unknown> =>
      app.call('content.open', { endpoint: 'notes.content', params, query: { maxEdge } })
    for (const maxEdge of [9000, 20]) await openContent(maxEdge).catch(() => undefined)
    expect(paths('/notes/').filter((path) => path.includes('maxEdge='))).toEqual([
      expect.stringContaining('maxEdge=9000'),
      expect.stringContaining('maxEdge=20'),
    ])
    for (const maxEdge of [9001, 15]) await expect(openContent(maxEdge)).rejects.toMatchObject({ code: 'PARAM_RANGE' })
    expect(getLimit(await app.call('bridge.limits', {}), 'notes.content', 'maxEdge')).toMatchObject({
      min: 16,
      max: 9000,
    })
  })
})
