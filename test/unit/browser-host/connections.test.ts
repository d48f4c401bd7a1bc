import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import net, { type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultConnectionLimits, type ConnectionLimits } from '../../../electron/system/connection-limiter.ts'
import { startBrowserHost, type BrowserHost } from '../../../electron/browser-host/index.ts'
import {
  startBrowserHostSession,
  createFakeDispatcher,
  respondNotFound,
  type BrowserHostSession,
  type FakeDispatcher,
} from '../../support/browser/browser-host-session.ts'

const CALL = JSON.stringify({ id: '1', method: 'app.info', input: {} })
const POLL_TIMEOUT_MS = 20_000
/** Limits so long that no test ends because of them. */
const patientLimits = {
  headersMs: 3_600_000,
  requestMs: 3_600_000,
  idleMs: 3_600_000,
  checkIntervalMs: 20,
  maxNewConnections: 0,
}
let hosts: BrowserHostSession[] = []
let hostsWithoutPage: BrowserHost[] = []
let sockets: Socket[] = []
/** The server's ends of the connections. */
let accepted: Socket[] = []
const onSocket = (message: unknown): void => void accepted.push((message as { socket: Socket }).socket)

beforeEach(() => {
  ;[hosts, hostsWithoutPage, sockets, accepted] = [[], [], [], []]
  subscribe('net.server.socket', onSocket)
})
afterEach(async () => {
  unsubscribe('net.server.socket', onSocket)
  for (const socket of sockets) socket.destroy()
  await Promise.all([...hostsWithoutPage, ...hosts.map(({ host }) => host)].map((host) => host.close()))
})

async function start(
  limits: Partial<ConnectionLimits> = {},
  door: FakeDispatcher = createFakeDispatcher(),
): Promise<BrowserHostSession> {
  const server = await startBrowserHostSession(door, undefined, { ...patientLimits, ...limits })
  hosts.push(server)
  accepted.length = 0
  return server
}

interface Connection {
  readonly socket: Socket
  readonly getReceived: () => string
  /** `end` if the server closed cleanly, otherwise the error code. */
  readonly closed: Promise<string>
}

/**
 * Starts a host that no page has entered, so that no request of the test itself can run into
 * the limits.
 */
async function startWithoutPage(limits: Partial<ConnectionLimits>): Promise<BrowserHost> {
  const options = {
    dispatcher: createFakeDispatcher(),
    contentReader: respondNotFound,
    assets: async () => undefined,
    port: 0,
  }
  const host = await startBrowserHost({ ...options, limits: { ...patientLimits, ...limits } })
  hostsWithoutPage.push(host)
  return host
}

async function dial({ host }: Pick<BrowserHostSession, 'host'>, ...lines: string[]): Promise<Connection> {
  const socket = net.connect({ port: host.port, host: '127.0.0.1', allowHalfOpen: false })
  sockets.push(socket)
  let [text, error] = ['', 'end']
  socket.on('data', (piece: Buffer) => (text += piece.toString()))
  socket.on('error', (thrown: NodeJS.ErrnoException) => (error = thrown.code ?? 'error'))
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(error)))
  const before = accepted.length
  await new Promise((resolve) => socket.once('connect', resolve))
  await expect.poll(() => accepted.length, { timeout: POLL_TIMEOUT_MS }).toBeGreaterThan(before)
  if (lines.length > 0) socket.write(lines.join('\r\n'))
  return { socket, getReceived: () => text, closed }
}

const buildPost = (headers: readonly string[], ...more: string[]): string[] => [
  'POST /ipc/call HTTP/1.1',
  ...headers,
  ...more,
]

describe('safety 35: idle connection', () => {
  it('is closed if it sends nothing', async () => {
    const line = await dial({ host: await startWithoutPage({ headersMs: 40 }) })
    await line.closed
    expect(line.getReceived()).toBe('')
  })

  it('is closed if its headers trickle in', async () => {
    const host = await startWithoutPage({ headersMs: 60 })
    const line = await dial({ host }, 'GET / HTTP/1.1', `Host: 127.0.0.1:${host.port}`, 'X-Drop: ')
    const drops = setInterval(() => line.socket.write('x'), 5)
    await line.closed
    clearInterval(drops)
    expect(line.getReceived()).toBe('')
  })

  it('is closed if nothing follows its response', async () => {
    const server = await start({ idleMs: 40 })
    const line = await dial(server, 'GET / HTTP/1.1', ...server.allowedHeaders, '', '')
    expect(await line.closed).toBe('end')
    expect(line.getReceived()).toContain('200 OK')
  })

  it('has limits of a few seconds', () => {
    expect(defaultConnectionLimits).toEqual({
      headersMs: 10_000,
      requestMs: 60_000,
      idleMs: 5_000,
      checkIntervalMs: 1_000,
      graceMs: 250,
      maxNewConnections: 256,
      maxStrangers: 32,
      maxGuests: 128,
    })
  })
})

describe('safety 35: flood of connections', () => {
  it('pushes out earlier strangers', async () => {
    const server = await start({ maxStrangers: 3 })
    const lines: Connection[] = []
    for (let times = 0; times < 3; times += 1) lines.push(await dial(server))
    expect(accepted.some(({ destroyed }) => destroyed)).toBe(false)
    await dial(server)
    await lines[0]?.closed
    expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false])
  })

  it('lets a page stay, receive its events, and connect again', async () => {
    const door = createFakeDispatcher()
    const server = await start({ maxStrangers: 3 }, door)
    const events = await dial(server, 'GET /ipc/events HTTP/1.1', ...server.allowedHeaders, '', '')
    await expect.poll(events.getReceived, { timeout: POLL_TIMEOUT_MS }).toContain('connected')
    for (let times = 0; times < 60; times += 1) await dial(server)
    door.publish({ topic: 'app.notice', payload: { times: 60 } })
    await expect.poll(events.getReceived, { timeout: POLL_TIMEOUT_MS }).toContain('"times":60')
    expect((await server.send('POST', '/ipc/call', server.allowedHeaders, CALL)).status).toBe(200)
    expect(accepted.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(3 + 2)
  })

  it('is not helped by a guessed cookie', async () => {
    const server = await start({ maxStrangers: 2 })
    const cookie = `Cookie: ${server.cookie.replace(/=.*/, '=guess')}`
    const line = await dial(server, 'GET / HTTP/1.1', `Host: 127.0.0.1:${server.host.port}`, cookie, '', '')
    await line.closed
    expect(line.getReceived()).toContain('401')
  })
})

describe('safety 10: refused request', () => {
  const refusedRequests: [string, (server: BrowserHostSession) => readonly string[], string][] = [
    [
      'sent without a cookie',
      (server) => server.allowedHeaders.filter((line) => !line.startsWith('Cookie')),
      '401 Unauthorized',
    ],
    [
      'sent from another origin',
      (server) => [...server.allowedHeaders, 'Origin: http://evil.example'],
      '403 Forbidden',
    ],
    ['sent for another host', (server) => [...server.allowedHeaders, 'Host: evil.example'], '403 Forbidden'],
    ['larger than a call may be', (server) => server.allowedHeaders, '413 Payload Too Large'],
  ]
  it.each(refusedRequests)('is not read to its end if it is %s', async (_name, headers, status) => {
    const server = await start()
    const line = await dial(server, ...buildPost(headers(server), 'Content-Length: 1000000000', '', ''))
    await expect.poll(line.getReceived, { timeout: POLL_TIMEOUT_MS }).toContain(status)
    expect(line.getReceived()).toContain('Connection: close')
    const piece = Buffer.alloc(1024 * 1024)
    let closed = false
    void line.closed.then(() => (closed = true))
    for (let round = 0; round < 64 && !closed; round += 1) {
      if (!line.socket.write(piece)) {
        await Promise.race([new Promise((resolve) => line.socket.once('drain', resolve)), line.closed])
      }
    }
    await line.closed
    expect(accepted[0]?.bytesRead).toBeLessThan(1024 * 1024)
    expect(server.dispatcher.calls).toEqual([])
    expect((await server.send('POST', '/ipc/call', server.allowedHeaders, CALL)).status).toBe(200)
  })

  it('is read no further than a call may be long if it has no length', async () => {
    const server = await start()
    const line = await dial(server, ...buildPost(server.allowedHeaders, 'Transfer-Encoding: chunked', '', ''))
    const chunk = `100000\r\n${'a'.repeat(0x100000)}\r\n`
    let closed = false
    void line.closed.then(() => (closed = true))
    for (let round = 0; round < 128 && !closed; round += 1) {
      if (!line.socket.write(chunk)) {
        await Promise.race([new Promise((resolve) => line.socket.once('drain', resolve)), line.closed])
      }
    }
    await line.closed
    expect(line.getReceived()).toContain('INPUT_TOO_LARGE')
    expect(accepted[0]?.bytesRead).toBeLessThan(18 * 1024 * 1024)
    expect((await server.send('POST', '/ipc/call', server.allowedHeaders, CALL)).status).toBe(200)
  })

  it('gets the reason and a clean close if it is small', async () => {
    const server = await start()
    const headers = server.allowedHeaders.filter((line) => !line.startsWith('Cookie'))
    const line = await dial(server, ...buildPost(headers, `Content-Length: ${CALL.length}`, '', ''))
    await expect.poll(line.getReceived, { timeout: POLL_TIMEOUT_MS }).toContain('has no access')
    line.socket.write(CALL)
    expect(await line.closed).toBe('end')
  })

  it('is not continued if it asks first whether to send its body', async () => {
    const server = await start()
    const expectHeaders = [`Content-Length: ${CALL.length}`, 'Expect: 100-continue', '', '']
    const stranger = await dial(
      server,
      ...buildPost(
        server.allowedHeaders.filter((line) => !line.startsWith('Cookie')),
        ...expectHeaders,
      ),
    )
    await expect.poll(stranger.getReceived, { timeout: POLL_TIMEOUT_MS }).toMatch(/^HTTP\/1\.1 401 /)
    const page = await dial(server, ...buildPost(server.allowedHeaders, ...expectHeaders))
    await expect.poll(page.getReceived, { timeout: POLL_TIMEOUT_MS }).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    page.socket.write(CALL)
    await expect.poll(page.getReceived, { timeout: POLL_TIMEOUT_MS }).toContain('200 OK')
  })
})
