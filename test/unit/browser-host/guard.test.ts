import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBrowserHostSession, type BrowserHostSession } from '../../support/browser/browser-host-session.ts'

const CALL = JSON.stringify({ id: '1', method: 'app.info', input: {} })
let entered: BrowserHostSession
const at = (name: string): string => `${name}:${entered.host.port}`

beforeAll(async () => {
  entered = await startBrowserHostSession()
})
afterAll(() => entered.host.close())

describe('safety 23: a request that names another host gets nothing', () => {
  const foreign: [string, () => string[]][] = [
    ['a foreign name', () => [`Host: ${at('evil.example')}`]],
    ['a name that was rebound', () => ['Host: attacker.test']],
    ['a trailing dot', () => [`Host: ${at('localhost.')}`]],
    ['another port', () => ['Host: 127.0.0.1:1']],
    ['no port', () => ['Host: 127.0.0.1']],
    ['an empty name', () => ['Host: ']],
    ['a doubled header', () => [`Host: ${at('127.0.0.1')}`, 'Host: evil.example']],
    ['another loopback address', () => [`Host: ${at('127.0.0.2')}`]],
    ['an integer address', () => [`Host: ${at('2130706433')}`]],
    ['no header at all', () => []],
  ]
  it.each(foreign)('%s', async (_name, hosts) => {
    for (const path of ['/', '/assets/index.js', '/ipc/call', `/?key=${entered.loginKey}`]) {
      const headers = [...hosts(), ...entered.allowedHeaders.filter((line) => !line.startsWith('Host:'))]
      const answer = await entered.send('GET', path, headers)
      expect(answer.status).toBe(403)
      expect(answer.body).not.toContain('<title>')
    }
  })

  it('an absolute target', async () => {
    const answer = await entered.send('GET', `http://${at('evil.example')}/`, entered.allowedHeaders)
    expect(answer.status).toBe(403)
  })

  it.each(['/\\[', '/\\:99999999', '/\\evil.example/', '//evil.example/', '/.//', '/x/../', '*'])(
    'the target %s, and the process lives',
    async (target) => {
      const answer = await entered.send('GET', target, entered.allowedHeaders)
      expect(answer.status).toBe(403)
      expect(answer.body).not.toContain('<title>')
      expect((await entered.send('GET', '/', entered.allowedHeaders)).status).toBe(200)
    },
  )

  it('the two names of this machine are its own', async () => {
    for (const name of ['127.0.0.1', 'localhost']) {
      const answer = await entered.send('GET', '/', [`Host: ${at(name)}`, `Cookie: ${entered.cookie}`])
      expect(answer.status).toBe(200)
    }
  })
})

describe('safety 24: a call that does not come from our own page is refused', () => {
  const without = (name: string): string[] => entered.allowedHeaders.filter((line) => !line.startsWith(name))
  const origins: [string, () => string[]][] = [
    ['absent', () => without('Origin')],
    ['null', () => [...without('Origin'), 'Origin: null']],
    ['empty', () => [...without('Origin'), 'Origin: ']],
    [
      'a name that begins like ours',
      () => [...without('Origin'), `Origin: http://localhost.evil:${entered.host.port}`],
    ],
    ['another port', () => [...without('Origin'), 'Origin: http://127.0.0.1:1']],
    ['another scheme', () => [...without('Origin'), `Origin: https://${at('127.0.0.1')}`]],
    ['our other name', () => [...without('Origin'), `Origin: http://${at('localhost')}`]],
    ['doubled', () => [...entered.allowedHeaders, 'Origin: http://evil.example']],
    ['right, but fetched cross-site', () => [...entered.allowedHeaders, 'Sec-Fetch-Site: cross-site']],
    ['right, but fetched same-site', () => [...entered.allowedHeaders, 'Sec-Fetch-Site: same-site']],
  ]
  it.each(origins)('Origin %s', async (_name, headers) => {
    const before = entered.dispatcher.calls.length
    for (const [method, path] of [
      ['POST', '/ipc/call'],
      ['POST', '/ipc/cancel'],
      ['GET', '/ipc/events'],
      ['POST', '/ipc/enter'],
    ] as const) {
      const answer = await entered.send(method, path, headers(), method === 'POST' ? CALL : '')
      expect(answer.status, `${method} ${path}`).toBe(403)
    }
    expect(entered.dispatcher.calls.length).toBe(before)
  })

  it('the exact Origin passes', async () => {
    const answer = await entered.send('POST', '/ipc/call', entered.allowedHeaders, CALL)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toEqual({ ok: true, value: { pong: true } })
  })

  it('a call without the cookie or without the secret of the page is refused', async () => {
    for (const name of ['Cookie', 'x-bridge-inspector-page']) {
      const answer = await entered.send('POST', '/ipc/call', without(name), CALL)
      expect(answer.status, name).toBe(401)
    }
    const guessed = [...without('x-bridge-inspector-page'), 'x-bridge-inspector-page: guess']
    expect((await entered.send('POST', '/ipc/call', guessed, CALL)).status).toBe(401)
  })
})
