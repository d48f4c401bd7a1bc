// What a stack shows may depend on what other tests did in the process. @runs-alone

import { readFileSync } from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'
import { expect, test } from 'vitest'
import { buildHelperScript } from '../../../../electron/services/panel/page/helper-script.ts'
import { root } from '../../../../scripts/lib/paths.mjs'

const ORIGIN = 'http://panel.test'
const script = buildHelperScript(
  ['calls.js', 'load.js', 'console.js', 'refusals.js', 'host.js'].map((name) =>
    readFileSync(path.join(root, 'resources/panel', name), 'utf8'),
  ),
  7,
)

class PageRequest extends Request {
  constructor(input: string, init?: RequestInit) {
    super(new URL(input, ORIGIN), init)
  }
}
/** The helper script changes the methods of this class, not those of the test's own responses. */
class PageResponse extends Response {}

class PageXhr {
  static readonly DONE = 4
  readonly headers: Record<string, string> = {}
  open(): void {
    Object.assign(this.headers, { opened: 'yes' })
  }
  send(): void {
    Object.assign(this.headers, { sent: 'yes' })
  }
  setRequestHeader(name: string, value: string): void {
    this.headers[name] = value
  }
  addEventListener(): void {
    // Nothing arrives in these tests.
  }
}

interface Note {
  readonly text: string
  readonly calls: string[]
  readonly rejectedCall: string | null
}

/** Loads the helper script into a page whose bridge responds with these texts by path. */
function createPage(responses: Readonly<Record<string, string>> = {}) {
  const sentHeaders: Headers[] = []
  const notes: Note[] = []
  const listeners = new Map<string, (event: unknown) => void>()
  const fetchInPage = (input: string, init?: RequestInit): Promise<Response> => {
    const { pathname } = new URL(input, ORIGIN)
    if (pathname.startsWith('/__inspector/')) {
      notes.push(...((JSON.parse(String(init?.body)) as { notes?: Note[] }).notes ?? []))
      return Promise.resolve(new PageResponse(null, { status: 204 }))
    }
    sentHeaders.push(new Headers(init?.headers))
    const text = responses[pathname.replace('/bridge/v1', '')]
    if (pathname.endsWith('/slow')) return new Promise(() => undefined)
    return text === undefined
      ? Promise.reject(new TypeError('Failed to fetch'))
      : Promise.resolve(new PageResponse(text))
  }
  const page = {
    ...{ fetch: fetchInPage, Headers, Request: PageRequest, Response: PageResponse, URL, crypto, MessageChannel },
    ...{ XMLHttpRequest: PageXhr, location: { origin: ORIGIN }, document: { baseURI: `${ORIGIN}/`, title: '' } },
    performance: { getEntriesByType: () => [], timeOrigin: 0, now: () => 5 },
    ...{ navigator: {}, console: { log: () => undefined }, setTimeout, clearTimeout },
    addEventListener: (name: string, listener: (event: unknown) => void) => listeners.set(name, listener),
  }
  Object.assign(page, { parent: page })
  const window = vm.createContext({ ...page, window: page })
  vm.runInContext(script, window, { filename: `${ORIGIN}/__inspector/host.js` })
  vm.runInContext('Object.assign(globalThis, { fetch: window.fetch, host: window.host })', window)
  return {
    sentHeaders,
    notes,
    /** Runs code of the page; an error that it does not catch is reported like a browser's. */
    run(code: string): Promise<void> {
      // The first `await` takes the frames of the test off the stack. Nothing awaits the code
      // itself, because its stack would go on with what does.
      const source = `(async () => { await null; ${code}\n})()`
      return new Promise((resolve) => {
        const running = vm.runInContext(source, window, { filename: `${ORIGIN}/main.js` }) as Promise<void>
        running.then(
          () => resolve(),
          (reason: unknown) => {
            listeners.get('unhandledrejection')?.({ reason })
            resolve()
          },
        )
      })
    },
    getStack: (index: number): string[] =>
      decodeURIComponent(sentHeaders[index]?.get('x-inspector-stack') ?? '')
        .split('\n')
        .filter((line) => line !== ''),
    getCallId: (index: number): string => sentHeaders[index]?.get('x-inspector-call') ?? '',
  }
}

test('each call carries an id, its load, and the stack of the page without frames of the helper', async () => {
  const page = createPage({ '/a': '{}' })
  await page.run(`async function readCard() {
    return await host.api('/a')
  }
  await readCard()
  await fetch('/bridge/v1/a')`)
  expect(page.sentHeaders.map((headers) => headers.get('x-inspector-load'))).toEqual(['7', '7'])
  expect(page.getCallId(0)).toMatch(/^[\da-f]{12}-1$/)
  expect(page.getCallId(1)).toMatch(/^[\da-f]{12}-2$/)
  expect(page.getStack(0).slice(0, 2)).toEqual(['at readCard (/main.js:2:23)', 'at /main.js:4:9'])
  expect(page.getStack(1)[0]).toBe('at /main.js:5:9')
})

test('a deep stack, and a stack that the page changes, are bounded', async () => {
  const page = createPage({ '/a': '{}' })
  await page.run(`Error.stackTraceLimit = 2
    const nest = (depth) => (depth === 0 ? host.api('/a') : nest(depth - 1))
    await nest(100)
    if (Error.stackTraceLimit !== 2) throw new Error('changed')
    Error.prepareStackTrace = () => { throw new Error('no') }
    await host.api('/a')
    Error.prepareStackTrace = () => 'at x (/m.js:1:1)\\n'.repeat(1e5)
    await host.api('/a')`)
  expect(page.getStack(0).length).toBeGreaterThan(15)
  for (const headers of page.sentHeaders)
    expect((headers.get('x-inspector-stack') ?? '').length).toBeLessThanOrEqual(4_000)
  expect(page.sentHeaders).toHaveLength(3)
  expect(page.notes).toEqual([])
})

test('a request of XMLHttpRequest carries them too, but not one to the panel’s own files', async () => {
  const page = createPage()
  await page.run(`const xhr = new XMLHttpRequest()
    xhr.open('GET', '/bridge/v1/a')
    xhr.send()
    const file = new XMLHttpRequest()
    file.open('GET', '/main.js')
    file.send()
    console.log(Object.keys(xhr.headers).join(), Object.keys(file.headers).join())`)
  await expect
    .poll(() => page.notes.map(({ text }) => text))
    .toEqual(['opened,x-inspector-load,x-inspector-call,x-inspector-stack,sent opened,sent'])
})

test('console output names the calls that were made, or got a response, in the same task', async () => {
  const page = createPage({ '/a': '{}', '/b': '{}' })
  await page.run(`const wait = () => new Promise((resolve) => setTimeout(resolve, 20))
    console.log('before')
    const reading = host.api('/a')
    console.log('made')
    await reading
    console.log('settled')
    await wait()
    console.log('later')
    await fetch('/bridge/v1/b').then((response) => response.json())
    console.log('read')`)
  await expect.poll(() => page.notes.length).toBe(5)
  const [first, second] = [page.getCallId(0), page.getCallId(1)]
  expect(page.notes.map(({ text, calls }) => [text, calls])).toEqual([
    ['before', []],
    ['made', [first]],
    ['settled', [first]],
    ['later', []],
    ['read', [second]],
  ])
})

test('a call ends in an unhandled rejection that is its own, or that its function throws next', async () => {
  const page = createPage({ '/a': '{}', '/b': 'no JSON' })
  await page.run(`const readCard = async () => { const { items } = await host.api('/a'); return items[0] }
    await readCard()`)
  await page.run(`await (await fetch('/bridge/v1/b')).json()`)
  await page.run(`await fetch('/bridge/v1/gone')`)
  await page.run(`const fail = () => { throw new Error('unrelated') }
    await new Promise((resolve) => setTimeout(resolve, 20))
    fail()`)
  await page.run(`void host.api('/slow'); throw new Error('not from its response')`)
  await page.run(`await host.api('/a').then((card) => card.items.length)`)
  await page.run(`const pickFirst = (card) => card.items[0]
    const cards = await host.api('/a')
    await Promise.resolve(cards).then(pickFirst)`)
  await page.run(`await host.api('/a'); throw 'a text without a stack'`)
  await expect.poll(() => page.notes.length).toBe(8)
  expect(page.notes.map(({ rejectedCall }) => rejectedCall)).toEqual([
    page.getCallId(0),
    page.getCallId(1),
    page.getCallId(2),
    null,
    null,
    null,
    null,
    null,
  ])
})
