import { readReport } from '../../../../electron/services/panel/page/reports.ts'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'
import { describe, expect, test } from 'vitest'
import { toHostApiValue, decodeResponseText } from '../../../../electron/core/panel/host-api.ts'
import { buildHelperScript } from '../../../../electron/services/panel/page/helper-script.ts'
import { root } from '../../../../scripts/lib/paths.mjs'

interface HostHelper {
  api(path: string, opts?: RequestInit): Promise<unknown>
}

const script = buildHelperScript(
  ['calls.js', 'console.js', 'refusals.js', 'host.js'].map((name) =>
    readFileSync(path.join(root, 'resources/panel', name), 'utf8'),
  ),
  1,
)

/** Resolves relative addresses as a page does, unlike Node. */
class PageRequest extends Request {
  constructor(input: string, init?: RequestInit) {
    super(new URL(input, 'http://panel.test'), init)
  }
}

/** Loads the helper as a page does, with this `fetch` and little else of a page. */
function loadHelper(fetch: typeof globalThis.fetch): HostHelper {
  const ignoreCall = (): void => undefined
  const page = {
    ...{
      fetch,
      Headers,
      Request: PageRequest,
      Response: class extends Response {},
      crypto,
      location: { origin: 'http://panel.test' },
      document: { title: '' },
      navigator: {},
    },
    console: { ...console },
    setTimeout: ignoreCall,
    addEventListener: ignoreCall,
  }
  // The page is in no frame.
  Object.assign(page, { parent: page })
  const window = vm.createContext({ ...page, window: page })
  vm.runInContext(script, window)
  return Reflect.get(page, 'host') as HostHelper
}

const loadHelperWithResponse = (status: number, body: string) =>
  loadHelper(() => Promise.resolve(new Response(body, { status })))
const loadHelperWithFailure = (error: Error) => loadHelper(() => Promise.reject(error))
const createFailure = (code: string) => ({ error: { code, message: expect.stringMatching(/./) as string } })

describe('host.api', () => {
  test('requests a path below /bridge/v1 with the options of the page', async () => {
    const requests: [unknown, RequestInit | undefined][] = []
    const helper = loadHelper((input, init) => {
      requests.push([input, init])
      return Promise.resolve(Response.json({ fine: true }))
    })
    const opts = { method: 'POST', body: '{}', headers: { 'x-mine': '1' } }
    expect(await helper.api('/notes/batch-get?x=1', opts)).toEqual({ fine: true })
    const init = requests[0]?.[1]
    expect(requests[0]?.[0]).toBe('/bridge/v1/notes/batch-get?x=1')
    expect(init).toMatchObject({ method: 'POST', body: '{}' })
    expect(new Headers(init?.headers).get('x-mine')).toBe('1')
  })

  test.each<[string, HostHelper, unknown]>([
    ['JSON', loadHelperWithResponse(200, '{"a":[1]}'), { a: [1] }],
    ['JSON that is no object', loadHelperWithResponse(200, 'null'), null],
    [
      'an error of the host',
      loadHelperWithResponse(403, '{"error":{"code":"X","message":"m"}}'),
      { error: { code: 'X', message: 'm' } },
    ],
    [
      'an error with a status of success',
      loadHelperWithResponse(200, '{"error":{"code":"X"}}'),
      { error: { code: 'X' } },
    ],
    ['an error without a message', loadHelperWithResponse(404, '{}'), createFailure('HTTP_404')],
    ['a page', loadHelperWithResponse(500, '<html>'), createFailure('NOT_JSON')],
    ['bytes', loadHelperWithResponse(200, '\u0000PNG'), createFailure('NOT_JSON')],
    ['nothing at all', loadHelperWithResponse(200, ''), createFailure('NOT_JSON')],
    ['a host that is gone', loadHelperWithFailure(new TypeError('Failed to fetch')), createFailure('NETWORK')],
    [
      'a page that gave up',
      loadHelperWithFailure(new DOMException('given up', 'AbortError')),
      createFailure('ABORTED'),
    ],
  ])('never rejects for %s', async (_, helper, expected) => {
    expect(await helper.api('/status')).toEqual(expected)
  })

  test('never rejects for options that no request can have', async () => {
    const helper = loadHelperWithResponse(200, '{}')
    expect(await helper.api('/status', { headers: { 'no header': '1' } })).toEqual(createFailure('REQUEST_INVALID'))
    const withBody = loadHelper(() => Promise.reject(new TypeError('GET with a body')))
    expect(await withBody.api('/status', { body: 'x' })).toEqual(createFailure('REQUEST_INVALID'))
  })

  test('reports that its page aborted a call, whatever the reason is', async () => {
    const reason = new Error('no time')
    const helper = loadHelperWithFailure(reason)
    expect(await helper.api('/status', { signal: AbortSignal.abort(reason) })).toEqual(createFailure('ABORTED'))
  })

  test('is the code that the panel lab uses', async () => {
    for (const text of ['{"n":12345678901234567890,"a":1,"a":2}', '\ufeff# Guide \ud83d', '', '{"error":null}']) {
      const value = await loadHelperWithResponse(500, text).api('/guide')
      const responseText = decodeResponseText(new Uint8Array(await new Response(text).arrayBuffer()))
      expect(JSON.stringify(value)).toBe(JSON.stringify(toHostApiValue({ status: 500, text: responseText })))
    }
  })
})

interface ConsoleLine {
  readonly what: string | null
  readonly level: string
  readonly text: string
  readonly length: number
}

interface PageConsole {
  /** Runs code in the page. */
  run(code: string): void
  /** Returns what the page has reported since the last call. */
  readLines(): Promise<ConsoleLine[]>
  /** Returns how many lines the page could not keep. */
  getLostCount(): number
}

/**
 * Creates the console of a page in which `prepare` ran first. Its `setTimeout` runs callbacks
 * at once.
 */
function createPageConsole(prepare = ''): PageConsole {
  const reported: ConsoleLine[] = []
  let lostCount = 0
  const page = {
    fetch: (_: unknown, init?: RequestInit) => {
      const text = String(init?.body)
      // The server reads no more of one report.
      if (Buffer.byteLength(text) > 256 * 1024) throw new Error('too much')
      const report = JSON.parse(text) as { notes: ConsoleLine[]; lost: number }
      reported.push(...report.notes)
      lostCount += report.lost
      return Promise.resolve(new Response(null, { status: 204 }))
    },
    ...{
      Headers,
      Request: PageRequest,
      Response: class extends Response {},
      crypto,
      performance,
      navigator: {},
      document: { title: '' },
    },
    location: { origin: 'http://panel.test' },
    console: {},
    setTimeout: (callback: () => void) => setTimeout(callback, 0),
    addEventListener: () => undefined,
  }
  // The page is in no frame.
  Object.assign(page, { parent: page })
  const window = vm.createContext({ ...page, window: page })
  vm.runInContext(`class Element {}; class Document {}; ${prepare}`, window)
  vm.runInContext(script, window, { filename: 'http://panel.test/__inspector/host.js' })
  return {
    run: (code) => void vm.runInContext(code, window),
    async readLines() {
      // The page sends a report after the one before was received.
      for (let knownCount = -1; knownCount !== reported.length;) {
        knownCount = reported.length
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
      return reported.splice(0)
    },
    getLostCount: () => lostCount,
  }
}

test.each([{}, 'x'.repeat(5_000), 7, null])('a title like %j does not lose a note of the page', async (title) => {
  const notes = [{ at: 1, kind: 'console', level: 'info', text: 'kept' }]
  const body = JSON.stringify({ title, lost: 0, notes })
  const report = await readReport(new Request('http://panel.test/', { method: 'POST', body }))
  expect(report.notes).toMatchObject([{ text: 'kept' }])
})

describe('console of a panel', () => {
  test.each([
    [`'a', 1, -0, 2n, null, undefined, true, Symbol('s')`, 'a 1 -0 2n null undefined true Symbol(s)'],
    [`'%cred%c plain', 'color: red', ''`, 'red plain'],
    [`'%s is %d of %i, %f %% %o', 'one', '7.9', 7.9, '1.5', { a: 'x' }, 'more'`, `one is 7 of 7, 1.5 % {a: 'x'} more`],
    [`'100%', 'sure %s'`, '100% sure %s'],
    [`'%s'`, '%s'],
    [`new Map([['a', { b: 1 }], [{ k: 1 }, 2]])`, `Map(2) {'a' => {b: 1}, {k: 1} => 2}`],
    [`new Set([1, 'x'])`, `Set(2) {1, 'x'}`],
    [`[1, [2, 'x'], []], [7]`, `(3) [1, (2) [2, 'x'], []] [7]`],
    [`{ 'a-b': 1, c: { d: [{}] }, f() {}, [Symbol('k')]: 1 }`, `{'a-b': 1, c: {d: [{}]}, f: ƒ f(), Symbol(k): 1}`],
    [`new (class Card { title = "it's" })()`, `Card {title: "it's"}`],
    [`{ get secret() { throw 1 } }`, '{secret: (...)}'],
    [`Object.assign(Object.create(null), { a: 1 })`, '[Object: null prototype] {a: 1}'],
    [`class A {}, function named() {}, () => 1`, 'class A ƒ named() ƒ ()'],
    [`new Uint8Array([1, 2]), /x/g, new Date(NaN)`, 'Uint8Array(2) [1, 2] /x/g Invalid Date'],
    [`(() => { const a = { b: 1 }; a.self = a; return a })()`, '{b: 1, self: [Circular]}'],
    [`Array.from({ length: 130 }, () => 0)`, `(130) [${'0, '.repeat(100)}… 30 more]`],
    [`new Proxy({}, { ownKeys() { throw new Error('no') } })`, '[Object]'],
  ])('prints log(%s) as a browser does', async (argumentCode, expected) => {
    const page = createPageConsole()
    page.run(`console.log(${argumentCode})`)
    expect(await page.readLines()).toMatchObject([{ level: 'info', text: expected }])
  })

  test('prints a proxy once if its traps print', async () => {
    const page = createPageConsole()
    page.run(`
      const print = (target, name, ...rest) => (console.log('trap'), Reflect[name](target, ...rest))
      console.log(new Proxy({ a: 1 }, {
        get: (target, ...rest) => print(target, 'get', ...rest),
        ownKeys: (target) => print(target, 'ownKeys'),
        getPrototypeOf: (target) => print(target, 'getPrototypeOf'),
      }))
      console.log('after')
    `)
    expect((await page.readLines()).map(({ text }) => text)).toEqual(['{a: 1}', 'after'])
  })

  test('counts, times, traces, groups and makes tables', async () => {
    const page = createPageConsole()
    page.run(`
      console.count(); console.count(); console.count('x'); console.countReset(); console.count()
      console.time('t'); console.timeLog('t', 'half'); console.timeEnd('t'); console.timeEnd('t')
      console.group('Outer'); console.warn('a\\nb'); console.groupEnd(); console.log('c')
      console.table([{ a: 1, b: 'x' }, { a: 22 }]); console.table([{ a: 1, b: 2 }], ['b']); console.table(['p', 'q'])
      console.table(7); console.assert(1, 'no'); console.assert(0, 'yes', 2); console.assert(false)
      function outer() { console.trace('here', 1) }
      outer()`)
    const lines = await page.readLines()
    expect(lines.map(({ text }) => text.replace(/[\d.]+ ms/, 'N ms'))).toEqual([
      ...['default: 1', 'default: 2', 'x: 1', 'default: 1'],
      ...['t: N ms half', 't: N ms', "Timer 't' does not exist"],
      ...['Outer', '  a\n  b', 'c'],
      "(index) │ a  │ b\n0       │ 1  │ 'x'\n1       │ 22 │",
      '(index) │ b\n0       │ 2',
      "(index) │ Value\n0       │ 'p'\n1       │ 'q'",
      ...['7', 'Assertion failed: yes 2', 'Assertion failed: console.assert'],
      expect.stringMatching(/^here 1\n\s+at outer/) as string,
    ])
    expect(lines.at(-1)?.text).not.toContain('createConsole')
  })

  test('keeps 20,000 characters of a line, and reports how many there were', async () => {
    const page = createPageConsole()
    page.run(`console.log('\u0007'.repeat(300000)); console.log('next')`)
    const [longLine, nextLine] = await page.readLines()
    expect([longLine?.text.length, longLine?.length, nextLine?.text, nextLine?.length]).toEqual([
      20_000,
      300_000,
      'next',
      4,
    ])
  })

  test('reports how many lines it could not keep', async () => {
    const page = createPageConsole()
    page.run(`for (let index = 0; index < 1500; index += 1) console.log(index)`)
    expect((await page.readLines()).length).toBe(1000)
    expect(page.getLostCount()).toBe(500)
  })
})

describe('feature that a browser blocks in a panel', () => {
  const BLOCKED_FEATURES = `
    const blocked = () => { throw Object.assign(new Error('denied'), { name: 'SecurityError' }) }
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: blocked, configurable: true })
    window.SharedWorker = class { constructor() { blocked() } }
    window.IDBFactory = class { open() { blocked() } }
    navigator.clipboard = { writeText: () => Promise.reject(new Error('denied')) }
    window.HTMLAnchorElement = class { click() { window.clicked = true } hasAttribute(name) { return name in this } }`

  test('is named when the page uses it, and fails there as before', async () => {
    const page = createPageConsole(BLOCKED_FEATURES)
    expect(await page.readLines()).toEqual([])
    page.run(`
      const failed = (act) => { try { act(); return 'done' } catch ({ name }) { return name } }
      console.log([() => window.localStorage, () => window.sessionStorage.x, () => new window.SharedWorker('x'),
        () => new window.IDBFactory().open('x')].map(failed).join())
      navigator.clipboard.writeText('x').catch(() => 0)
      const link = Object.assign(new window.HTMLAnchorElement(), { download: '', href: 'blob:x', isConnected: false })
      link.click()
      console.log(window.clicked === true)`)
    const lines = await page.readLines()
    expect(lines.filter(({ what }) => what === null).map(({ text }) => text)).toEqual([
      'SecurityError,SecurityError,SecurityError,SecurityError',
      'false',
    ])
    expect(lines.filter(({ what }) => what !== null).map(({ what, text }) => `${String(what)} ${text}`)).toEqual([
      'storage localStorage',
      'storage sessionStorage',
      'storage SharedWorker',
      'storage indexedDB.open',
      'download blob:x',
      'permission clipboard.writeText',
    ])
  })

  test('is not mentioned if the browser allows it', async () => {
    const page = createPageConsole(`
      window.localStorage = { length: 0 }
      window.SharedWorker = class { constructor(url) { this.url = url } }
      navigator.clipboard = { writeText: () => Promise.resolve() }`)
    page.run(
      `console.log(window.localStorage.length, new window.SharedWorker('x').url); navigator.clipboard.writeText('x')`,
    )
    expect((await page.readLines()).map(({ text }) => text)).toEqual(['0 x'])
  })
})
