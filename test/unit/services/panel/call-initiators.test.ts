import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createCallInitiators } from '../../../../electron/services/panel/call/call-initiators.ts'
import { findReferencePosition } from '../../../../electron/services/panel/call/reference-position.ts'
import type { PageCall } from '../../../../electron/services/panel/call/page-call.ts'
import type { CallFrame } from '../../../../shared/traffic/call-initiator.ts'
import type { PanelCall } from '../../../../shared/panel/panel.ts'
import { createPanelFolder, openPanel, startLoggingHost } from '../../../support/program/panel.ts'

const ADDRESS = '/bridge/v1/notes/N/render?side=front'
const find = (text: string, file = '/index.html', address = ADDRESS) => findReferencePosition(text, file, address)

describe('the place that names an address', () => {
  test.each([
    [
      'an attribute',
      '<!doctype html>\n<p>\n  <img alt="" src="/bridge/v1/notes/N/render?side=front">',
      '/index.html',
      3,
      20,
    ],
    ['one without quotes', '<img src=/bridge/v1/notes/N/render?side=front>', '/index.html', 1, 10],
    ['a relative one', '<img src="../bridge/v1/notes/N/render?side=front">', '/pages/one.html', 1, 11],
    ['one of several sizes', '<img srcset="a.png 1x, /bridge/v1/notes/N/render?side=front 2x">', '/', 1, 24],
    ['a style', 'p {\n  background: url(/bridge/v1/notes/N/render?side=front)\n}', '/style.css', 2, 19],
    [
      'an import',
      "import a from './a.js'\nimport data from '/bridge/v1/notes/N/render?side=front' with {}",
      '/m.js',
      2,
      19,
    ],
    ['an import of code', "const load = () => import('/bridge/v1/notes/N/render?side=front')", '/m.js', 1, 28],
    ['an export', "export { x } from '/bridge/v1/notes/N/render?side=front'", '/m.js', 1, 20],
  ])('is %s', (_, text, file, line, column) => {
    expect(find(text, file)).toEqual({ file, line, column })
  })

  test('may escape the ampersand, as markup does', () => {
    expect(find('<img src="/bridge/v1/x?a=1&amp;b=2">', '/', '/bridge/v1/x?a=1&b=2')).toMatchObject({ line: 1 })
  })

  test.each([
    ['the file names it twice', `<img src="${ADDRESS}"><img src="${ADDRESS}">`],
    ['the file names it in code, too', `<img src="${ADDRESS}"><script>show("${ADDRESS}")</script>`],
    ['only code names it', `<script>show("${ADDRESS}")</script>`],
    ['it is in a comment', `<!-- <img src="${ADDRESS}"> --><p>`],
    ['it is in a comment of code', `x()\n// import '${ADDRESS}'`],
    ['another import is computed', `import '${ADDRESS}'\nimport(name)`],
    ['the address is longer', `<img src="${ADDRESS}&more">`],
    ['it is of another origin', `<img src="https://example.com${ADDRESS}">`],
    ['nothing names it', '<img src="/x.png">'],
    ['the file is too long', `<img src="${ADDRESS}">${' '.repeat(3 * 1024 * 1024)}`],
  ])('is not known if %s', (_, text) => {
    expect(find(text)).toBeNull()
  })

  test('is searched in a hostile file without a long pause', () => {
    expect(find(`<${'render '.repeat(200_000)}`)).toBeNull()
    expect(find(`<${'import srcset="render,'.repeat(60_000)}`)).toBeNull()
  })
})

const frame: CallFrame = {
  ...{ functionName: 'show', file: '/main.js', line: 3, column: 5 },
  ...{ isAsync: false, original: null, isLibrary: false, isWrapper: false },
}

describe('the initiator of an element’s call', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function start(files: Readonly<Record<string, string>> = {}) {
    const changes = new Map<string, Partial<PanelCall>>()
    const initiators = createCallInitiators({
      getWrapperNames: () => [],
      onInitiator: (id, change) => void changes.set(id, { ...changes.get(id), ...change }),
      sourceMaps: {
        mapFrames: (frames) => Promise.resolve([...frames]),
        findOriginalPosition: () => Promise.resolve(null),
        readSource: (position) => {
          const text = files[position.file]
          return Promise.resolve(text === undefined ? null : { position, isOriginal: false, text })
        },
      },
    })
    initiators.beginPage(1, '/')
    const recordCall = (id: string, changed: Partial<PageCall> = {}): void =>
      initiators.recordCall(id, {
        ...{ method: 'GET', path: ADDRESS.replace('/bridge/v1', ''), headers: [], body: null, bodyBytes: 0 },
        sentMembers: { confirm: false, addon: false },
        ...{ via: 'element', load: null, pageId: null, frames: null, referrer: '/' },
        loader: { destination: 'image', file: '/', position: null },
        signal: new AbortController().signal,
        ...changed,
      })
    const report = (stacks: readonly string[], { load = 1, page = '/', at = Date.now() } = {}): void =>
      initiators.addReport({
        ...{ load, page },
        elements: stacks.map((stack) => ({ address: ADDRESS, at, stack, frames: [{ ...frame, functionName: stack }] })),
      })
    const getFunction = (id: string): string | undefined => changes.get(id)?.frames?.[0]?.functionName
    const getLine = (id: string): number | undefined => changes.get(id)?.loader?.position?.line
    return { initiators, recordCall, report, getFunction, getLine, changes }
  }

  test('is the code that gave the element its address, whichever message comes first', () => {
    const early = start()
    early.report(['show'])
    early.recordCall('a')
    const late = start()
    late.recordCall('a')
    late.report(['show'])
    expect([early.getFunction('a'), late.getFunction('a')]).toEqual(['show', 'show'])
  })

  test('is one place of the code for many elements, and each use belongs to its own call', () => {
    const { recordCall, report, getFunction } = start()
    recordCall('a')
    recordCall('b')
    report(['loop', 'loop'])
    vi.advanceTimersByTime(1_000)
    recordCall('c')
    report(['other'])
    expect(['a', 'b', 'c'].map(getFunction)).toEqual(['loop', 'loop', 'other'])
  })

  test('is not guessed where two places of the code, or unknown ones, may have made the call', () => {
    const twoPlaces = start()
    twoPlaces.report(['one', 'two'])
    twoPlaces.recordCall('a')
    const unknownCause = start()
    unknownCause.recordCall('a')
    unknownCause.recordCall('b')
    unknownCause.report(['one'])
    expect([...twoPlaces.changes, ...unknownCause.changes]).toEqual([])
  })

  test('is no code of another load or page, none of a later time, and none of long ago', () => {
    for (const options of [{ load: 0 }, { page: '/other' }, { at: Date.now() + 1_000 }]) {
      const { recordCall, report, changes } = start()
      recordCall('a')
      report(['show'], options)
      expect([...changes]).toEqual([])
    }
    const { recordCall, report, changes } = start()
    report(['show'])
    vi.advanceTimersByTime(20_000)
    recordCall('a')
    expect([...changes]).toEqual([])
  })

  test('is the place in the document, for the first call of the address only', async () => {
    const { initiators, recordCall, getLine } = start({ '/': `<p>\n<img src="${ADDRESS}">` })
    recordCall('a')
    recordCall('b')
    await vi.runAllTimersAsync()
    expect([getLine('a'), getLine('b')]).toEqual([2, undefined])
    initiators.beginDocument()
    recordCall('c')
    await vi.runAllTimersAsync()
    expect(getLine('c')).toBe(2)
  })

  test('is the place in the page where the browser names no file', async () => {
    const { recordCall, getLine } = start({ '/': `<img src="${ADDRESS}">` })
    recordCall('a', { loader: { destination: 'image', file: '', position: null } })
    await vi.runAllTimersAsync()
    expect(getLine('a')).toBe(1)
  })

  test('is neither where both the document and code name the address', async () => {
    const { recordCall, report, changes } = start({ '/': `<img src="${ADDRESS}">` })
    recordCall('a')
    report(['show'])
    await vi.runAllTimersAsync()
    expect(changes.get('a')).toEqual({ frames: null })
  })

  test('is not known of a worker, and the call says so', () => {
    const { initiators, recordCall, changes } = start()
    initiators.addWorkerFile('/worker.js')
    recordCall('a', { via: 'fetch', loader: null, referrer: '/worker.js?v=1' })
    recordCall('b', { via: 'fetch', loader: null, referrer: '/' })
    recordCall('c', { via: 'fetch', loader: null, referrer: '/worker.js', pageId: '0123456789ab-1' })
    expect([...changes]).toEqual([['a', { loader: { destination: '', file: '/worker.js', position: null } }]])
  })
})

test('a page reports what it gave its elements, and a report of another form changes nothing', async () => {
  const host = await startLoggingHost(['GET /notes/{id}'])
  const panel = await openPanel(createPanelFolder({ 'main.js': 'start()\n' }), host.baseUrl)
  const { call } = panel.composed
  await panel.requestAsPage('GET', '/__inspector/host.js')
  const send = (path: string, body: object) =>
    panel.requestAsPage('POST', path, ['Content-Type: application/json'], JSON.stringify(body))
  await send('/__inspector/load', { load: 1, at: Date.now(), isReload: false, page: '/' })
  const stacks = [encodeURI('at start (/main.js:1:1)')]
  const report = (address: string, more: object = {}) =>
    send('/__inspector/elements', {
      ...{ load: 1, page: '/index.html', stacks },
      elements: [{ address, at: Date.now(), stack: 0, ...more }],
    })
  expect((await report('/bridge/v1/notes/N-1')).status).toBe(204)
  expect((await report('/bridge/v1/notes/N-2', { stack: 9 })).status).toBe(204)
  expect((await report('/bridge/v1/notes/N-2', { at: 'now' })).status).toBe(204)
  expect((await send('/__inspector/elements', { elements: 3 })).status).toBe(204)
  for (const name of ['N-1', 'N-2'])
    await panel.requestAsPage('GET', `/bridge/v1/notes/${name}`, [
      'Sec-Fetch-Dest: image',
      `Referer: http://${panel.host}/index.html?x=1`,
    ])
  const { bytes } = await call('traffic.find', {
    filter: { origins: ['panel'] },
    sort: { by: 'time', descending: false },
  })
  const { rows } = await call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })
  const { calls } = await call('panel.calls', { exchangeIds: rows.map(({ id }) => id) })
  expect(calls.map((summary) => [summary.frame?.functionName, summary.loader?.file])).toEqual([
    ['start', '/index.html?x=1'],
    [undefined, '/index.html?x=1'],
  ])
})
