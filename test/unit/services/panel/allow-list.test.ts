/** @module-tag slow */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCallPath } from '../../../../electron/services/panel/call/page-call.ts'
import { isCallAllowed } from '../../../../electron/services/panel/policy/allow-list.ts'
import { readHostAllowList, readPluginIds } from '../../../../electron/services/panel/policy/host-allow-list.ts'
import { TOKEN } from '../../../support/services/test-client.ts'
import { sendJson, startLoggingHost, openPanel, createPanelFolder } from '../../../support/program/panel.ts'

const tricks = [
  ...['..', '.', '', '%2e%2e', '%2E.', '%252e%252e', '%2f', '%5c', '\\', ';', ';x=1', '%00', '%0d%0a', '%c0%ae'],
  ...['\uff0e\uff0e', '%ef%bc%8f', 'notes', 'NOTES', 'Notes', 'n%6ftes', 'render', 'secret', 'pair', 'PAIR', '%70air'],
  ...[
    'install',
    'code',
    'N-1',
    '{id}',
    '*',
    'bridge',
    'v1',
    '?',
    '#',
    '//',
    '/',
    'http://127.0.0.1',
    '@',
    '%',
    '%zz',
    ' ',
  ],
]
const anySegment = fc.oneof(fc.constantFrom(...tricks), fc.string({ maxLength: 6 }), fc.webSegment())
const anyPath = fc.array(anySegment, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`)
const anyMethod = fc.constantFrom(
  'GET',
  'get',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'FOO',
  'GET ',
)
const overrideHeaders = [
  'X-HTTP-Method-Override: DELETE',
  'X-Method-Override: PUT',
  'X-Original-URL: /pair',
  'X-Rewrite-URL: /pair',
]

const allowedRoutes = ['GET /notes/{id}/render', 'GET /library/study-sets']
const isAllowedLine = (line: string): boolean =>
  /^GET \/bridge\/v1\/(?:notes\/[^/?]+\/render|library\/study-sets)(?:\?|$)/.test(line)

/** Encodes a path so that it can stand in a request line. */
const encodeForRequestLine = (text: string): string => encodeURI(text).replace(/%25/g, '%').replace(/[\s#]/g, '')

describe('safety 31: call outside the allow list', () => {
  test('never reaches the host, over the listener or the origin server, whatever path, method and headers it has', async () => {
    const host = await startLoggingHost([...allowedRoutes, 'POST /pair', 'GET /install-code'], {
      panelRoutes: allowedRoutes,
    })
    const panel = await openPanel(createPanelFolder(), host.baseUrl)
    await expect.poll(async () => (await panel.composed.call('panel.get', {})).allow.from).toBe('capabilities-panel')
    await fc.assert(
      fc.asyncProperty(anyMethod, anyPath, fc.subarray(overrideHeaders), async (verb, path, headers) => {
        await panel.requestAsPage(verb, encodeForRequestLine(`/bridge/v1${path}`), headers).catch(() => undefined)
        const init = {
          method: verb.trim(),
          headers: Object.fromEntries(headers.map((header) => header.split(': ') as [string, string])),
        }
        await (async () => panel.serveDirectly(`/bridge/v1${path}`, init))().catch(() => undefined)
        const unexpectedRequests = host.requests.filter(
          (request) => !isAllowedLine(`${request.method} ${request.url}`) || request.headers.origin !== undefined,
        )
        expect(unexpectedRequests).toEqual([])
        host.requests.length = 0
      }),
      { numRuns: 120 },
    )
    // Allowed calls pass, so the run above could have failed.
    expect((await panel.requestAsPage('GET', '/bridge/v1/notes/N-1/render')).status).toBe(200)
    expect(host.requests.map(({ url }) => url)).toEqual(['/bridge/v1/notes/N-1/render'])
  })

  test('is refused for routes that return a token, even with "all" and in any letter case', async () => {
    const host = await startLoggingHost(['POST /pair', 'GET /notes/{id}'])
    const panel = await openPanel(createPanelFolder(), host.baseUrl)
    await panel.composed.call('panel.configure', { allowMode: 'all' })
    for (const path of ['/pair', '/PAIR', '/%70air', '/pair?x=1']) {
      const response = await panel.requestAsPage('POST', `/bridge/v1${path}`, ['Content-Type: application/json'], '{}')
      expect([path, response.status, JSON.parse(response.body)]).toMatchObject([
        path,
        403,
        { error: { code: 'IN_PROCESS_NOT_ALLOWED' } },
      ])
    }
    expect(host.requests).toEqual([])
  })

  test('is refused if its path could lead out of itself', () => {
    for (const ambiguousPath of [
      '/notes/..',
      '/notes//x',
      '/a%2f',
      '/a%2f..%2fb',
      '/a%252f%252e',
      '/..;b',
      '/;b',
      '/%00',
      '/a\\b',
      '/%ef%bc%8e%ef%bc%8e/x',
      '/',
      'x',
      '/a#b',
      '/%zz',
    ]) {
      expect([ambiguousPath, parseCallPath(ambiguousPath)]).toEqual([ambiguousPath, null])
    }
    expect(parseCallPath('/notes/N%2D1/%72ender?x=%2f')).toMatchObject({ path: '/notes/N-1/render', query: '?x=%2f' })
    expect(parseCallPath('/notes/%E4%B8%AD')).toMatchObject({ path: '/notes/%E4%B8%AD' })
    expect(parseCallPath('/notes/a%2fb;c')).toMatchObject({ path: '/notes/a%2Fb%3Bc', segments: ['notes', 'a/b;c'] })
  })
})

describe('an id that holds a slash or a semicolon', () => {
  const routes = ['GET /notes/{id}', 'GET /notes/{id}/render', 'POST /notes/{id}/practice-verdict']
  const listFindings = async ({ composed }: Awaited<ReturnType<typeof openPanel>>) =>
    (await composed.call('findings.list', { offset: 0, limit: 50 })).findings.map(({ rule }) => rule)

  test('is passed on as one encoded segment where the list names the route', async () => {
    const host = await startLoggingHost(routes, { panelRoutes: routes })
    const panel = await openPanel(createPanelFolder(), host.baseUrl, false)
    await expect.poll(async () => (await panel.composed.call('panel.get', {})).allow.from).toBe('capabilities-panel')
    await panel.composed.call('panel.configure', { writes: 'let-through' })
    for (const id of ['book%2F7', 'a%3Bb', 'a;b', 'a%2Fb%3Bv=1']) {
      host.requests.length = 0
      expect([id, (await panel.requestAsPage('GET', `/bridge/v1/notes/${id}/render`)).status]).toEqual([id, 200])
      const headers = ['Content-Type: application/json']
      await panel.requestAsPage('POST', `/bridge/v1/notes/${id}/practice-verdict`, headers, '{"commentId":"c"}')
      const encodedId = encodeURIComponent(decodeURIComponent(id))
      expect(host.requests.map(({ url }) => url)).toEqual(
        expect.arrayContaining([
          `/bridge/v1/notes/${encodedId}/render`,
          `/bridge/v1/notes/${encodedId}/practice-verdict`,
        ]),
      )
    }
    expect(await listFindings(panel)).toEqual([])
  })

  test('meets a wall with a code of its own, and no finding, where it spells another route or leads out', async () => {
    const host = await startLoggingHost(routes, { panelRoutes: ['GET /notes/{id}', 'GET /notes/{id}/render'] })
    const panel = await openPanel(createPanelFolder(), host.baseUrl)
    await expect.poll(async () => (await panel.composed.call('panel.get', {})).allow.from).toBe('capabilities-panel')
    for (const id of ['a%2Frender', 'a%2F..%2Fb', 'a%252Frender', '..;a', 'a%5Cb']) {
      const { status, body } = await panel.requestAsPage('GET', `/bridge/v1/notes/${id}`, ['x-inspector-via: host.api'])
      expect([id, status, JSON.parse(body)]).toMatchObject([id, 400, { error: { code: 'PATH_AMBIGUOUS' } }])
    }
    expect((await panel.requestAsPage('GET', '/bridge/v1/elsewhere')).status).toBe(403)
    await expect.poll(() => listFindings(panel)).toEqual(['outside-allow-list'])
    expect(host.requests).toEqual([])
  })
})

describe('allow list of a host', () => {
  const createCapabilities = (routes: object[], more: object = {}) => ({
    routes: routes as { method: string; path: string }[],
    ...more,
  })
  const listedRoutes = [{ method: 'GET', path: '/notes/{id}' }]

  test.each<[string, unknown, object, string]>([
    ['strings in the capabilities', null, { panelRoutes: ['GET /notes/{id}'] }, 'capabilities-panel'],
    [
      'objects in the capabilities',
      null,
      { webPanelAllowList: [{ method: 'get', path: '/notes/{id}' }] },
      'capabilities-panel',
    ],
    ['an object by method', null, { panel: { allowList: { GET: ['/notes/{id}'] } } }, 'capabilities-panel'],
    ['the template', { immersive: { 'allow-list': { routes: ['GET /notes/{id}'] } } }, {}, 'template'],
    ['a plugin in the template', { plugins: [{ id: 'p', allow: ['GET /notes/{id}'] }] }, {}, 'template'],
  ])('is read from %s', (_, template, more, from) => {
    expect(readHostAllowList(createCapabilities([{ method: 'POST', path: '/pair' }], more), template)).toEqual({
      host: listedRoutes,
      from,
    })
  })

  test('is read from a flag of each route', () => {
    const routes = [
      { method: 'GET', path: '/notes/{id}', inProcess: true },
      { method: 'POST', path: '/x', inProcess: false },
    ]
    expect(readHostAllowList(createCapabilities(routes), null)).toEqual({
      host: listedRoutes,
      from: 'capabilities-panel',
    })
  })

  test('contains the routes of the capabilities if there is no list, and nothing without capabilities', () => {
    expect(readHostAllowList(createCapabilities(listedRoutes), { plugins: [{ id: 'p', config: {} }] })).toEqual({
      host: listedRoutes,
      from: 'capabilities-routes',
    })
    const routesWithPairing = [...listedRoutes, { method: 'POST', path: '/pair' }]
    expect(readHostAllowList(createCapabilities(routesWithPairing), null).host).toEqual(listedRoutes)
    expect(readHostAllowList(null, null)).toEqual({ host: [], from: 'nowhere' })
    const fromContract = readHostAllowList(createCapabilities([]), null)
    expect(fromContract.from).toBe('contract')
    expect(fromContract.host).toContainEqual({ method: 'GET', path: '/ui-state' })
    expect(fromContract.host.filter(({ path }) => /pair|install/.test(path))).toEqual([])
    expect(readPluginIds({ plugins: [{ id: 'p' }, { id: 'q' }, { id: 'p' }, 7] })).toEqual(['p', 'q'])
  })

  test('matches a placeholder with one segment, and a final star with the rest', () => {
    const isMatch = (template: string, callPath: string): boolean => {
      const path = parseCallPath(callPath)
      return (
        path !== null && isCallAllowed({ mode: 'mine', host: [], mine: [{ method: '*', path: template }] }, 'GET', path)
      )
    }
    expect(isMatch('/notes/{id}', '/notes/N-1')).toBe(true)
    expect(isMatch('/notes/{id}', '/notes/N-1/x')).toBe(false)
    expect(isMatch('/notes/*', '/notes/N-1/x')).toBe(true)
    expect(isMatch('/notes/*', '/notes')).toBe(false)
    expect(isMatch('/notes/{id}', '/Notes/N-1')).toBe(false)
  })
})

describe('call of the page', () => {
  test('reaches the host with the token and without headers of the page, which never sees the token', async () => {
    const host = await startLoggingHost(allowedRoutes)
    host.respond = (_, response) => sendJson(response, 200, { echo: `you sent ${TOKEN}` })
    const panel = await openPanel(createPanelFolder(), host.baseUrl)
    const headers = [
      'Authorization: Bearer mine',
      'Cookie: a=b',
      `Origin: http://${panel.host}`,
      'x-inspector-via: host.api',
    ]
    const response = await panel.requestAsPage('GET', '/bridge/v1/notes/N-1/render?format=png', headers)
    expect(response.status).toBe(200)
    expect(response.body).not.toContain(TOKEN)
    const [heard] = host.requests
    expect(heard?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}` })
    expect(Object.keys(heard?.headers ?? {})).not.toEqual(expect.arrayContaining(['origin']))
    expect(
      Object.keys(heard?.headers ?? {}).filter((name) => /origin|referer|cookie|^sec-|x-inspector/.test(name)),
    ).toEqual([])
  })

  test.each(['?_method=DELETE', '?x=1&X-HTTP-Method-Override=DELETE', '?%5fmethod=delete'])(
    'safety 63: is refused as a read if %s names another method',
    async (query) => {
      const host = await startLoggingHost(allowedRoutes)
      const panel = await openPanel(createPanelFolder(), host.baseUrl)
      const response = await panel.requestAsPage('GET', `/bridge/v1/notes/N-1/render${query}`)
      expect(response.status).toBe(400)
      expect(host.requests).toEqual([])
    },
  )

  test('is recorded in traffic with both sides if it is outside the list', async () => {
    const host = await startLoggingHost(allowedRoutes)
    const panel = await openPanel(createPanelFolder(), host.baseUrl)
    const response = await panel.requestAsPage('DELETE', '/bridge/v1/notes/N-1', [
      'x-inspector-via: host.api',
      'X-Mine: 1',
    ])
    expect(response.status).toBe(403)
    const { store } = {
      store: await panel.composed.call('traffic.find', { filter: {}, sort: { by: 'time', descending: true } }),
    }
    const seqs = [...new Uint32Array(store.bytes)]
    const { rows } = await panel.composed.call('traffic.rows', { seqs })
    const row = rows.find(({ method }) => method === 'DELETE')
    expect(row).toMatchObject({
      origin: { kind: 'panel', label: 'my-panel' },
      status: 403,
      rule: 'not-allowed',
      errorCode: 'IN_PROCESS_NOT_ALLOWED',
    })
    const { call } = await panel.composed.call('panel.call', { exchangeId: row?.id ?? '' })
    expect(call).toMatchObject({
      via: 'host.api',
      decision: 'not-allowed',
      page: { method: 'DELETE', path: '/notes/N-1' },
      answer: { status: 403 },
    })
    expect(call?.changes).toContainEqual({
      where: 'header',
      member: 'x-mine',
      from: '1',
      to: null,
      why: 'header-removed',
    })
  })

  test('is refused without reading its body if that has no end', async () => {
    const host = await startLoggingHost(['POST /notes/batch-get'])
    const panel = await openPanel(createPanelFolder(), host.baseUrl)
    let pulledPieces = 0
    const body = new ReadableStream({
      pull(controller) {
        pulledPieces += 1
        controller.enqueue(new Uint8Array(64 * 1024))
      },
    })
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit
    const response = await panel.serveDirectly('/bridge/v1/notes/batch-get', init)
    expect([response.status, await response.json()]).toMatchObject([413, { error: { code: 'BODY_TOO_LARGE' } }])
    expect(pulledPieces).toBeLessThan(200)
    expect(host.requests).toEqual([])
  })

  test('reports a refusal that a panel inside the host would not get', async () => {
    const host = await startLoggingHost(allowedRoutes)
    host.respond = (_, response) => sendJson(response, 403, { error: { code: 'MAX_REQUIRED', message: 'no' } })
    const panel = await openPanel(createPanelFolder(), host.baseUrl)
    await panel.requestAsPage('GET', '/bridge/v1/notes/N-1/render')
    const query = { filter: {}, sort: { by: 'time' as const, descending: true } }
    const { bytes } = await panel.composed.call('traffic.find', query)
    const { rows } = await panel.composed.call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })
    const row = rows.find(({ origin }) => origin.kind === 'panel')
    await expect
      .poll(async () => (await panel.composed.call('panel.call', { exchangeId: row?.id ?? '' })).call?.onlyOutside)
      .toBe(true)
  })
})
