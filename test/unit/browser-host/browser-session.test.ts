import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBrowserSession } from '../../../electron/browser-host/browser-session.ts'
import { startBrowserHost } from '../../../electron/browser-host/index.ts'
import {
  startBrowserHostSession,
  createFakeDispatcher,
  loginKeyOf,
  entryTicketOf,
  type BrowserHostSession,
  respondNotFound,
} from '../../support/browser/browser-host-session.ts'
import { sendRawRequest, buildRequestText, type RawResponse } from '../../support/browser/raw-http.ts'

const CALL = JSON.stringify({ id: '1', method: 'app.info', input: {} })
let entered: BrowserHostSession
let ownHost: string
let origin: string

beforeEach(async () => {
  entered = await startBrowserHostSession()
  ownHost = `Host: 127.0.0.1:${entered.host.port}`
  origin = `Origin: http://127.0.0.1:${entered.host.port}`
})
afterEach(() => entered.host.close())

const openWithKey = (key: string, ...headers: string[]): Promise<RawResponse> =>
  entered.send('GET', `/?key=${key}`, [ownHost, ...headers])
const enterPage = (cookie: string, body: unknown): Promise<RawResponse> =>
  entered.send('POST', '/ipc/enter', [ownHost, origin, `Cookie: ${cookie}`], JSON.stringify(body))
const callWith = (cookie: string, secret: string): Promise<RawResponse> =>
  entered.send('POST', '/ipc/call', [ownHost, origin, `Cookie: ${cookie}`, `x-bridge-inspector-page: ${secret}`], CALL)

describe('safety 25: key in the address', () => {
  it('becomes a cookie that no script and no other site gets, and disappears from the address', async () => {
    const name = `bridge-inspector-${entered.host.port}`
    expect(entered.setCookie).toMatch(new RegExp(`^${name}=[\\w-]{32}; HttpOnly; SameSite=Strict; Path=/$`))
    expect(entered.entryTicket).toMatch(/^[\w-]{32}$/)
    expect([entered.entryTicket, entered.pageSecret]).not.toContain(entered.loginKey)
  })

  it('works once, and the terminal shows a new one', async () => {
    const replayed = await openWithKey(entered.loginKey, 'Accept: text/html')
    expect(replayed.status).toBe(403)
    expect(replayed.headers['set-cookie']).toBeUndefined()
    expect(replayed.headers['location']).toBeUndefined()
    expect(replayed.body).toContain('terminal')
    expect(entered.freshLinks).toHaveLength(1)
    const fresh = loginKeyOf(entered.freshLinks[0])
    expect(replayed.body).not.toContain(fresh)
    expect((await openWithKey(fresh)).status).toBe(303)
    expect((await openWithKey(fresh)).status).toBe(403)
  })

  it('opens nothing if it is guessed, and prints nothing in the terminal', async () => {
    for (const key of ['guess', '', entered.loginKey.slice(1), `${entered.loginKey}x`, '%00', '%']) {
      const response = await openWithKey(key)
      expect(response.status, key).toBe(403)
      expect(response.headers['set-cookie']).toBeUndefined()
    }
    expect(entered.freshLinks).toEqual([])
  })

  it('is invalidated by a newer key without flooding the terminal', async () => {
    for (let times = 0; times < 5; times += 1) await openWithKey(entered.loginKey)
    expect(entered.freshLinks).toHaveLength(1)
  })

  it('lets a user in through an interim page if a link led there, because the browser withholds a Strict cookie', async () => {
    await openWithKey(entered.loginKey)
    const response = await openWithKey(loginKeyOf(entered.freshLinks[0]), 'Sec-Fetch-Site: cross-site')
    expect(response.status).toBe(200)
    expect(response.headers['set-cookie']).toContain('SameSite=Strict')
    const ticket = entryTicketOf(/url=([^"]+)"/.exec(response.body)?.[1])
    const { status } = await enterPage(response.headers['set-cookie']?.split(';')[0] ?? '', { ticket })
    expect(status).toBe(200)
  })

  it('gives a cookie that opens nothing in another run on the same port', async () => {
    const { port } = entered.host
    await entered.host.close()
    const restartedHost = await startBrowserHost({
      dispatcher: createFakeDispatcher(),
      contentReader: respondNotFound,
      assets: async () => undefined,
      port,
    })
    const response = await sendRawRequest(port, buildRequestText('GET', '/', [ownHost, `Cookie: ${entered.cookie}`]))
    expect(response.status).toBe(401)
    await restartedHost.close()
  })
})

describe('safety 25: cookie without a page secret', () => {
  it('gets no page secret without a ticket', async () => {
    for (const body of [{}, { ticket: '' }, { ticket: 'guess' }, { ticket: null }, [], 7, null]) {
      const response = await enterPage(entered.cookie, body)
      expect(response.status, JSON.stringify(body)).toBe(403)
      expect(response.body).not.toContain(entered.pageSecret)
    }
    expect(entered.freshLinks).toHaveLength(1)
  })

  it('gets the page secret until the first call of the page', async () => {
    expect(JSON.parse((await enterPage(entered.cookie, { ticket: entered.entryTicket })).body)).toEqual({
      secret: entered.pageSecret,
    })
    expect((await callWith(entered.cookie, entered.pageSecret)).status).toBe(200)
    expect((await enterPage(entered.cookie, { ticket: entered.entryTicket })).status).toBe(403)
  })

  it('has no use for the ticket or the secret of another cookie', async () => {
    await openWithKey(entered.loginKey)
    const other = await openWithKey(loginKeyOf(entered.freshLinks[0]))
    const cookie = other.headers['set-cookie']?.split(';')[0] ?? ''
    expect(cookie).not.toBe(entered.cookie)
    expect((await enterPage(cookie, { ticket: entered.entryTicket })).status).toBe(403)
    expect((await callWith(cookie, entered.pageSecret)).status).toBe(401)
    expect((await callWith('', entered.pageSecret)).status).toBe(401)
    expect((await callWith(entered.cookie, entered.pageSecret)).status).toBe(200)
  })

  it('stays the same for a browser that is already admitted', async () => {
    await openWithKey(entered.loginKey)
    const readmitted = await openWithKey(loginKeyOf(entered.freshLinks[0]), `Cookie: a=b; ${entered.cookie}`)
    expect(readmitted.headers['set-cookie']).toBe(entered.setCookie)
    expect((await callWith(entered.cookie, entered.pageSecret)).status).toBe(200)
  })

  it('is found beside a foreign cookie of the same name', async () => {
    const name = entered.cookie.split('=')[0] ?? ''
    expect((await callWith(`${name}=planted; ${entered.cookie}`, entered.pageSecret)).status).toBe(200)
    expect((await callWith(`${name}=planted`, entered.pageSecret)).status).toBe(401)
  })
})

describe('refusal', () => {
  it('is a page in the language of the browser for a user, and text for a program', async () => {
    const person = await entered.send('GET', '/', [ownHost, 'Accept: text/html', 'Accept-Language: zh-CN,zh;q=0.9'])
    expect([person.status, person.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8'])
    // The policy forbids inline styles, and a browser would ask for an icon that is not there.
    expect(person.body).not.toContain('<style')
    expect(person.body).toContain('<link rel="icon" href="data:,">')
    expect(person.body).toContain('lang="zh-CN"')
    const program = await entered.send('GET', '/', [ownHost, 'Accept: */*'])
    expect([program.status, program.headers['content-type']]).toEqual([401, 'text/plain; charset=utf-8'])
  })
})

describe('safety 19: pages of a browser', () => {
  it('include all its own pages and those of no other browser', () => {
    const session = createBrowserSession(4_711)
    const admit = (key: string, cookies?: string): { cookie: string; secret: string } => {
      const admitted = session.redeemKey(key, cookies)
      const cookie = `bridge-inspector-4711=${admitted?.cookie ?? ''}`
      return { cookie, secret: session.getPageSecret(cookie, admitted?.loginKey) ?? '' }
    }
    const first = admit(session.key)
    const readmitted = admit(session.renewKey(), first.cookie)
    const stranger = admit(session.renewKey())
    expect(readmitted.cookie).toBe(first.cookie)
    expect(session.getPageSecrets(first.cookie)).toEqual([first.secret, readmitted.secret])
    expect(session.getPageSecrets(stranger.cookie)).toEqual([stranger.secret])
    for (const unknownCookie of [undefined, '', 'bridge-inspector-4711=x', first.cookie.replace('4711', '4712')]) {
      expect(session.getPageSecrets(unknownCookie)).toEqual([])
    }
  })
})

describe('logging a browser out', () => {
  const leaveWith = (cookie: string, secret: string, ...headers: string[]): Promise<RawResponse> =>
    entered.send('POST', '/ipc/leave', [
      ...[ownHost, `Cookie: ${cookie}`, `x-bridge-inspector-page: ${secret}`],
      ...(headers.length > 0 ? headers : [origin]),
    ])

  it('ends its session and its open streams, and leaves other browsers in', async () => {
    const session = createBrowserSession(1)
    const enter = (key: string, cookies?: string) => {
      const admitted = session.redeemKey(key, cookies)
      const cookie = `bridge-inspector-1=${admitted?.cookie}`
      return { cookie, secret: session.getPageSecret(cookie, admitted?.loginKey) }
    }
    const first = enter(session.key)
    const second = enter(session.renewKey(), first.cookie)
    const other = enter(session.renewKey())
    session.endBrowser('bridge-inspector-1=nobody')
    expect(session.isKnownPage(second.cookie, first.secret)).toBe(true)
    session.endBrowser(first.cookie)
    for (const { cookie, secret } of [first, second])
      expect([session.hasCookie(cookie), session.isKnownPage(cookie, secret)]).toEqual([false, false])
    expect([session.hasCookie(other.cookie), session.isKnownPage(other.cookie, other.secret)]).toEqual([true, true])
  })

  it('needs the secret of its page and our own origin, and then refuses everything', async () => {
    const { cookie, pageSecret } = entered
    for (const refused of [
      await leaveWith(cookie, 'guess'),
      await leaveWith(cookie, pageSecret, 'Origin: http://evil.example'),
      await leaveWith(cookie, pageSecret, 'X-Nothing: 1'),
    ])
      expect(refused.status).toBeGreaterThanOrEqual(400)
    expect((await callWith(cookie, pageSecret)).status).toBe(200)
    const stream = entered.send('GET', '/ipc/events', [
      ...[ownHost, origin, `Cookie: ${cookie}`, `x-bridge-inspector-page: ${pageSecret}`],
    ])
    const left = await leaveWith(cookie, pageSecret)
    expect(left.status).toBe(200)
    expect(left.headers['set-cookie']).toMatch(/^bridge-inspector-\d+=; Max-Age=0; HttpOnly/)
    await stream
    expect((await callWith(cookie, pageSecret)).status).toBe(401)
  })
})
