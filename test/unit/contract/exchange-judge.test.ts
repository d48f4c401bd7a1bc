import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, test } from 'vitest'
import { capabilitiesSchema } from '../../../shared/bridge/resources/state.ts'
import { judgeExchange, toHostFacts, UNKNOWN_HOST } from '../../../electron/core/contract/exchange-judge.ts'
import type { JudgedExchange } from '../../../electron/core/contract/judged-exchange.ts'
import { isJsonEndpointId, getEndpointById } from '../../../shared/bridge/endpoints/index.ts'

/** A response with status 200, or an exchange with other members. */
function createExchange(endpoint: string, value: unknown, others: Partial<JudgedExchange> = {}): JudgedExchange {
  const { method, path } = getEndpointById(endpoint)
  const common = { status: 200, mediaType: 'application/json', imageSize: null, requestBody: undefined }
  return { method, path, endpoint, ...common, body: { kind: 'json', value }, ...others }
}

const omitVersion = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'bridgeApiVersion'))

const listDeviations = (exchange: JudgedExchange, host = UNKNOWN_HOST): readonly string[] =>
  judgeExchange(exchange, host).deviations.map(
    ({ kind, pointer, expected, actual, count }) =>
      `${kind} ${pointer}: ${expected} / ${actual}${count === 1 ? '' : ` (${count})`}`,
  )

const acknowledgement = {
  schemaVersion: 1,
  state: 'pending',
  currentness: 'at-native-callback-only',
  ready: false,
  surfaceId: 's',
  bridgeApiVersion: '0.91',
  inputGate: {
    scope: 'application-ui-only',
    state: 'active',
    programmaticNavigationBlocked: true,
    grantsCallerLease: false,
  },
  topicid: 'T',
  scope: 'focus-pencil-snapshot-only',
  requestId: 'r',
  windowId: 'w',
  receipt: null,
  canSwitch: false,
  target: { topicid: 'T', noteid: 'N', layerId: '' },
  inputFrozen: true,
  includesNonPencilEditors: false,
  durability: 'process-local-operation-record',
}
const color = { hex: '#112233', rgba: { r: 17, g: 34, b: 51, a: 1 } }
const palette = {
  bridgeApiVersion: '0.91',
  studySetId: 'T',
  title: 'T',
  count: 1,
  source: 'default',
  appearance: 'dark',
  colors: [{ colorIndex: 0, baseColor: color, displayColor: color }],
}
const counts = { topicid: 'T', nodeTotal: 2, truncation: false, walkLimitReached: false, truncated: false }
const page = { bridgeApiVersion: '0.91', ...counts, nodes: [{ noteid: 'A' }, { noteid: 'B' }], nextCursor: null }
const cursorPage = { bridgeApiVersion: '0.91', nodes: page.nodes, nextCursor: 'c' }
const verdict = {
  bridgeApiVersion: '0.91',
  persisted: true,
  noteid: 'N',
  commentId: 'c',
  practice: { addon: 'a', topic: 'T', card: 'N', self: 'mastered', at: 1 },
  hashtags: [],
  tagsChanged: true,
  commentsRevision: '2',
}

describe('an acknowledgement', () => {
  it('with other values than observed, and a receipt, deviates only from what was observed', () => {
    const value = { ...acknowledgement, schemaVersion: 2, queue: { place: 1, of: [{ x: 1 }] }, receipt: { id: 'R' } }
    expect(listDeviations(createExchange('writing.pencilCommit', value, { status: 202 }))).toEqual([
      'unknown-member /queue:  / object',
    ])
  })

  it('must repeat what the contract calls an echo, which the target is not', () => {
    const requestBody = { surfaceId: 's', requestId: 'other', target: { topicid: 'T', noteid: 'M', layerId: 'L' } }
    expect(listDeviations(createExchange('writing.pencilCommit', acknowledgement, { requestBody }))).toEqual([
      'broken-promise /requestId: other / r',
    ])
  })

  it('may say whether it is persisted, which callers read at every write', () => {
    const value = { ...acknowledgement, persisted: true }
    expect(listDeviations(createExchange('writing.pencilCommit', value, { status: 202 }))).toEqual([])
  })
})

test.each<readonly [string, string, unknown, readonly string[]]>([
  ['nothing', 'studySets.palette', palette, []],
  ['a member of another type', 'studySets.palette', { ...palette, title: 7 }, ['wrong-type /title: string / number']],
  [
    'a number as text where the type is shown',
    'studySets.palette',
    { ...palette, count: '1' },
    ['wrong-type /count: number / string'],
  ],
  ['a missing member', 'studySets.palette', omitVersion(palette), ['missing /bridgeApiVersion: string / ']],
  ['a count that is none', 'studySets.palette', { ...palette, count: 2 }, ['broken-promise /count: 1 / 2']],
  [
    'a member in each entry of a list',
    'studySets.palette',
    { ...palette, count: 2, colors: [0, 1].map((colorIndex) => ({ ...palette.colors[0], colorIndex, name: 'red' })) },
    ['unknown-member /colors/*/name:  / string (2)'],
  ],
  [
    'a value outside its range',
    'studySets.palette',
    { ...palette, colors: [{ ...palette.colors[0], baseColor: { ...color, rgba: { ...color.rgba, g: 256 } } }] },
    ['unknown-value /colors/*/baseColor/rgba/g: 0..255 / 256'],
  ],
  [
    'members of a node, which the contract does not show all',
    'studySets.tree',
    { ...page, nodes: [{ noteid: 'A', color: 1 }] },
    [],
  ],
  ['a member of the listing', 'studySets.tree', { ...page, total: [1] }, ['unknown-member /total:  / array of number']],
  [
    'a further page that is not announced',
    'studySets.tree',
    { ...page, nextCursor: 'c', truncated: false },
    ['broken-promise /truncated: true / false'],
  ],
  ['no JSON object', 'studySets.tree', [], ['wrong-type : object / array']],
  ['a wrapped response', 'studySets.palette', { data: palette }, []],
  ['a list of another name', 'decks.list', { rows: [{ id: 'D', name: 'T', cardCount: '3' }] }, []],
  ['ids in place of objects', 'decks.list', ['D', 'E'], []],
  [
    'a list under another name than is shown',
    'documents.pageParts',
    { images: [{ contentId: 'c' }] },
    ['missing /parts: array / '],
  ],
  [
    'a bundle in an unknown state',
    'bundles.list',
    { bundles: [{ bundleId: 'b', state: 'frozen' }] },
    ['unknown-value /bundles/*/state: "preparing" | "prepared" | "imported" | "failed" | "cancelled" / "frozen"'],
  ],
  [
    'a card without id',
    'notes.batchGet',
    { items: [{ title: 'T', parts: [] }] },
    ['missing /items/*/noteid: string / '],
  ],
  [
    'values of a card that were only observed otherwise',
    'notes.batchGet',
    {
      items: [{ noteid: 'N', texts: [{ text: 'T' }], parts: [{ kind: 'handwriting' }], metadata: { colorIndex: -1 } }],
    },
    [],
  ],
  ['another reason why nothing is open', 'context.get', { available: false, reason: 'locked' }, []],
  ['a verdict without a cause of error', 'notes.practiceVerdict', verdict, []],
  [
    'a color that is no color value',
    'studySets.palette',
    { ...palette, colors: [{ ...palette.colors[0], baseColor: { ...color, hex: 'red' } }] },
    ['unknown-value /colors/*/baseColor/hex: #RRGGBB / "red"'],
  ],
  [
    'an opacity, whose range the contract does not show',
    'studySets.palette',
    { ...palette, colors: [{ ...palette.colors[0], baseColor: { ...color, rgba: { ...color.rgba, a: 255 } } }] },
    [],
  ],
  [
    'members of any response, but not at its root',
    'studySets.palette',
    { ...palette, warnings: [], colors: [{ ...palette.colors[0], baseColor: { ...color, warnings: [] } }] },
    ['unknown-member /colors/*/baseColor/warnings:  / array'],
  ],
  [
    'a page of cards without some of its counts',
    'studySets.tree',
    { bridgeApiVersion: '0.91', nodes: [], nodeTotal: 0, truncated: false, nextCursor: null },
    ['topicid', 'truncation', 'walkLimitReached'].map((name) => `missing /${name}:  / `),
  ],
  ['a page of cards that counts nothing', 'studySets.tree', cursorPage, []],
  [
    'a wrapped version that is none',
    'studySets.palette',
    { bridgeApiVersion: 'latest', data: omitVersion(palette) },
    ['unknown-value /bridgeApiVersion: 0.91, 1.0… / "latest"'],
  ],
])('%s', (_name, endpoint, value, expected) => {
  expect(isJsonEndpointId(endpoint)).toBe(true)
  expect(listDeviations(createExchange(endpoint, value))).toEqual(expected)
})

describe('many unknown members', () => {
  it('are one dictionary', () => {
    const names = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`id-${index}`, { seen: true }]))
    const { deviations } = judgeExchange(createExchange('studySets.palette', { ...palette, ...names }), UNKNOWN_HOST)
    expect(deviations).toMatchObject([{ pointer: '/{key}', count: 100_000, example: '{"seen":true}' }])
  })
})

describe('limits', () => {
  const nodes = Array.from({ length: 301 }, (_, index) => ({ noteid: `N${index}` }))
  const host = toHostFacts(capabilitiesSchema.parse({ routes: [], limits: { tree: { limit: { max: 300 } } } }))
  it('are the host’s own, or what the request asked for', () => {
    const exchange = createExchange('studySets.tree', { ...page, nodes }, { path: '/study-sets/T/tree?limit=200' })
    expect(listDeviations(exchange)).toEqual(['broken-promise /nodes: ≤ 200 / 301'])
    expect(listDeviations(exchange, host)).toEqual(['limit-exceeded /nodes: ≤ 300 / 301'])
  })

  it('are not those of a request that is outside the range, which hosts may correct', () => {
    const listFor = (query: string, value: object = page) =>
      listDeviations(createExchange('studySets.tree', value, { path: `/study-sets/T/tree?${query}` }))
    expect([listFor('limit=0'), listFor('limit=9999'), listFor('limit=x'), listFor('limit=1')]).toEqual([
      [],
      [],
      [],
      ['broken-promise /nodes: ≤ 1 / 2'],
    ])
    const events = { bridgeApiVersion: '0.91', events: [{}, {}] }
    const path = '/sync/legacy/events?limit=0'
    expect(listDeviations(createExchange('sync.events', events, { path }))).toEqual([])
  })

  it('apply to a wrapped response and to a list of another name', () => {
    const path = '/study-sets/T/tree?limit=1'
    expect(listDeviations(createExchange('studySets.tree', { data: page }, { path }))).toEqual([
      'broken-promise /data/nodes: ≤ 1 / 2',
    ])
    const events = { bridgeApiVersion: '0.91', rows: [{}, {}] }
    expect(listDeviations(createExchange('sync.events', events, { path: '/sync/legacy/events?limit=1' }))).toEqual([
      'broken-promise /rows: ≤ 1 / 2',
    ])
  })

  it('do not say how a repeated parameter is read', () => {
    const value = { ...page, sort: 'document' }
    const listFor = (query: string) =>
      listDeviations(createExchange('studySets.tree', value, { path: `/study-sets/T/tree?${query}` }))
    expect(listFor('sort=document&sort=document')).toEqual([])
    expect(listFor('limit=5')).toEqual(['broken-promise /sort:  / document'])
  })

  it('apply to pictures by their size', () => {
    const listFor = (query: string, width: number) =>
      listDeviations({
        ...createExchange('documents.pageContent', null),
        path: `/documents/B/pages/1/content/c${query}`,
        mediaType: 'image/png',
        body: { kind: 'unknown' },
        imageSize: { width, height: 10 },
      })
    expect([listFor('?maxEdge=10', 64), listFor('?maxEdge=64', 65), listFor('', 2049), listFor('', 5000)]).toEqual([
      [],
      ['broken-promise : ≤ 64 px / 65 px'],
      ['broken-promise : ≤ 2048 px / 2049 px'],
      ['limit-exceeded : ≤ 4096 px / 5000 px'],
    ])
  })
})

describe('an error', () => {
  const createError = (status: number, error: unknown, endpoint = 'studySets.palette') =>
    createExchange(endpoint, { error, bridgeApiVersion: '0.91' }, { status })
  it('is judged by the shape of errors', () => {
    const message = 'No.'
    expect(listDeviations(createError(404, { code: 'TOPIC_NOT_FOUND', message, details: { x: 1 } }))).toEqual([])
    expect(listDeviations(createError(200, { code: 'TOPIC_NOT_FOUND', message }))).toEqual([])
    expect(listDeviations(createError(409, { code: 'ANYTHING', message }, 'notes.blankBands'))).toEqual([])
    expect(listDeviations(createError(409, { code: 'ANYTHING', message }))).toEqual([
      'unknown-code /error/code:  / ANYTHING',
    ])
    expect(listDeviations(createError(404, { code: 4 }))).toEqual([
      'wrong-type /error/code: string / number',
      'missing /error/message: string / ',
    ])
    expect(listDeviations(createError(500, 'down'))).toEqual(['wrong-type /error: object / string'])
    expect(listDeviations(createError(418, { code: 'UNAUTHORIZED', message }))[0]).toMatch(
      /^unknown-status : .* \/ 418$/,
    )
  })

  it('may have any status and code where the contract shows neither', () => {
    const message = 'No.'
    expect([
      listDeviations(createError(412, { code: 'PRACTICE_TOPIC_CHANGED', message }, 'notes.practiceVerdict')),
      listDeviations(createError(503, { code: 'PRACTICE_CONFIG_UNAVAILABLE', message }, 'notes.practiceVerdict')),
      listDeviations(createError(423, { code: 'PENCIL_BUSY', message }, 'writing.pencilCommit')),
    ]).toEqual([[], [], []])
  })

  it('has the one status that the contract shows for its code', () => {
    const error = { code: 'IN_PROCESS_NOT_ALLOWED', message: 'No.' }
    expect(listDeviations(createError(403, error))).toEqual([])
    expect(listDeviations(createError(404, error))).toEqual(['unknown-status : 403 / 404'])
  })
})

describe('a status', () => {
  const listFor = (endpoint: string, status: number) =>
    judgeExchange(createExchange(endpoint, {}, { status }), UNKNOWN_HOST).deviations.flatMap(({ kind, expected }) =>
      kind === 'unknown-status' ? [expected] : [],
    )
  it('of a write may say that something was created or will be done', () => {
    expect(
      ['decks.create', 'notes.blankBands', 'sync.recheck'].flatMap((id) => [listFor(id, 201), listFor(id, 202)]),
    ).toEqual(Array.from({ length: 6 }, () => []))
  })

  it('of a read is 200, or says that nothing has changed', () => {
    expect([listFor('decks.list', 304), listFor('decks.list', 201)]).toEqual([[], ['200 | 304']])
  })
})

describe('a response', () => {
  it('that is no JSON, or JSON where there should be none, is of the wrong type', () => {
    const listFor = (endpoint: string, others: Partial<JudgedExchange>) =>
      listDeviations(createExchange(endpoint, { x: 1 }, others))
    expect([
      listFor('guide.get', { mediaType: 'text/markdown' }),
      listFor('guide.get', {}),
      listFor('notes.render', {}),
      listFor('bundles.files', {}),
      listFor('status.get', { body: { kind: 'other' }, mediaType: 'text/html' }),
      listFor('status.get', { body: { kind: 'empty' } }),
      listFor('status.get', { body: { kind: 'unknown' } }),
    ]).toEqual([
      [],
      ['wrong-type : text/markdown / application/json'],
      ['wrong-type : image | pdf / application/json'],
      [],
      ['wrong-type : JSON / text/html'],
      ['wrong-type : JSON / nothing'],
      [],
    ])
  })

  it('may have any version, but no other text in its place', () => {
    const listFor = (bridgeApiVersion: unknown) => listDeviations(createExchange('status.get', { bridgeApiVersion }))
    expect([listFor('4.5.0'), listFor('latest'), listFor(1)]).toEqual([
      [],
      ['unknown-value /bridgeApiVersion: 0.91, 1.0… / "latest"'],
      ['wrong-type /bridgeApiVersion: string / number'],
    ])
  })
})

describe('what is told of a deviation', () => {
  it('does not keep the whole response in memory', () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    const judgeLongName = (index: number) => {
      const value: unknown = JSON.parse(`{"colors":[],"${'n'.repeat(2_000_000)}${index}":1}`)
      return judgeExchange(createExchange('studySets.palette', value), UNKNOWN_HOST).deviations
    }
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    const judgements = Array.from({ length: 20 }, (_, index) => judgeLongName(index))
    collectGarbage()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000)
    expect(judgements[0]?.map(({ pointer }) => pointer)).toContain(`/${'n'.repeat(398)}…`)
  })
})

describe('a route', () => {
  const capabilities = capabilitiesSchema.parse({ routes: [{ method: 'get', path: '/bridge/v1/plans/{id}?deep' }] })
  const judgePath = (path: string, status = 200, method = 'GET') =>
    judgeExchange(
      { ...createExchange('guide.get', { x: 1 }, { status }), method, path, endpoint: null },
      toHostFacts(capabilities),
    ).deviations.map(({ kind, method: verb, template }) => `${kind} ${verb} ${template}`)
  it('is unknown if neither the contract nor the host lists it, and the host serves it', () => {
    expect(judgePath('/plans/7')).toEqual([])
    expect(judgePath('/plans/7', 200, 'POST')).toEqual(['unknown-route POST /plans/{}'])
    expect(judgePath('/plan/0d0f4c2e-7bb6-4a8e-9d6a-3d6c33dd4b1c/x?q=1')).toEqual(['unknown-route GET /plan/{}/x'])
    expect(judgePath('/plan', 404)).toEqual([])
    expect(judgePath('/')).toEqual([])
  })

  it('is not unknown while the routes of the host are', () => {
    const exchange = { ...createExchange('guide.get', { x: 1 }), path: '/plan', endpoint: null }
    const routes = Array.from({ length: 2_001 }, (_, index) => ({ method: 'GET', path: `/${index}` }))
    const hosts = [UNKNOWN_HOST, toHostFacts(capabilitiesSchema.parse({ routes }))]
    expect(hosts.map((host) => judgeExchange(exchange, host).deviations)).toEqual([[], []])
  })
})
