import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBrowserSession } from '../../../electron/browser-host/browser-session.ts'
import { startBrowserHost } from '../../../electron/browser-host/index.ts'
import {
  startBrowserHostSession,
  createFakeDispatcher,
  loginKeyOf,
  entryTicketOf,
  type BrowserHostSession,
  emptyContentReader,
} from '../../support/browser/browser-host-session.ts'
import { sendRawRequest, buildRequestText, type RawResponse } from '../../support/browser/raw-http.ts'

const CALL = JSON.stringify({ id: '1', method: 'app.info', input: {} })
let entered: BrowserHostSession
let own: string
let origin: string

beforeEach(async () => {
  entered = await startBrowserHostSession()
  own = `Host: 127.0.0.1:${entered.host.port}`
  origin = `Origin: http://127.0.0.1:${entered.host.port}`
})
afterEach(() => entered.host.close())

const open = (key: string, ...headers: string[]): Promise<RawResponse> =>
  entered.send('GET', `/?key=${key}`, [own, ...headers])
const enter = (cookie: string, body: unknown): Promise<RawResponse> =>
  entered.send('POST', '/ipc/enter', [own, origin, `Cookie: ${cookie}`], JSON.stringify(body))
const callWith = (cookie: string, secret: string): Promise<RawResponse> =>
  entered.send('POST', '/ipc/call', [own, origin, `Cookie: ${cookie}`, `x-bridge-inspector-page: ${secret}`], CALL)

describe('safety 25: the key in the address works once', () => {
  it('becomes a cookie no script and no other site gets, and disappears from the address', async () => {
    const name = `bridge-inspector-${entered.host.port}`
    expect(entered.setCookie).toMatch(new RegExp(`^${name}=[\\w-]{32}; HttpOnly; SameSite=Strict; Path=/$`))
    expect(entered.entryTicket).toMatch(/^[\w-]{32}$/)
    expect([entered.entryTicket, entered.pageSecret]).not.toContain(entered.loginKey)
  })

  it('a replayed key gets nothing, and the terminal shows a new one', async () => {
    const replayed = await open(entered.loginKey, 'Accept: text/html')
    expect(replayed.status).toBe(403)
    expect(replayed.headers['set-cookie']).toBeUndefined()
    expect(replayed.headers['location']).toBeUndefined()
    expect(replayed.body).toContain('terminal')
    expect(entered.freshLinks).toHaveLength(1)
    const fresh = loginKeyOf(entered.freshLinks[0])
    expect(replayed.body).not.toContain(fresh)
    expect((await open(fresh)).status).toBe(303)
    expect((await open(fresh)).status).toBe(403)
  })

  it('a guessed key gets nothing, not even a line in the terminal', async () => {
    for (const key of ['guess', '', entered.loginKey.slice(1), `${entered.loginKey}x`, '%00', '%']) {
      const answer = await open(key)
      expect(answer.status, key).toBe(403)
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    expect(entered.freshLinks).toEqual([])
  })

  it('a newer key invalidates an unused one, and the terminal is not flooded', async () => {
    for (let times = 0; times < 5; times += 1) await open(entered.loginKey)
    expect(entered.freshLinks).toHaveLength(1)
  })

  it('a user who followed a link gets in through a page of ours, because the browser would withhold a Strict cookie', async () => {
    await open(entered.loginKey)
    const answer = await open(loginKeyOf(entered.freshLinks[0]), 'Sec-Fetch-Site: cross-site')
    expect(answer.status).toBe(200)
    expect(answer.headers['set-cookie']).toContain('SameSite=Strict')
    const ticket = entryTicketOf(/url=([^"]+)"/.exec(answer.body)?.[1])
    const { status } = await enter(answer.headers['set-cookie']?.split(';')[0] ?? '', { ticket })
    expect(status).toBe(200)
  })

  it('the cookie of another run on the same port opens nothing', async () => {
    const { port } = entered.host
    await entered.host.close()
    const again = await startBrowserHost({
      dispatcher: createFakeDispatcher(),
      contentReader: emptyContentReader,
      assets: async () => undefined,
      port,
    })
    const answer = await sendRawRequest(port, buildRequestText('GET', '/', [own, `Cookie: ${entered.cookie}`]))
    expect(answer.status).toBe(401)
    await again.close()
  })
})

describe('safety 25: the cookie alone, which every port of this machine gets, allows no call', () => {
  it('no page secret for a cookie without a ticket', async () => {
    for (const body of [{}, { ticket: '' }, { ticket: 'guess' }, { ticket: null }, [], 7, null]) {
      const answer = await enter(entered.cookie, body)
      expect(answer.status, JSON.stringify(body)).toBe(403)
      expect(answer.body).not.toContain(entered.pageSecret)
    }
    expect(entered.freshLinks).toHaveLength(1)
  })

  it('a ticket is spent with the first call of its page, and not before', async () => {
    expect(JSON.parse((await enter(entered.cookie, { ticket: entered.entryTicket })).body)).toEqual({
      secret: entered.pageSecret,
    })
    expect((await callWith(entered.cookie, entered.pageSecret)).status).toBe(200)
    expect((await enter(entered.cookie, { ticket: entered.entryTicket })).status).toBe(403)
  })

  it('a ticket or a secret is worth nothing without the cookie that belongs to it', async () => {
    await open(entered.loginKey)
    const other = await open(loginKeyOf(entered.freshLinks[0]))
    const cookie = other.headers['set-cookie']?.split(';')[0] ?? ''
    expect(cookie).not.toBe(entered.cookie)
    expect((await enter(cookie, { ticket: entered.entryTicket })).status).toBe(403)
    expect((await callWith(cookie, entered.pageSecret)).status).toBe(401)
    expect((await callWith('', entered.pageSecret)).status).toBe(401)
    expect((await callWith(entered.cookie, entered.pageSecret)).status).toBe(200)
  })

  it('a browser already let in keeps its cookie, so that its other tabs stay', async () => {
    await open(entered.loginKey)
    const again = await open(loginKeyOf(entered.freshLinks[0]), `Cookie: a=b; ${entered.cookie}`)
    expect(again.headers['set-cookie']).toBe(entered.setCookie)
    expect((await callWith(entered.cookie, entered.pageSecret)).status).toBe(200)
  })

  it('a foreign cookie with the same name next to ours does no harm', async () => {
    const name = entered.cookie.split('=')[0] ?? ''
    expect((await callWith(`${name}=planted; ${entered.cookie}`, entered.pageSecret)).status).toBe(200)
    expect((await callWith(`${name}=planted`, entered.pageSecret)).status).toBe(401)
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
