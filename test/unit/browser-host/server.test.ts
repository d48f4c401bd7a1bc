import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBrowserHost } from '../../../electron/browser-host/index.ts'
import { pageRoutes } from '../../../electron/browser-host/routes.ts'
import { createFolderAssetServer } from '../../../electron/browser-host/responses.ts'
import {
  startBrowserHostSession,
  createFakeDispatcher,
  loginKeyOf,
  respondNotFound,
  type BrowserHostSession,
} from '../../support/browser/browser-host-session.ts'
import { sendRawRequest, buildRequestText } from '../../support/browser/raw-http.ts'

const CALL = JSON.stringify({ id: '1', method: 'app.info', input: {} })
let entered: BrowserHostSession

beforeAll(async () => {
  entered = await startBrowserHostSession()
})
afterAll(() => entered.host.close())

const options = {
  dispatcher: createFakeDispatcher(),
  contentReader: respondNotFound,
  assets: async () => undefined,
  port: 0,
}

describe('safety 11: call that outlives its page', () => {
  it('is canceled when its connection closes', async () => {
    const door = createFakeDispatcher()
    let hasArrived = false
    door.call = () => {
      hasArrived = true
      return new Promise(() => undefined)
    }
    const slow = await startBrowserHostSession(door)
    const socket = net.connect(slow.host.port, '127.0.0.1')
    const head = ['POST /ipc/call HTTP/1.1', ...slow.allowedHeaders, `Content-Length: ${CALL.length}`, '', CALL]
    socket.write(head.join('\r\n'))
    await expect.poll(() => hasArrived).toBe(true)
    socket.destroy()
    await expect.poll(() => door.cancelled).toEqual(['1'])
    await slow.host.close()
  })

  it('is canceled when the event stream of its page ends', async () => {
    const door = createFakeDispatcher()
    const host = await startBrowserHostSession(door)
    const socket = net.connect(host.host.port, '127.0.0.1')
    socket.write(['GET /ipc/events HTTP/1.1', ...host.allowedHeaders, '', ''].join('\r\n'))
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
    await expect.poll(() => door.removedCallers.length).toBe(1)
    await host.host.close()
  })
})

describe('safety 26: listening address', () => {
  it.each(['0', '::', '0x0', '', '0.0.0.0', '::1', 'localhost', '192.168.0.2'])(
    'is refused if it is %j',
    async (address) => {
      await expect(startBrowserHost({ ...options, address })).rejects.toMatchObject({ code: 'ADDRESS_NOT_LOOPBACK' })
    },
  )
})

describe('safety 27: request without a rule', () => {
  it('every route needs at least the session', async () => {
    expect(pageRoutes.length).toBeGreaterThan(3)
    for (const { method, path } of pageRoutes) {
      const response = await entered.send(
        method,
        path,
        [`Host: 127.0.0.1:${entered.host.port}`],
        method === 'POST' ? '{}' : '',
      )
      expect(response.status, path).toBe(401)
    }
  })

  it.each([
    '/ipc',
    '/ipc/',
    '/ipc/other',
    '/ipc/call/',
    '/IPC/CALL',
    '//ipc/call',
    '/../ipc/call',
    '/%2e/ipc/call',
    '/%69pc/call',
  ])('is refused as POST %s', async (path) => {
    const before = entered.dispatcher.calls.length
    const response = await entered.send('POST', path, entered.allowedHeaders, CALL)
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(entered.dispatcher.calls.length).toBe(before)
  })

  it.each(['PUT', 'DELETE', 'OPTIONS', 'PATCH', 'GET'])('is refused as %s on a route for POST', async (method) => {
    expect((await entered.send(method, '/ipc/call', entered.allowedHeaders)).status).toBe(405)
  })
})

describe('safety 28: headers of a response', () => {
  it('forbid framing, reading from other sites, and caching', async () => {
    const ownHost = `Host: 127.0.0.1:${entered.host.port}`
    const responses = [
      await entered.send('GET', '/', entered.allowedHeaders),
      await entered.send('GET', '/missing', entered.allowedHeaders),
      await entered.send('GET', '/', [ownHost]),
      await entered.send('GET', '/', ['Host: evil.example']),
      await entered.send('GET', '/?key=guess', [ownHost]),
      await entered.send('POST', '/ipc/call', entered.allowedHeaders, CALL),
      await entered.send('POST', '/ipc/call', entered.allowedHeaders, 'not json'),
      await entered.send('POST', '/ipc/call', [ownHost], CALL),
      await entered.send('OPTIONS', '/ipc/call', [...entered.allowedHeaders, 'Access-Control-Request-Method: POST']),
      await entered.send('GET', '/', []),
      await entered.send('GET', '/', [ownHost, 'Expect: the-impossible']),
      await entered.send('GET', '/', [ownHost, 'Accept: text/html']),
      await entered.send('POST', '/ipc/call', entered.allowedHeaders, '"' + 'a'.repeat(17 * 1024 * 1024) + '"'),
    ]
    expect(responses.every(({ status }) => status > 0)).toBe(true)
    for (const { headers, status } of responses) {
      const csp = headers['content-security-policy'] ?? ''
      expect(csp, String(status)).toContain("default-src 'none'")
      expect(csp).toContain("frame-ancestors 'none'")
      expect(csp).toContain("script-src 'self';")
      expect(csp).not.toContain('unsafe-eval')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['referrer-policy']).toBe('no-referrer')
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['x-frame-options']).toBe('DENY')
      expect(headers['cross-origin-opener-policy']).toBe('same-origin')
      expect(headers['cross-origin-resource-policy']).toBe('same-origin')
      expect(headers['permissions-policy']).toContain('camera=()')
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(headers['content-type']).toBeDefined()
    }
  })
})

describe('safety 29: port in use', () => {
  it('is reported with its number and what to do', async () => {
    const other = net.createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    await expect(startBrowserHost({ ...options, port })).rejects.toThrow(
      new RegExp(`Port ${port} is already in use.*--port`),
    )
    other.close()
  })
})

describe('files of the page', () => {
  let folder: string
  const look = { theme: 'light', density: 'compact', locale: 'system' } as const

  beforeAll(() => {
    folder = mkdtempSync(join(os.tmpdir(), 'bridge-inspector-static-'))
    for (const name of ['page', 'page-evil']) mkdirSync(join(folder, name))
    for (const name of ['secret.txt', 'page/index.html', 'page/app.js', 'page/odd.xyz', 'page-evil/x'])
      writeFileSync(join(folder, name), name)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /**
   * Serves a file without the guard of the server, so that only the rule of the folder
   * applies.
   */
  async function fetchFile(pathname: string): Promise<{ status: number; type: string; body: string }> {
    const server = http.createServer((request, response) => {
      void createFolderAssetServer(join(folder, 'page'), () => look)(request, response, pathname)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}/`)
    server.close()
    return { status: response.status, type: response.headers.get('content-type') ?? '', body: await response.text() }
  }

  it.each([
    ['/', 'text/html; charset=utf-8', 'page/index.html'],
    ['/app.js', 'text/javascript; charset=utf-8', 'page/app.js'],
    ['/odd.xyz', 'application/octet-stream', 'page/odd.xyz'],
  ])('serve %s with its content type', async (pathname, type, body) => {
    expect(await fetchFile(pathname)).toEqual({ status: 200, type, body })
  })

  it('contain theme, density and language before any script runs', async () => {
    writeFileSync(join(folder, 'page/index.html'), '<html lang="en">')
    expect((await fetchFile('/')).body).toBe(
      '<html data-theme="light" data-density="compact" data-locale="system" lang="en">',
    )
  })

  // Each path names an existing file.
  it.each(['/../secret.txt', '/x/../../secret.txt', '/../page-evil/x', '/./../secret.txt', '//../secret.txt'])(
    'do not include %s, which is outside the folder',
    async (pathname) => {
      expect(await fetchFile(pathname)).toMatchObject({ status: 404, body: 'There is no such page.' })
    },
  )

  it.each(['/\0', '/app.js\0.html', '/.', '/missing'])('do not include %j', async (pathname) => {
    expect((await fetchFile(pathname)).status).toBe(404)
  })
})

describe('body of a call', () => {
  it.each([
    ['too large', 413, 'INPUT_TOO_LARGE', `{"id":"1","method":"x","input":"${'a'.repeat(17 * 1024 * 1024)}"}`],
    ['no JSON', 400, 'REQUEST_MALFORMED', '{"id":'],
    ['empty', 400, 'REQUEST_MALFORMED', ''],
  ])('is refused with the reason if it is %s, and the server stays up', async (_name, status, code, body) => {
    const before = entered.dispatcher.calls.length
    const response = await entered.send('POST', '/ipc/call', entered.allowedHeaders, body)
    expect(response.status).toBe(status)
    expect(JSON.parse(response.body)).toMatchObject({ ok: false, error: { kind: 'refused', code } })
    expect(entered.dispatcher.calls.length).toBe(before)
    expect((await entered.send('POST', '/ipc/call', entered.allowedHeaders, CALL)).status).toBe(200)
  })

  it('is refused if it is invalid UTF-8', async () => {
    const head = [
      'POST /ipc/call HTTP/1.1',
      ...entered.allowedHeaders,
      'Content-Length: 3',
      'Connection: close',
      '',
      '',
    ]
    const socket = net.connect(entered.host.port, '127.0.0.1')
    socket.write(head.join('\r\n'))
    socket.write(Buffer.from([0x22, 0xff, 0x22]))
    const text = (await socket.toArray()).join('')
    expect(text).toContain(' 400 ')
    expect(text).toContain('REQUEST_MALFORMED')
  })

  it('identifies its caller by a digest of the secret', async () => {
    await entered.send('POST', '/ipc/call', entered.allowedHeaders, CALL)
    const { caller } = entered.dispatcher.calls.at(-1) ?? {}
    expect(caller).toMatch(/^browser\/[\w-]{16}\/one$/)
    expect(caller).not.toContain(entered.pageSecret)
  })
})

describe('safety 24: socket of the development server', () => {
  it('needs the cookie and the exact Origin', async () => {
    const upgraded: string[] = []
    const host = await startBrowserHost({
      ...options,
      onUpgrade: (request, socket) => {
        upgraded.push(String(request.headers['x-name']))
        socket.destroy()
      },
    })
    const ownHost = `Host: 127.0.0.1:${host.port}`
    const redeemed = await sendRawRequest(
      host.port,
      buildRequestText('GET', `/?key=${loginKeyOf(host.url)}`, [ownHost]),
    )
    const cookie = `Cookie: ${redeemed.headers['set-cookie']?.split(';')[0]}`
    const origin = `Origin: http://127.0.0.1:${host.port}`
    const requestUpgrade = (name: string, ...headers: string[]): Promise<unknown> => {
      const lines = [ownHost, `x-name: ${name}`, 'Connection: Upgrade', 'Upgrade: websocket', ...headers]
      return sendRawRequest(host.port, ['GET / HTTP/1.1', ...lines, '', ''].join('\r\n'))
    }
    await requestUpgrade('nothing')
    await requestUpgrade('cookie', cookie)
    await requestUpgrade('origin', origin)
    await requestUpgrade('foreign', cookie, 'Origin: http://evil.example')
    await requestUpgrade('both', cookie, origin)
    expect(upgraded).toEqual(['both'])
    await host.close()
  })
})

describe('safety 18: host data', () => {
  it('arrives only as the response to a call, with our content type, and has no address', async () => {
    const door = createFakeDispatcher()
    const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    door.call = async () => ({ ok: true, value: { meta: { contentType: 'image/svg+xml' }, bytes: svg.buffer } })
    const server = await startBrowserHostSession(door)
    const response = await server.send('POST', '/ipc/call', server.allowedHeaders, CALL)
    expect(response.headers['content-type']).toBe('application/vnd.bridge-inspector.binary')
    expect(response.headers['x-content-type-options']).toBe('nosniff')
    expect(response.headers['content-security-policy']).toContain("default-src 'none'")
    for (const path of ['/ipc/call', '/bridge/v1/notes/x/content/y', '/content/y', '/notes/x/content/y']) {
      const opened = await server.send('GET', path, server.allowedHeaders)
      expect([403, 404, 405], path).toContain(opened.status)
      expect(opened.body).not.toContain('<svg')
    }
    await server.host.close()
  })
})

it('safety 83: a call that a browser sends again by itself is carried out once', async () => {
  const { host, send, allowedHeaders, dispatcher } = await startBrowserHostSession()
  const ask = async () => JSON.parse((await send('POST', '/ipc/call', allowedHeaders, CALL)).body) as unknown
  expect(await ask()).toMatchObject({ ok: true })
  expect(await ask()).toMatchObject({ ok: false, error: { kind: 'refused', code: 'CALL_DUPLICATE' } })
  expect(dispatcher.calls).toHaveLength(1)
  await host.close()
})
