import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startBrowserHost, type BrowserHost } from '../../../electron/browser-host/index.ts'
import type { EventMessage, CallReply } from '../../../shared/ipc/method-definition.ts'
import {
  createFakeDispatcher,
  respondNotFound,
  type FakeDispatcher,
} from '../../support/browser/browser-host-session.ts'
import { createBrowser, openTab, type Browser, type Tab } from '../../support/browser/tab.ts'

const SECRET = 'bridge-inspector.page-secret'
const TICKET = 'bridge-inspector.ticket'

let door: FakeDispatcher
let server: BrowserHost
let fresh: string[]
let tab: Tab | null

async function start(port = 0): Promise<BrowserHost> {
  return startBrowserHost({
    dispatcher: door,
    contentReader: respondNotFound,
    port,
    assets: async (_request, response) => void response.end(),
    onFreshLink: (url) => fresh.push(url),
  })
}

beforeEach(async () => {
  door = createFakeDispatcher()
  fresh = []
  tab = null
  server = await start()
})
afterEach(async () => {
  tab?.close()
  await server.close()
})

async function open(url: string, browser?: Browser): Promise<Tab> {
  tab?.close()
  tab = await openTab(url, browser)
  return tab
}

const home = (): string => `http://127.0.0.1:${server.port}/`
const ask = ({ transport }: Tab): Promise<CallReply> => transport.call({ id: '1', method: 'app.info', input: {} })
const codeOf = (reply: CallReply): string | undefined => (reply.ok ? 'ok' : reply.error.code)

/** A browser with a valid cookie and an open tab, and that tab's secret. */
async function enteredBrowser(): Promise<{ browser: Browser; secret: string }> {
  const first = await open(server.url)
  await ask(first)
  const secret = first.browser.stored.get(SECRET) ?? ''
  return { browser: { ...createBrowser(), cookie: first.browser.cookie }, secret }
}

describe('safety 25: a page opened with the ticket in its address', () => {
  it('removes the ticket before anything else runs, and keeps only the secret', async () => {
    const { location, browser, transport } = await open(server.url)
    expect(location).toEqual({ pathname: '/', hash: '' })
    expect(await transport.call({ id: '1', method: 'app.info', input: {} })).toEqual({
      ok: true,
      value: { pong: true },
    })
    expect([...browser.stored.keys()]).toEqual([SECRET])
  })

  it('is admitted after a reload', async () => {
    const { browser } = await open(server.url)
    await ask(tab as Tab)
    expect(codeOf(await ask(await open(home(), browser)))).toBe('ok')
    expect(fresh).toEqual([])
  })

  it('is admitted after a reload that happens before the secret arrived', async () => {
    const { browser } = await open(server.url)
    expect([...browser.stored.keys()]).toEqual([TICKET])
    expect(codeOf(await ask(await open(home(), browser)))).toBe('ok')
  })

  it('replaces the old secret of a tab from an earlier run', async () => {
    const { browser } = await open(server.url)
    await ask(tab as Tab)
    const { port } = server
    await server.close()
    server = await start(port)
    expect(codeOf(await ask(await open(server.url, browser)))).toBe('ok')
  })
})

describe('safety 25: a tab opened without a ticket', () => {
  it('receives the secret from another tab of the same origin', async () => {
    const { browser, secret } = await enteredBrowser()
    const second = await open(home(), browser)
    second.siblingChannel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (JSON.stringify(data) === '{"ask":true}') second.siblingChannel.postMessage({ secret })
    }
    expect(codeOf(await ask(second))).toBe('ok')
    expect(fresh).toEqual([])
  })

  it('passes the secret on to other tabs', async () => {
    const first = await open(server.url)
    await ask(first)
    const heard = new Promise((resolve) => {
      first.siblingChannel.onmessage = ({ data }: MessageEvent<unknown>) => resolve(data)
    })
    first.siblingChannel.postMessage({ ask: true })
    expect(await heard).toEqual({ secret: first.browser.stored.get(SECRET) })
  })

  it('reports what to do if no other tab is open, and the terminal prints a new address once', async () => {
    const { browser } = await enteredBrowser()
    const second = await open(home(), browser)
    const replies = await Promise.all([ask(second), ask(second), ask(second)])
    expect(replies.map(codeOf)).toEqual(['TAB_UNKNOWN', 'TAB_UNKNOWN', 'TAB_UNKNOWN'])
    expect(codeOf(await ask(second))).toBe('TAB_UNKNOWN')
    expect(fresh).toHaveLength(1)
    expect(codeOf(await ask(await open(fresh[0] ?? '', browser)))).toBe('ok')
  })

  it('tries an invalid secret only once', async () => {
    const { browser } = await enteredBrowser()
    const second = await open(home(), browser)
    second.siblingChannel.onmessage = () => second.siblingChannel.postMessage({ secret: 'made-up' })
    expect(codeOf(await ask(second))).toBe('TAB_UNKNOWN')
    expect(door.calls).toHaveLength(1)
  })

  it('starts working when another tab is admitted', async () => {
    const { browser, secret } = await enteredBrowser()
    const second = await open(home(), browser)
    const states: boolean[] = []
    const stop = second.transport.listen(
      () => undefined,
      (state) => states.push(state),
    )
    expect(codeOf(await ask(second))).toBe('TAB_UNKNOWN')
    await expect.poll(() => states).toEqual([false])
    second.siblingChannel.postMessage({ secret })
    await expect.poll(() => states).toEqual([false, true])
    expect(codeOf(await ask(second))).toBe('ok')
    stop()
  })
})

describe('a page whose service process is gone', () => {
  it('reports that, and distinguishes another run of the process', async () => {
    const page = await open(server.url)
    await ask(page)
    const { port } = server
    await server.close()
    expect(await ask(page)).toMatchObject({ ok: false, error: { kind: 'offline', code: 'SERVICE_GONE' } })
    server = await start(port)
    expect(await ask(page)).toMatchObject({ ok: false, error: { kind: 'refused', code: 'SESSION_ENDED' } })
    expect(door.calls).toHaveLength(1)
    expect(fresh).toEqual([])
  })

  it('is refused without the cookie', async () => {
    const page = await open(home())
    expect(codeOf(await ask(page))).toBe('SESSION_ENDED')
  })

  it('notices every interruption of the event stream, and reconnects', async () => {
    const page = await open(server.url)
    const heard: EventMessage[] = []
    const states: boolean[] = []
    const stop = page.transport.listen(
      (event) => heard.push(event),
      (state) => states.push(state),
    )
    await expect.poll(() => states).toEqual([true])
    // A page that can't keep up is dropped.
    const large = 'x'.repeat(12 * 1024 * 1024)
    for (let times = 0; times < 3; times += 1) door.publish({ topic: 't', payload: large })
    await expect.poll(() => states).toEqual([true, false, true])
    const before = heard.length
    door.publish({ topic: 'after', payload: 1 })
    await expect.poll(() => heard.slice(before)).toEqual([{ topic: 'after', payload: 1 }])
    stop()
    await expect.poll(() => door.removedCallers.length).toBe(2)
  })
})

/** From now on no call is answered; returns how many have arrived. */
function startSilentFetch(): () => number {
  let count = 0
  door.call = () => {
    count += 1
    return new Promise(() => undefined)
  }
  return () => count
}

describe('safety 11: requests of a page', () => {
  it('end when the page closes', async () => {
    const arrived = startSilentFetch()
    const page = await open(server.url)
    const reply = ask(page)
    await expect.poll(arrived).toBe(1)
    page.hide()
    expect(codeOf(await reply)).toBe('CANCELLED')
    await expect.poll(() => door.cancelled).toEqual(['1'])
  })

  it('can be cancelled even if many long calls use all connections', async () => {
    const arrived = startSilentFetch()
    const page = await open(server.url)
    const replies = Array.from({ length: 8 }, (_, index) =>
      page.transport.call({ id: String(index), method: 'app.info', input: {} }),
    )
    await expect.poll(arrived).toBe(8)
    page.transport.cancel('7')
    expect(codeOf((await replies[7]) as CallReply)).toBe('CANCELLED')
    await expect.poll(() => door.cancelled).toEqual(['7'])
  })
})

it('a call that is too large is refused before it is sent', async () => {
  const page = await open(server.url)
  const input = 'x'.repeat(17 * 1024 * 1024)
  expect(codeOf(await page.transport.call({ id: '1', method: 'app.info', input }))).toBe('INPUT_TOO_LARGE')
  expect(door.calls).toEqual([])
})
