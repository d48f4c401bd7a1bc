import http from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { ContentReader } from '../../../electron/handlers/ipc-dispatcher.ts'
import type { ContentRequest } from '../../../electron/services/media/content-response.ts'
import {
  startBrowserHostSession,
  createFakeDispatcher,
  type BrowserHostSession,
} from '../../support/browser/browser-host-session.ts'

const HANDLE = 'abcdefghijklmnopqrstuvwxyz012345'
const hosts: BrowserHostSession[] = []
const asked: ContentRequest[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map(({ host }) => host.close()))
  asked.length = 0
})

async function entered(content: ContentReader = answering('bytes')): Promise<BrowserHostSession> {
  const host = await startBrowserHostSession(createFakeDispatcher(), (request) => {
    asked.push(request)
    return content(request)
  })
  hosts.push(host)
  return host
}

const answering =
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

/** What an `<img>` on the page sends. */
const element = ({ host, cookie }: BrowserHostSession, dest = 'image', site = 'same-origin'): string[] => [
  `Host: 127.0.0.1:${host.port}`,
  `Cookie: ${cookie}`,
  ...(site === '' ? [] : [`Sec-Fetch-Site: ${site}`]),
  ...(dest === '' ? [] : [`Sec-Fetch-Dest: ${dest}`]),
]

describe('contents for the elements of a page', () => {
  it('come with the headers of the gateway, and what every answer has', async () => {
    const own = await entered(answering('bytes', { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' }))
    const answer = await own.send('GET', `/content/${HANDLE}`, [...element(own), 'Range: bytes=0-4'])
    expect([answer.status, answer.body]).toEqual([206, 'bytes'])
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-frame-options': 'DENY',
    })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    expect(asked).toMatchObject([
      { method: 'GET', handle: HANDLE, range: 'bytes=0-4', isDownload: false, isForImage: true, canTakePieces: true },
    ])
  })

  it.each([
    ['image', true, ''],
    ['video', false, ''],
    ['audio', false, ''],
    ['document', false, ''],
    ['empty', false, '?download=1'],
  ])('as %s', async (dest, asImage, query) => {
    const own = await entered()
    expect((await own.send('GET', `/content/${HANDLE}${query}`, element(own, dest))).status).toBe(206)
    expect(asked).toMatchObject([{ isForImage: asImage, isDownload: query !== '', range: null }])
  })

  it('a HEAD is answered without bytes', async () => {
    const own = await entered(async () => ({ status: 200, headers: { 'Content-Length': '5' }, body: null }))
    const answer = await own.send('HEAD', `/content/${HANDLE}`, element(own))
    expect([answer.status, answer.body, asked[0]?.method]).toEqual([200, '', 'HEAD'])
  })

  it('safety 19: belong to the browser of the page that opened them', async () => {
    const own = await entered()
    await own.send('POST', '/ipc/call', own.allowedHeaders, JSON.stringify({ id: '1', method: 'app.info', input: {} }))
    await own.send('GET', `/content/${HANDLE}`, element(own))
    const { caller = '' } = own.dispatcher.calls[0] ?? {}
    const may = asked[0]?.canUse
    expect(may?.(caller)).toBe(true)
    const [page] = caller.split('/one')
    expect(may?.(`${page}/other-load`)).toBe(true)
    for (const foreign of ['', 'desktop/1/0', 'browser/', `${page}x/one`, `browser/${'a'.repeat(16)}/one`]) {
      expect(may?.(foreign)).toBe(false)
    }
  })
})

describe('safety 19, safety 24, safety 27: anything but an element of our page gets nothing, and nothing is requested', () => {
  const cases: [string, (own: BrowserHostSession) => string[], number][] = [
    ['without a cookie', (own) => element(own).filter((line) => !line.startsWith('Cookie')), 401],
    ['with another cookie', (own) => element({ ...own, cookie: own.cookie.replace(/=.*/, '=x') }), 401],
    ['from another site', (own) => element(own, 'image', 'cross-site'), 403],
    ['from another port of this machine', (own) => element(own, 'image', 'same-site'), 403],
    ['typed, but for an image', (own) => element(own, 'image', 'none'), 403],
    ['without saying from where', (own) => element(own, 'image', ''), 403],
    ['without saying for what', (own) => element(own, ''), 403],
    ['in a frame', (own) => element(own, 'iframe'), 403],
    ['as an object', (own) => element(own, 'object'), 403],
    ['as an embed', (own) => element(own, 'embed'), 403],
    ['as a script', (own) => element(own, 'script'), 403],
    ['as a style', (own) => element(own, 'style'), 403],
    ['as a worker', (own) => element(own, 'worker'), 403],
    ['as a service worker', (own) => element(own, 'serviceworker'), 403],
    ['twice told', (own) => [...element(own), 'Sec-Fetch-Site: same-origin'], 403],
    ['twice told for what', (own) => [...element(own), 'Sec-Fetch-Dest: document'], 403],
    ['at another host', (own) => element(own).map((line) => line.replace(/^Host:.*/, 'Host: evil.example')), 403],
  ]
  it.each(cases)('%s', async (_name, headers, status) => {
    const own = await entered()
    expect((await own.send('GET', `/content/${HANDLE}`, headers(own))).status).toBe(status)
    expect(asked).toEqual([])
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('%s', async (method) => {
    const own = await entered()
    const answer = await own.send(method, `/content/${HANDLE}`, element(own))
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD'])
    expect(asked).toEqual([])
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
  ])('%s', async (path) => {
    const own = await entered()
    expect((await own.send('GET', path, element(own))).status).toBeGreaterThanOrEqual(400)
    expect(asked).toEqual([])
  })
})

describe('safety 21: a removed element ends its requests', () => {
  const get = (own: BrowserHostSession): http.ClientRequest =>
    http.get({
      port: own.host.port,
      host: '127.0.0.1',
      path: `/content/${HANDLE}`,
      headers: { cookie: own.cookie, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'video' },
    })

  it('while the gateway has no answer yet', async () => {
    let signal: AbortSignal | undefined
    const own = await entered((request) => {
      signal = request.signal
      return new Promise(() => undefined)
    })
    const request = get(own)
    request.on('error', () => undefined)
    await expect.poll(() => signal).toBeDefined()
    request.destroy()
    await expect.poll(() => signal?.aborted).toBe(true)
  })

  it('while bytes are arriving, and no more are produced than read', async () => {
    let made = 0
    let closed = false
    const body = new Readable({
      read() {
        made += 65_536
        this.push(Buffer.alloc(65_536))
      },
      destroy(error, done) {
        closed = true
        done(error)
      },
    })
    const own = await entered(async () => ({ status: 200, headers: {}, body }))
    const request = get(own)
    request.on('error', () => undefined)
    await new Promise<void>((resolve) =>
      request.once('response', (response) => response.once('readable', () => resolve())),
    )
    await sleep(200)
    expect(made).toBeLessThan(16 * 1024 * 1024)
    request.destroy()
    await expect.poll(() => closed).toBe(true)
  })

  it('a failing body breaks the connection: the answer is not whole', async () => {
    const body = Readable.from(
      (async function* () {
        yield Buffer.alloc(1_000)
        await sleep(50)
        throw new Error('broken')
      })(),
    )
    const own = await entered(async () => ({ status: 200, headers: { 'Content-Length': '5000' }, body }))
    const request = get(own)
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
