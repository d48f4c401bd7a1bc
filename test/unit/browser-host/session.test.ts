import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBrowserSession } from '../../../electron/browser-host/browser-session.ts'
import { startBrowserHost } from '../../../electron/browser-host/index.ts'
import {
  enteredHost,
  fakeDoor,
  keyOf,
  ticketOf,
  type EnteredHost,
  noContent,
} from '../../support/browser/browser-host.ts'
import { rawRequest, requestText, type RawAnswer } from '../../support/browser/raw-http.ts'

const CALL = JSON.stringify({ id: '1', method: 'app.info', input: {} })
let entered: EnteredHost
let own: string
let origin: string

beforeEach(async () => {
  entered = await enteredHost()
  own = `Host: 127.0.0.1:${entered.host.port}`
  origin = `Origin: http://127.0.0.1:${entered.host.port}`
})
afterEach(() => entered.host.close())

const open = (key: string, ...headers: string[]): Promise<RawAnswer> =>
  entered.send('GET', `/?key=${key}`, [own, ...headers])
const enter = (cookie: string, body: unknown): Promise<RawAnswer> =>
  entered.send('POST', '/ipc/enter', [own, origin, `Cookie: ${cookie}`], JSON.stringify(body))
const callWith = (cookie: string, secret: string): Promise<RawAnswer> =>
  entered.send('POST', '/ipc/call', [own, origin, `Cookie: ${cookie}`, `x-bridge-inspector-page: ${secret}`], CALL)

describe('safety 25: the key in the address works once', () => {
  it('becomes a cookie no script and no other site gets, and disappears from the address', async () => {
    const name = `bridge-inspector-${entered.host.port}`
    expect(entered.setCookie).toMatch(new RegExp(`^${name}=[\\w-]{32}; HttpOnly; SameSite=Strict; Path=/$`))
    expect(entered.ticket).toMatch(/^[\w-]{32}$/)
    expect([entered.ticket, entered.secret]).not.toContain(entered.key)
  })

  it('a replayed key gets nothing, and the terminal shows a new one', async () => {
    const replayed = await open(entered.key, 'Accept: text/html')
    expect(replayed.status).toBe(403)
    expect(replayed.headers['set-cookie']).toBeUndefined()
    expect(replayed.headers['location']).toBeUndefined()
    expect(replayed.body).toContain('terminal')
    expect(entered.fresh).toHaveLength(1)
    const fresh = keyOf(entered.fresh[0])
    expect(replayed.body).not.toContain(fresh)
    expect((await open(fresh)).status).toBe(303)
    expect((await open(fresh)).status).toBe(403)
  })

  it('a guessed key gets nothing, not even a line in the terminal', async () => {
    for (const key of ['guess', '', entered.key.slice(1), `${entered.key}x`, '%00', '%']) {
      const answer = await open(key)
      expect(answer.status, key).toBe(403)
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    expect(entered.fresh).toEqual([])
  })

  it('a newer key invalidates an unused one, and the terminal is not flooded', async () => {
    for (let times = 0; times < 5; times += 1) await open(entered.key)
    expect(entered.fresh).toHaveLength(1)
  })

  it('a user who followed a link gets in through a page of ours, because the browser would withhold a Strict cookie', async () => {
    await open(entered.key)
    const answer = await open(keyOf(entered.fresh[0]), 'Sec-Fetch-Site: cross-site')
    expect(answer.status).toBe(200)
    expect(answer.headers['set-cookie']).toContain('SameSite=Strict')
    const ticket = ticketOf(/url=([^"]+)"/.exec(answer.body)?.[1])
    const { status } = await enter(answer.headers['set-cookie']?.split(';')[0] ?? '', { ticket })
    expect(status).toBe(200)
  })

  it('the cookie of another run on the same port opens nothing', async () => {
    const { port } = entered.host
    await entered.host.close()
    const again = await startBrowserHost({
      dispatcher: fakeDoor(),
      contentReader: noContent,
      assets: async () => undefined,
      port,
    })
    const answer = await rawRequest(port, requestText('GET', '/', [own, `Cookie: ${entered.cookie}`]))
    expect(answer.status).toBe(401)
    await again.close()
  })
})

describe('safety 25: the cookie alone, which every port of this machine gets, allows no call', () => {
  it('no page secret for a cookie without a ticket', async () => {
    for (const body of [{}, { ticket: '' }, { ticket: 'guess' }, { ticket: null }, [], 7, null]) {
      const answer = await enter(entered.cookie, body)
      expect(answer.status, JSON.stringify(body)).toBe(403)
      expect(answer.body).not.toContain(entered.secret)
    }
    expect(entered.fresh).toHaveLength(1)
  })

  it('a ticket is spent with the first call of its page, and not before', async () => {
    expect(JSON.parse((await enter(entered.cookie, { ticket: entered.ticket })).body)).toEqual({
      secret: entered.secret,
    })
    expect((await callWith(entered.cookie, entered.secret)).status).toBe(200)
    expect((await enter(entered.cookie, { ticket: entered.ticket })).status).toBe(403)
  })

  it('a ticket or a secret is worth nothing without the cookie that belongs to it', async () => {
    await open(entered.key)
    const other = await open(keyOf(entered.fresh[0]))
    const cookie = other.headers['set-cookie']?.split(';')[0] ?? ''
    expect(cookie).not.toBe(entered.cookie)
    expect((await enter(cookie, { ticket: entered.ticket })).status).toBe(403)
    expect((await callWith(cookie, entered.secret)).status).toBe(401)
    expect((await callWith('', entered.secret)).status).toBe(401)
    expect((await callWith(entered.cookie, entered.secret)).status).toBe(200)
  })

  it('a browser already let in keeps its cookie, so that its other tabs stay', async () => {
    await open(entered.key)
    const again = await open(keyOf(entered.fresh[0]), `Cookie: a=b; ${entered.cookie}`)
    expect(again.headers['set-cookie']).toBe(entered.setCookie)
    expect((await callWith(entered.cookie, entered.secret)).status).toBe(200)
  })

  it('a foreign cookie with the same name next to ours does no harm', async () => {
    const name = entered.cookie.split('=')[0] ?? ''
    expect((await callWith(`${name}=planted; ${entered.cookie}`, entered.secret)).status).toBe(200)
    expect((await callWith(`${name}=planted`, entered.secret)).status).toBe(401)
  })
})

describe('a refusal says why', () => {
  it('as a page for a user, in the browser’s language, and as text for a program', async () => {
    const person = await entered.send('GET', '/', [own, 'Accept: text/html', 'Accept-Language: zh-CN,zh;q=0.9'])
    expect([person.status, person.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8'])
    expect(person.body).toContain('lang="zh-CN"')
    const program = await entered.send('GET', '/', [own, 'Accept: */*'])
    expect([program.status, program.headers['content-type']]).toEqual([401, 'text/plain; charset=utf-8'])
  })
})

describe('safety 19: which pages a browser was let in for', () => {
  it('its own, all of them, and those of no other browser', () => {
    const session = createBrowserSession(4_711)
    const admit = (key: string, cookies?: string): { cookie: string; secret: string } => {
      const admitted = session.redeemKey(key, cookies)
      const cookie = `bridge-inspector-4711=${admitted?.cookie ?? ''}`
      return { cookie, secret: session.getPageSecret(cookie, admitted?.loginKey) ?? '' }
    }
    const first = admit(session.key)
    const again = admit(session.renewKey(), first.cookie)
    const stranger = admit(session.renewKey())
    expect(again.cookie).toBe(first.cookie)
    expect(session.getPageSecrets(first.cookie)).toEqual([first.secret, again.secret])
    expect(session.getPageSecrets(stranger.cookie)).toEqual([stranger.secret])
    for (const none of [undefined, '', 'bridge-inspector-4711=x', first.cookie.replace('4711', '4712')]) {
      expect(session.getPageSecrets(none)).toEqual([])
    }
  })
})
