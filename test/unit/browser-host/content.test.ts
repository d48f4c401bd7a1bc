import http from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { ContentReader } from '../../../electron/handlers/app-ports.ts'
import type { ContentRequest } from '../../../electron/services/media/content-response.ts'
import {
  startBrowserHostSession,
  createFakeDispatcher,
  type BrowserHostSession,
} from '../../support/browser/browser-host-session.ts'

const HANDLE = 'abcdefghijklmnopqrstuvwxyz012345'
const hosts: BrowserHostSession[] = []
const requests: ContentRequest[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map(({ host }) => host.close()))
  requests.length = 0
})

async function enterHost(content: ContentReader = createContentReader('bytes')): Promise<BrowserHostSession> {
  const host = await startBrowserHostSession(createFakeDispatcher(), (request) => {
    requests.push(request)
    return content(request)
  })
  hosts.push(host)
  return host
}

const createContentReader =
  (text: string, headers: Record<string, string> = {}): ContentReader =>
  async () => ({
    status: 206,
    headers: {
      'Content-Type': 'image/png',
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'Content-Length': String(text.length),
      ...headers,
    },
    body: Readable.from([Buffer.from(text)]),
  })

/** Headers that the browser sends for an `<img>` on the page. */
const buildElementHeaders = ({ host, cookie }: BrowserHostSession, dest = 'image', site = 'same-origin'): string[] => [
  `Host: 127.0.0.1:${host.port}`,
  `Cookie: ${cookie}`,
  ...(site === '' ? [] : [`Sec-Fetch-Site: ${site}`]),
  ...(dest === '' ? [] : [`Sec-Fetch-Dest: ${dest}`]),
]

describe('content for the elements of a page', () => {
  it('has its head even if its body breaks off at once, so that no browser requests it again', async () => {
    const body = new Readable({ read: () => void body.destroy(new Error('reset')) })
    const server = await enterHost(async () => ({ status: 206, headers: { 'Content-Length': '5' }, body }))
    const response = await server.send('GET', `/content/${HANDLE}`, buildElementHeaders(server))
    expect([response.status, response.body]).toEqual([206, ''])
  })

  it('has the headers of the gateway and those of every response', async () => {
    const server = await enterHost(
      createContentReader('bytes', { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' }),
    )
    const response = await server.send('GET', `/content/${HANDLE}`, [
      ...buildElementHeaders(server),
      'Range: bytes=0-4',
    ])
    expect([response.status, response.body]).toEqual([206, 'bytes'])
    expect(response.headers).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-frame-options': 'DENY',
    })
    expect(response.headers['access-control-allow-origin']).toBeUndefined()
    expect(requests).toMatchObject([
      { method: 'GET', handle: HANDLE, range: 'bytes=0-4', isDownload: false, isForImage: true, canTakePieces: true },
    ])
  })

  it.each([
    ['image', true, ''],
    ['video', false, ''],
    ['audio', false, ''],
    ['document', false, ''],
    ['empty', false, '?download=1'],
  ])('is served as %s', async (dest, isForImage, query) => {
    const server = await enterHost()
    expect((await server.send('GET', `/content/${HANDLE}${query}`, buildElementHeaders(server, dest))).status).toBe(206)
    expect(requests).toMatchObject([{ isForImage, isDownload: query !== '', range: null }])
  })

  it('is described without bytes for HEAD', async () => {
    const server = await enterHost(async () => ({ status: 200, headers: { 'Content-Length': '5' }, body: null }))
    const response = await server.send('HEAD', `/content/${HANDLE}`, buildElementHeaders(server))
    expect([response.status, response.body, requests[0]?.method]).toEqual([200, '', 'HEAD'])
  })

  it('safety 19: belongs to the browser of the page that opened it', async () => {
    const server = await enterHost()
    await server.send(
      'POST',
      '/ipc/call',
      server.allowedHeaders,
      JSON.stringify({ id: '1', method: 'app.info', input: {} }),
    )
    await server.send('GET', `/content/${HANDLE}`, buildElementHeaders(server))
    const { caller = '' } = server.dispatcher.calls[0] ?? {}
    const canUse = requests[0]?.canUse
    expect(canUse?.(caller)).toBe(true)
    const [page] = caller.split('/one')
    expect(canUse?.(`${page}/other-load`)).toBe(true)
    for (const foreignCaller of ['', 'desktop/1/0', 'browser/', `${page}x/one`, `browser/${'a'.repeat(16)}/one`]) {
      expect(canUse?.(foreignCaller)).toBe(false)
    }
  })
})

describe('safety 19, safety 24, safety 27: anything but an element of our page', () => {
  const cases: [string, (server: BrowserHostSession) => string[], number][] = [
    ['without a cookie', (server) => buildElementHeaders(server).filter((line) => !line.startsWith('Cookie')), 401],
    [
      'with another cookie',
      (server) => buildElementHeaders({ ...server, cookie: server.cookie.replace(/=.*/, '=x') }),
      401,
    ],
    ['from another site', (server) => buildElementHeaders(server, 'image', 'cross-site'), 403],
    ['from another port of this machine', (server) => buildElementHeaders(server, 'image', 'same-site'), 403],
    ['typed as an address, but for an image', (server) => buildElementHeaders(server, 'image', 'none'), 403],
    ['without Sec-Fetch-Site', (server) => buildElementHeaders(server, 'image', ''), 403],
    ['without Sec-Fetch-Dest', (server) => buildElementHeaders(server, ''), 403],
    ['in a frame', (server) => buildElementHeaders(server, 'iframe'), 403],
    ['as an object', (server) => buildElementHeaders(server, 'object'), 403],
    ['as an embed', (server) => buildElementHeaders(server, 'embed'), 403],
    ['as a script', (server) => buildElementHeaders(server, 'script'), 403],
    ['as a style', (server) => buildElementHeaders(server, 'style'), 403],
    ['as a worker', (server) => buildElementHeaders(server, 'worker'), 403],
    ['as a service worker', (server) => buildElementHeaders(server, 'serviceworker'), 403],
    ['with Sec-Fetch-Site twice', (server) => [...buildElementHeaders(server), 'Sec-Fetch-Site: same-origin'], 403],
    ['with Sec-Fetch-Dest twice', (server) => [...buildElementHeaders(server), 'Sec-Fetch-Dest: document'], 403],
    [
      'at another host',
      (server) => buildElementHeaders(server).map((line) => line.replace(/^Host:.*/, 'Host: evil.example')),
      403,
    ],
  ]
  it.each(cases)('gets nothing %s', async (_name, headers, status) => {
    const server = await enterHost()
    expect((await server.send('GET', `/content/${HANDLE}`, headers(server))).status).toBe(status)
    expect(requests).toEqual([])
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('gets nothing with the method %s', async (method) => {
    const server = await enterHost()
    const response = await server.send(method, `/content/${HANDLE}`, buildElementHeaders(server))
    expect([response.status, response.headers['allow']]).toEqual([405, 'GET, HEAD'])
    expect(requests).toEqual([])
  })

  it.each([
    '/content',
    '/content/',
    '/content/a/b',
    '/content/..',
    '/content/../ipc/call',
    '/content/%2e%2e/ipc',
    '/content/..%2f..%2fnotes',
    '/content/a%00',
    '/content//',
    `/content/${'a'.repeat(101)}`,
    `//content/${HANDLE}`,
    `/CONTENT/${HANDLE}`,
    `/content\\${HANDLE}`,
  ])('gets nothing from the path %s', async (path) => {
    const server = await enterHost()
    expect((await server.send('GET', path, buildElementHeaders(server))).status).toBeGreaterThanOrEqual(400)
    expect(requests).toEqual([])
  })
})

describe('safety 21: removed element', () => {
  const requestVideo = (server: BrowserHostSession): http.ClientRequest =>
    http.get({
      port: server.host.port,
      host: '127.0.0.1',
      path: `/content/${HANDLE}`,
      headers: { cookie: server.cookie, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'video' },
    })

  it('ends its request while the gateway has no response yet', async () => {
    let signal: AbortSignal | undefined
    const server = await enterHost((request) => {
      signal = request.signal
      return new Promise(() => undefined)
    })
    const request = requestVideo(server)
    request.on('error', () => undefined)
    await expect.poll(() => signal).toBeDefined()
    request.destroy()
    await expect.poll(() => signal?.aborted).toBe(true)
  })

  it('ends its request while bytes arrive, and no more are produced than read', async () => {
    let producedBytes = 0
    let closed = false
    const body = new Readable({
      read() {
        producedBytes += 65_536
        this.push(Buffer.alloc(65_536))
      },
      destroy(error, done) {
        closed = true
        done(error)
      },
    })
    const server = await enterHost(async () => ({ status: 200, headers: {}, body }))
    const request = requestVideo(server)
    request.on('error', () => undefined)
    await new Promise<void>((resolve) =>
      request.once('response', (response) => response.once('readable', () => resolve())),
    )
    await sleep(200)
    expect(producedBytes).toBeLessThan(16 * 1024 * 1024)
    request.destroy()
    await expect.poll(() => closed).toBe(true)
  })

  it('breaks the connection if the body fails', async () => {
    const body = Readable.from(
      (async function* () {
        yield Buffer.alloc(1_000)
        await sleep(50)
        throw new Error('broken')
      })(),
    )
    const server = await enterHost(async () => ({ status: 200, headers: { 'Content-Length': '5000' }, body }))
    const request = requestVideo(server)
    const outcome = await new Promise<string>((resolve) => {
      request.on('error', () => resolve('error'))
      request.on('response', (response) => {
        response.resume()
        response.on('end', () => resolve('whole'))
        response.on('error', () => resolve('broken off'))
      })
    })
    expect(outcome).toBe('broken off')
  })
})
