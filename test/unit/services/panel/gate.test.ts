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
const segment = fc.oneof(fc.constantFrom(...tricks), fc.string({ maxLength: 6 }), fc.webSegment())
const anyPath = fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`)
const method = fc.constantFrom(
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
const overrides = [
  'X-HTTP-Method-Override: DELETE',
  'X-Method-Override: PUT',
  'X-Original-URL: /pair',
  'X-Rewrite-URL: /pair',
]

const allowed = ['GET /notes/{id}/render', 'GET /library/study-sets']
const isNamed = (line: string): boolean =>
  /^GET \/bridge\/v1\/(?:notes\/[^/?]+\/render|library\/study-sets)(?:\?|$)/.test(line)

/** What a line of a request may hold at all: a socket would end it elsewhere. */
const wire = (text: string): string => encodeURI(text).replace(/%25/g, '%').replace(/[\s#]/g, '')

describe('safety 31: what the allow-list does not name never reaches the host', () => {
  test('over the listener and over the door, whatever the path, the method and the headers are', async () => {
    const host = await startLoggingHost([...allowed, 'POST /pair', 'GET /install-code'], { panelRoutes: allowed })
    const panel = await openPanel(createPanelFolder(), host.baseUrl)
    await expect.poll(async () => (await panel.composed.call('panel.get', {})).allow.from).toBe('capabilities-panel')
    await fc.assert(
      fc.asyncProperty(method, anyPath, fc.subarray(overrides), async (verb, at, headers) => {
        await panel.requestAsPage(verb, wire(`/bridge/v1${at}`), headers).catch(() => undefined)
        const init = {
          method: verb.trim(),
          headers: Object.fromEntries(headers.map((one) => one.split(': ') as [string, string])),
        }
        await (async () => panel.serveDirectly(`/bridge/v1${at}`, init))().catch(() => undefined)
        const strange = host.requests.filter(
          (one) => !isNamed(`${one.method} ${one.url}`) || one.headers.origin !== undefined,
        )
        expect(strange).toEqual([])
        host.requests.length = 0
      }),
      { numRuns: 120 },
    )
    // The gate is no wall: what is named gets through, and the run above could have failed.
    expect((await panel.requestAsPage('GET', '/bridge/v1/notes/N-1/render')).status).toBe(200)
    expect(host.requests.map(({ url }) => url)).toEqual(['/bridge/v1/notes/N-1/render'])
  })

  test('with "all", routes that hand out a token are still refused, in any letter case', async () => {
    const host = await startLoggingHost(['POST /pair', 'GET /notes/{id}'])
    const panel = await openPanel(createPanelFolder(), host.baseUrl)
    await panel.composed.call('panel.configure', { allowMode: 'all' })
    for (const at of ['/pair', '/PAIR', '/%70air', '/pair?x=1']) {
      const answer = await panel.requestAsPage('POST', `/bridge/v1${at}`, ['Content-Type: application/json'], '{}')
      expect([at, answer.status, JSON.parse(answer.body)]).toMatchObject([
        at,
        403,
        { error: { code: 'IN_PROCESS_NOT_ALLOWED' } },
      ])
    }
    expect(host.requests).toEqual([])
  })

  test('a path has one reading or none', () => {
    for (const bad of [
      '/notes/..',
      '/notes//x',
      '/a%2fb',
      '/a%252fb',
      '/a;b',
      '/a%3bb',
      '/%00',
      '/a\\b',
      '/%ef%bc%8e%ef%bc%8e/x',
      '/',
      'x',
      '/a#b',
      '/%zz',
    ]) {
      expect([bad, parseCallPath(bad)]).toEqual([bad, null])
    }
    expect(parseCallPath('/notes/N%2D1/%72ender?x=%2f')).toMatchObject({ path: '/notes/N-1/render', query: '?x=%2f' })
    expect(parseCallPath('/notes/%E4%B8%AD')).toMatchObject({ path: '/notes/%E4%B8%AD' })
  })
})

describe('the list of a host', () => {
  const capabilities = (routes: object[], more: object = {}) => ({
    routes: routes as { method: string; path: string }[],
    ...more,
  })
  const named = [{ method: 'GET', path: '/notes/{id}' }]

  test.each<[string, unknown, object, string]>([
    ['texts in the capabilities', null, { panelRoutes: ['GET /notes/{id}'] }, 'capabilities-panel'],
    [
      'objects in the capabilities',
      null,
      { webPanelAllowList: [{ method: 'get', path: '/notes/{id}' }] },
      'capabilities-panel',
    ],
    ['by method', null, { panel: { allowList: { GET: ['/notes/{id}'] } } }, 'capabilities-panel'],
    ['in the template', { immersive: { 'allow-list': { routes: ['GET /notes/{id}'] } } }, {}, 'template'],
    ['of a plugin', { plugins: [{ id: 'p', allow: ['GET /notes/{id}'] }] }, {}, 'template'],
  ])('%s', (_, template, more, from) => {
    expect(readHostAllowList(capabilities([{ method: 'POST', path: '/pair' }], more), template)).toEqual({
      host: named,
      from,
    })
  })

  test('a flag of each route', () => {
    const routes = [
      { method: 'GET', path: '/notes/{id}', inProcess: true },
      { method: 'POST', path: '/x', inProcess: false },
    ]
    expect(readHostAllowList(capabilities(routes), null)).toEqual({ host: named, from: 'capabilities-panel' })
  })

  test('where none is named, the routes of the capabilities; without those, nothing', () => {
    expect(readHostAllowList(capabilities(named), { plugins: [{ id: 'p', config: {} }] })).toEqual({
      host: named,
      from: 'capabilities-routes',
    })
    const pairing = [...named, { method: 'POST', path: '/pair' }]
    expect(readHostAllowList(capabilities(pairing), null).host).toEqual(named)
    expect(readHostAllowList(null, null)).toEqual({ host: [], from: 'nowhere' })
    expect(readPluginIds({ plugins: [{ id: 'p' }, { id: 'q' }, { id: 'p' }, 7] })).toEqual(['p', 'q'])
  })

  test('placeholders stand for one segment, a star at the end for the rest', () => {
    const fits = (template: string, at: string): boolean => {
      const path = parseCallPath(at)
      return (
        path !== null && isCallAllowed({ mode: 'mine', host: [], mine: [{ method: '*', path: template }] }, 'GET', path)
      )
    }
    expect(fits('/notes/{id}', '/notes/N-1')).toBe(true)
    expect(fits('/notes/{id}', '/notes/N-1/x')).toBe(false)
    expect(fits('/notes/*', '/notes/N-1/x')).toBe(true)
    expect(fits('/notes/*', '/notes')).toBe(false)
    expect(fits('/notes/{id}', '/Notes/N-1')).toBe(false)
  })
})

describe('a call of the page', () => {
  test('reaches the host with the token and without anything of the page, and the page never sees the token', async () => {
    const host = await startLoggingHost(allowed)
    host.respond = (_, response) => sendJson(response, 200, { echo: `you sent ${TOKEN}` })
    const panel = await openPanel(createPanelFolder(), host.baseUrl)
    const headers = [
      'Authorization: Bearer mine',
      'Cookie: a=b',
      `Origin: http://${panel.host}`,
      'x-inspector-via: host.api',
    ]
    const answer = await panel.requestAsPage('GET', '/bridge/v1/notes/N-1/render?format=png', headers)
    expect(answer.status).toBe(200)
    expect(answer.body).not.toContain(TOKEN)
    const [heard] = host.requests
    expect(heard?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}` })
    expect(Object.keys(heard?.headers ?? {})).not.toEqual(expect.arrayContaining(['origin']))
    expect(
      Object.keys(heard?.headers ?? {}).filter((name) => /origin|referer|cookie|^sec-|x-inspector/.test(name)),
    ).toEqual([])
  })

  test.each(['?_method=DELETE', '?x=1&X-HTTP-Method-Override=DELETE', '?%5fmethod=delete'])(
    'safety 63: one with a method of its own in %s is no read, and does not pass as one',
    async (query) => {
      const host = await startLoggingHost(allowed)
      const panel = await openPanel(createPanelFolder(), host.baseUrl)
      const answer = await panel.requestAsPage('GET', `/bridge/v1/notes/N-1/render${query}`)
      expect(answer.status).toBe(400)
      expect(host.requests).toEqual([])
    },
  )

  test('outside the list is recorded in traffic with both its sides', async () => {
    const host = await startLoggingHost(allowed)
    const panel = await openPanel(createPanelFolder(), host.baseUrl)
    const answer = await panel.requestAsPage('DELETE', '/bridge/v1/notes/N-1', [
      'x-inspector-via: host.api',
      'X-Mine: 1',
    ])
    expect(answer.status).toBe(403)
    const { store } = {
      store: await panel.composed.call('traffic.find', { filter: {}, sort: { by: 'time', descending: true } }),
    }
    const seqs = [...new Uint32Array(store.bytes)]
    const { rows } = await panel.composed.call('traffic.rows', { seqs })
    const row = rows.find(({ method: verb }) => verb === 'DELETE')
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

  test('a body without end is refused without being read', async () => {
    const host = await startLoggingHost(['POST /notes/batch-get'])
    const panel = await openPanel(createPanelFolder(), host.baseUrl)
    let pulled = 0
    const body = new ReadableStream({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(64 * 1024))
      },
    })
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit
    const answer = await panel.serveDirectly('/bridge/v1/notes/batch-get', init)
    expect([answer.status, await answer.json()]).toMatchObject([413, { error: { code: 'BODY_TOO_LARGE' } }])
    expect(pulled).toBeLessThan(200)
    expect(host.requests).toEqual([])
  })

  test('says that a panel in the host would not have met a refusal of the token or the subscription', async () => {
    const host = await startLoggingHost(allowed)
    host.respond = (_, response) => sendJson(response, 403, { error: { code: 'MAX_REQUIRED', message: 'no' } })
    const panel = await openPanel(createPanelFolder(), host.baseUrl)
    await panel.requestAsPage('GET', '/bridge/v1/notes/N-1/render')
    const asked = { filter: {}, sort: { by: 'time' as const, descending: true } }
    const { bytes } = await panel.composed.call('traffic.find', asked)
    const { rows } = await panel.composed.call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })
    const row = rows.find(({ origin }) => origin.kind === 'panel')
    await expect
      .poll(async () => (await panel.composed.call('panel.call', { exchangeId: row?.id ?? '' })).call?.onlyOutside)
      .toBe(true)
  })
})
