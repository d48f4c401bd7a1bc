/** @module-tag slow */

import net, { type Socket } from 'node:net'
import type { RequestListener } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { createServerSite } from '../../../../electron/services/panel/site/server-site.ts'
import type { NewPanelNote } from '../../../../electron/services/panel/call/types.ts'
import { AppError } from '../../../../shared/errors.ts'
import { openPanel } from '../../../support/program/panel.ts'
import { startHttpServer, startSocketServer, type LoopbackServer } from '../../../support/services/relay.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Creates the origin of a panel in front of a development server. */
async function createSite(server: LoopbackServer) {
  closing.push(() => server.close())
  const notes: NewPanelNote[] = []
  const site = await createServerSite(`http://127.0.0.1:${server.port}/app/?a=1`, (note) => void notes.push(note))
  const request = (path = '/', init?: RequestInit) => site.serve(new Request(`http://panel.test${path}`, init))
  return { site, ask: request, notes }
}
const startServing = async (serve: RequestListener) => createSite(await startHttpServer(serve))
/** Starts a server that sends these bytes after a request, and then runs the action. */
const startSending = async (bytes: string, onSent: (socket: Socket) => void = (socket) => socket.end()) =>
  createSite(
    await startSocketServer((socket) =>
      socket.once('data', () => {
        socket.write(bytes)
        onSent(socket)
      }),
    ),
  )

describe('development server behind the panel’s own origin', () => {
  test('is addressed by its own address, without headers about the panel or the inspector', async () => {
    let rawHeaders: readonly string[] = []
    const { site, ask } = await startServing((request, response) => {
      rawHeaders = request.rawHeaders
      response.writeHead(200, { 'Content-Type': 'text/html', Connection: 'keep-alive' }).end('<p>here')
    })
    const response = await ask('/app/x.js?v=2', {
      headers: {
        ...{ Origin: 'http://panel.test', Referer: 'http://panel.test/', 'Sec-Fetch-Site': 'same-origin' },
        ...{ Upgrade: 'websocket', 'X-Forwarded-For': '1.2.3.4', 'X-Inspector-Via': 'host.api', 'X-Own': 'kept' },
      },
    })
    expect([response.status, await response.text(), response.headers.get('connection')]).toEqual([200, '<p>here', null])
    expect(site.start).toBe('/app/?a=1')
    const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
    expect(names.sort()).toEqual(['accept-encoding', 'connection', 'host', 'x-own'])
    expect(rawHeaders).toContain(`127.0.0.1:${site.socketTarget?.port}`)
  })

  test.each([
    ['resets the connection', '', (socket: Socket) => socket.resetAndDestroy()],
    ['closes it', '', (socket: Socket) => socket.destroy()],
    ['speaks no HTTP', 'SSH-2.0-OpenSSH\r\n', (socket: Socket) => socket.end()],
    ['sends a header of 1 MB', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(1024 * 1024)}\r\n\r\n`, () => undefined],
    [
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      () => undefined,
    ],
    ['sends an invalid status', 'HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n', () => undefined],
  ])('becomes a plain 502 for the page if it %s', async (_, bytes, onSent) => {
    const { ask } = await startSending(bytes, onSent)
    const response = await ask()
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/plain; charset=utf-8'])
  })

  test('becomes a plain 502 if it is not running', async () => {
    const server = await startHttpServer(() => undefined)
    const { ask } = await createSite(server)
    await server.close()
    expect((await ask()).status).toBe(502)
  })

  test('makes the response incomplete if it breaks off', async () => {
    const { ask } = await startSending('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', (socket) =>
      socket.destroy(),
    )
    const response = await ask()
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  })

  test('is disconnected once the page gives up', async () => {
    let closedCount = 0
    let resolveAsked = (): void => undefined
    const isAsked = new Promise<void>((resolve) => (resolveAsked = resolve))
    const { ask } = await startServing((request) => {
      request.socket.once('close', () => (closedCount += 1))
      resolveAsked()
    })
    const page = new AbortController()
    const response = ask('/', { signal: page.signal })
    await isAsked
    page.abort()
    expect((await response).status).toBe(502)
    await expect.poll(() => closedCount).toBe(1)
  })

  test('may redirect only within itself', async () => {
    const { ask, notes, site } = await startServing((request, response) => {
      const location = decodeURIComponent((request.url ?? '').slice(2))
      response.writeHead(302, { Location: location }).end()
    })
    const requestRedirect = async (location: string) => {
      const response = await ask(`/?${encodeURIComponent(location)}`, { redirect: 'manual' })
      return [response.status, response.headers.get('location')]
    }
    const port = site.socketTarget?.port ?? 0
    expect(await requestRedirect('/login?x=1')).toEqual([302, '/login?x=1'])
    expect(await requestRedirect('next')).toEqual([302, 'next'])
    expect(await requestRedirect(`http://localhost:${port}/a#b`)).toEqual([302, '/a#b'])
    const foreignLocations = [
      ...['http://example.com/', '//example.com/', '\\\\example.com/', 'https://127.0.0.1/', 'javascript:alert(1)'],
      ...['file:///etc/passwd', `http://127.0.0.1:${port + 1}/`, `http://127.0.0.1.example.com:${port}/`],
    ]
    for (const location of foreignLocations)
      expect([location, ...(await requestRedirect(location))]).toEqual([location, 502, null])
    expect(notes.map(({ kind, what }) => [kind, what])).toEqual(foreignLocations.map(() => ['refused', 'navigation']))
  })
})

test.each([
  'http://example.com/',
  'https://127.0.0.1/',
  'http://10.0.0.1/',
  'http://user:x@127.0.0.1/',
  'http://0.0.0.0/',
])('%s is refused as a development server', async (url) => {
  const failed = await createServerSite(url, () => undefined).catch((error: unknown) => error)
  expect(failed instanceof AppError && failed.wire.code).toBe('PANEL_NOT_LOOPBACK')
})

/**
 * A server in its own thread, so that its memory is not counted. It sends HTML as fast as it
 * is read, without an end or a length.
 */
const ENDLESS_SERVER_SCRIPT = `
  const { parentPort } = require('node:worker_threads')
  const piece = Buffer.alloc(65536, '<p>')
  require('node:http').createServer((request, response) => {
    request.resume()
    response.on('error', () => undefined)
    response.writeHead(request.method === 'POST' ? 500 : 200, { 'Content-Type': 'text/html' })
    const more = () => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  }).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port) })`

const MB = 1024 * 1024
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const measureHeldBytes = (): number => {
  // The second collection ends the sweep of buffers that the first one has begun.
  collectGarbage()
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

describe('safety 60: development server that sends HTML without end', () => {
  test.each([
    ['to a page that reads nothing', 'GET', '', false],
    ['to a page that reads everything', 'GET', '', true],
    ['as a refusal while the request body is still being sent', 'POST', 'Content-Length: 100000000', true],
  ])('is held in memory only at its beginning, %s', async (_, method, more, isRead) => {
    const worker = new Worker(ENDLESS_SERVER_SCRIPT, { eval: true })
    onTestFinished(async () => void (await worker.terminate()))
    const port = await new Promise<number>((resolve) => worker.once('message', resolve))
    const panel = await openPanel({ kind: 'server', url: `http://127.0.0.1:${port}/` })
    const before = measureHeldBytes()
    let received = 0
    const socket = net.connect(panel.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined)
    socket.write(
      `${method} / HTTP/1.1\r\nHost: ${panel.host}\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Dest: iframe\r\n${more === '' ? '' : `${more}\r\n`}\r\n${more === '' ? '' : 'x'}`,
    )
    if (isRead) socket.on('data', (bytes) => (received += bytes.byteLength))
    let peak = 0
    for (const end = Date.now() + 1_500; Date.now() < end;) {
      peak = Math.max(peak, measureHeldBytes() - before)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(Math.round(peak / MB)).toBeLessThan(64)
    if (isRead) await expect.poll(() => received).toBeGreaterThan(0)
  })
})
