import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBrowserHostSession, type BrowserHostSession } from '../../support/browser/browser-host-session.ts'

const CALL = JSON.stringify({ id: '1', method: 'app.info', input: {} })
let entered: BrowserHostSession
const withPort = (name: string): string => `${name}:${entered.host.port}`

beforeAll(async () => {
  entered = await startBrowserHostSession()
})
afterAll(() => entered.host.close())

describe('safety 23: request for another host', () => {
  const foreignHosts: [string, () => string[]][] = [
    ['a foreign name', () => [`Host: ${withPort('evil.example')}`]],
    ['a name that was rebound', () => ['Host: attacker.test']],
    ['a trailing dot', () => [`Host: ${withPort('localhost.')}`]],
    ['another port', () => ['Host: 127.0.0.1:1']],
    ['no port', () => ['Host: 127.0.0.1']],
    ['an empty name', () => ['Host: ']],
    ['a doubled header', () => [`Host: ${withPort('127.0.0.1')}`, 'Host: evil.example']],
    ['another loopback address', () => [`Host: ${withPort('127.0.0.2')}`]],
    ['an integer address', () => [`Host: ${withPort('2130706433')}`]],
    ['no header at all', () => []],
  ]
  it.each(foreignHosts)('gets nothing with %s', async (_name, hosts) => {
    for (const path of ['/', '/assets/index.js', '/ipc/call', `/?key=${entered.loginKey}`]) {
      const headers = [...hosts(), ...entered.allowedHeaders.filter((line) => !line.startsWith('Host:'))]
      const response = await entered.send('GET', path, headers)
      expect(response.status).toBe(403)
      expect(response.body).not.toContain('<title>')
    }
  })

  it('gets nothing with an absolute target', async () => {
    const response = await entered.send('GET', `http://${withPort('evil.example')}/`, entered.allowedHeaders)
    expect(response.status).toBe(403)
  })

  it.each(['/\\[', '/\\:99999999', '/\\evil.example/', '//evil.example/', '/.//', '/x/../', '*'])(
    'gets nothing with the target %s, and the process stays up',
    async (target) => {
      const response = await entered.send('GET', target, entered.allowedHeaders)
      expect(response.status).toBe(403)
      expect(response.body).not.toContain('<title>')
      expect((await entered.send('GET', '/', entered.allowedHeaders)).status).toBe(200)
    },
  )

  it('is served under the two names of this machine', async () => {
    for (const name of ['127.0.0.1', 'localhost']) {
      const response = await entered.send('GET', '/', [`Host: ${withPort(name)}`, `Cookie: ${entered.cookie}`])
      expect(response.status).toBe(200)
    }
  })
})

describe('safety 24: call from another page', () => {
  const withoutHeader = (name: string): string[] => entered.allowedHeaders.filter((line) => !line.startsWith(name))
  const origins: [string, () => string[]][] = [
    ['absent', () => withoutHeader('Origin')],
    ['null', () => [...withoutHeader('Origin'), 'Origin: null']],
    ['empty', () => [...withoutHeader('Origin'), 'Origin: ']],
    [
      'a name that begins like ours',
      () => [...withoutHeader('Origin'), `Origin: http://localhost.evil:${entered.host.port}`],
    ],
    ['another port', () => [...withoutHeader('Origin'), 'Origin: http://127.0.0.1:1']],
    ['another scheme', () => [...withoutHeader('Origin'), `Origin: https://${withPort('127.0.0.1')}`]],
    ['our other name', () => [...withoutHeader('Origin'), `Origin: http://${withPort('localhost')}`]],
    ['doubled', () => [...entered.allowedHeaders, 'Origin: http://evil.example']],
    ['right, but fetched cross-site', () => [...entered.allowedHeaders, 'Sec-Fetch-Site: cross-site']],
    ['right, but fetched same-site', () => [...entered.allowedHeaders, 'Sec-Fetch-Site: same-site']],
  ]
  it.each(origins)('is refused with Origin %s', async (_name, headers) => {
    const before = entered.dispatcher.calls.length
    for (const [method, path] of [
      ['POST', '/ipc/call'],
      ['POST', '/ipc/cancel'],
      ['GET', '/ipc/events'],
      ['POST', '/ipc/enter'],
    ] as const) {
      const response = await entered.send(method, path, headers(), method === 'POST' ? CALL : '')
      expect(response.status, `${method} ${path}`).toBe(403)
    }
    expect(entered.dispatcher.calls.length).toBe(before)
  })

  it('is allowed only with the exact Origin', async () => {
    const response = await entered.send('POST', '/ipc/call', entered.allowedHeaders, CALL)
    expect(response.status).toBe(200)
    expect(JSON.parse(response.body)).toEqual({ ok: true, value: { pong: true } })
  })

  it('is refused without the cookie or the secret of the page', async () => {
    for (const name of ['Cookie', 'x-bridge-inspector-page']) {
      const response = await entered.send('POST', '/ipc/call', withoutHeader(name), CALL)
      expect(response.status, name).toBe(401)
    }
    const headersWithGuess = [...withoutHeader('x-bridge-inspector-page'), 'x-bridge-inspector-page: guess']
    expect((await entered.send('POST', '/ipc/call', headersWithGuess, CALL)).status).toBe(401)
  })
})
