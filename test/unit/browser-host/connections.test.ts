import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import net, { type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultConnectionLimits, type ConnectionLimits } from '../../../electron/browser-host/connection-limiter.ts'
import { startBrowserHost, type BrowserHost } from '../../../electron/browser-host/index.ts'
import {
  startBrowserHostSession,
  createFakeDispatcher,
  emptyContentReader,
  type BrowserHostSession,
  type FakeDispatcher,
} from '../../support/browser/browser-host-session.ts'

const CALL = JSON.stringify({ id: '1', method: 'app.info', input: {} })
const LONG = 20_000
/** So long that no test ends because of them. */
const patient = {
  headersMs: 3_600_000,
  requestMs: 3_600_000,
  idleMs: 3_600_000,
  checkIntervalMs: 20,
  maxNewConnections: 0,
}
let hosts: BrowserHostSession[] = []
let bare: BrowserHost[] = []
let sockets: Socket[] = []
/** The server's ends of the connections. */
let accepted: Socket[] = []
const onSocket = (message: unknown): void => void accepted.push((message as { socket: Socket }).socket)

beforeEach(() => {
  ;[hosts, bare, sockets, accepted] = [[], [], [], []]
  subscribe('net.server.socket', onSocket)
})
afterEach(async () => {
  unsubscribe('net.server.socket', onSocket)
  for (const socket of sockets) socket.destroy()
  await Promise.all([...bare, ...hosts.map(({ host }) => host)].map((host) => host.close()))
})

async function start(
  limits: Partial<ConnectionLimits> = {},
  door: FakeDispatcher = createFakeDispatcher(),
): Promise<BrowserHostSession> {
  const own = await startBrowserHostSession(door, undefined, { ...patient, ...limits })
  hosts.push(own)
  accepted.length = 0
  return own
}

interface Line {
  readonly socket: Socket
  readonly heard: () => string
  /** `end` if the server closed cleanly, otherwise the error code. */
  readonly closed: Promise<string>
}

/** Nobody has entered, so that nothing in the test itself can be too slow for its limits. */
async function closed(limits: Partial<ConnectionLimits>): Promise<BrowserHost> {
  const own = {
    dispatcher: createFakeDispatcher(),
    contentReader: emptyContentReader,
    assets: async () => undefined,
    port: 0,
  }
  const host = await startBrowserHost({ ...own, limits: { ...patient, ...limits } })
  bare.push(host)
  return host
}

async function dial({ host }: Pick<BrowserHostSession, 'host'>, ...lines: string[]): Promise<Line> {
  const socket = net.connect({ port: host.port, host: '127.0.0.1', allowHalfOpen: false })
  sockets.push(socket)
  let [text, error] = ['', 'end']
  socket.on('data', (piece: Buffer) => (text += piece.toString()))
  socket.on('error', (thrown: NodeJS.ErrnoException) => (error = thrown.code ?? 'error'))
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(error)))
  const before = accepted.length
  await new Promise((resolve) => socket.once('connect', resolve))
  await expect.poll(() => accepted.length, { timeout: LONG }).toBeGreaterThan(before)
  if (lines.length > 0) socket.write(lines.join('\r\n'))
  return { socket, heard: () => text, closed }
}

const post = (headers: readonly string[], ...more: string[]): string[] => [
  'POST /ipc/call HTTP/1.1',
  ...headers,
  ...more,
]

describe('safety 35: an idle connection is closed', () => {
  it('when it says nothing', async () => {
    const line = await dial({ host: await closed({ headersMs: 40 }) })
    await line.closed
    expect(line.heard()).toBe('')
  })

  it('when its headers trickle in', async () => {
    const host = await closed({ headersMs: 60 })
    const line = await dial({ host }, 'GET / HTTP/1.1', `Host: 127.0.0.1:${host.port}`, 'X-Drop: ')
    const drops = setInterval(() => line.socket.write('x'), 5)
    await line.closed
    clearInterval(drops)
    expect(line.heard()).toBe('')
  })

  it('when nothing follows its answer', async () => {
    const own = await start({ idleMs: 40 })
    const line = await dial(own, 'GET / HTTP/1.1', ...own.allowedHeaders, '', '')
    expect(await line.closed).toBe('end')
    expect(line.heard()).toContain('200 OK')
  })

  it('the limits are of seconds', () => {
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

describe('safety 35: a flood of connections keeps nobody out', () => {
  it('strangers push out earlier strangers', async () => {
    const own = await start({ maxStrangers: 3 })
    const lines: Line[] = []
    for (let times = 0; times < 3; times += 1) lines.push(await dial(own))
    expect(accepted.some(({ destroyed }) => destroyed)).toBe(false)
    await dial(own)
    await lines[0]?.closed
    expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false])
  })

  it('a page stays, receives its events, and gets in again', async () => {
    const door = createFakeDispatcher()
    const own = await start({ maxStrangers: 3 }, door)
    const events = await dial(own, 'GET /ipc/events HTTP/1.1', ...own.allowedHeaders, '', '')
    await expect.poll(events.heard, { timeout: LONG }).toContain('connected')
    for (let times = 0; times < 60; times += 1) await dial(own)
    door.publish({ topic: 'app.notice', payload: { times: 60 } })
    await expect.poll(events.heard, { timeout: LONG }).toContain('"times":60')
    expect((await own.send('POST', '/ipc/call', own.allowedHeaders, CALL)).status).toBe(200)
    expect(accepted.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(3 + 2)
  })

  it('a guessed cookie makes no guest', async () => {
    const own = await start({ maxStrangers: 2 })
    const cookie = `Cookie: ${own.cookie.replace(/=.*/, '=guess')}`
    const line = await dial(own, 'GET / HTTP/1.1', `Host: 127.0.0.1:${own.host.port}`, cookie, '', '')
    await line.closed
    expect(line.heard()).toContain('401')
  })
})

describe('safety 10: the rest of a refused request is not read', () => {
  const refused: [string, (own: BrowserHostSession) => readonly string[], string][] = [
    ['without a cookie', (own) => own.allowedHeaders.filter((line) => !line.startsWith('Cookie')), '401 Unauthorized'],
    ['from another origin', (own) => [...own.allowedHeaders, 'Origin: http://evil.example'], '403 Forbidden'],
    ['for another host', (own) => [...own.allowedHeaders, 'Host: evil.example'], '403 Forbidden'],
    ['larger than a call may be', (own) => own.allowedHeaders, '413 Payload Too Large'],
  ]
  it.each(refused)('%s', async (_name, headers, status) => {
    const own = await start()
    const line = await dial(own, ...post(headers(own), 'Content-Length: 1000000000', '', ''))
    await expect.poll(line.heard, { timeout: LONG }).toContain(status)
    expect(line.heard()).toContain('Connection: close')
    const piece = Buffer.alloc(1024 * 1024)
    let closed = false
    void line.closed.then(() => (closed = true))
    for (let sent = 0; sent < 64 && !closed; sent += 1) {
      if (!line.socket.write(piece)) {
        await Promise.race([new Promise((resolve) => line.socket.once('drain', resolve)), line.closed])
      }
    }
    await line.closed
    expect(accepted[0]?.bytesRead).toBeLessThan(1024 * 1024)
    expect(own.dispatcher.calls).toEqual([])
    expect((await own.send('POST', '/ipc/call', own.allowedHeaders, CALL)).status).toBe(200)
  })

  it('of one without a length no more than a call may have', async () => {
    const own = await start()
    const line = await dial(own, ...post(own.allowedHeaders, 'Transfer-Encoding: chunked', '', ''))
    const chunk = `100000\r\n${'a'.repeat(0x100000)}\r\n`
    let closed = false
    void line.closed.then(() => (closed = true))
    for (let sent = 0; sent < 128 && !closed; sent += 1) {
      if (!line.socket.write(chunk)) {
        await Promise.race([new Promise((resolve) => line.socket.once('drain', resolve)), line.closed])
      }
    }
    await line.closed
    expect(line.heard()).toContain('INPUT_TOO_LARGE')
    expect(accepted[0]?.bytesRead).toBeLessThan(18 * 1024 * 1024)
    expect((await own.send('POST', '/ipc/call', own.allowedHeaders, CALL)).status).toBe(200)
  })

  it('one sent by accident is told why, and closed cleanly', async () => {
    const own = await start()
    const headers = own.allowedHeaders.filter((line) => !line.startsWith('Cookie'))
    const line = await dial(own, ...post(headers, `Content-Length: ${CALL.length}`, '', ''))
    await expect.poll(line.heard, { timeout: LONG }).toContain('has no access')
    line.socket.write(CALL)
    expect(await line.closed).toBe('end')
  })

  it('one that asks whether to send is told to continue only if it may', async () => {
    const own = await start()
    const asks = [`Content-Length: ${CALL.length}`, 'Expect: 100-continue', '', '']
    const stranger = await dial(
      own,
      ...post(
        own.allowedHeaders.filter((line) => !line.startsWith('Cookie')),
        ...asks,
      ),
    )
    await expect.poll(stranger.heard, { timeout: LONG }).toMatch(/^HTTP\/1\.1 401 /)
    const page = await dial(own, ...post(own.allowedHeaders, ...asks))
    await expect.poll(page.heard, { timeout: LONG }).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    page.socket.write(CALL)
    await expect.poll(page.heard, { timeout: LONG }).toContain('200 OK')
  })
})
