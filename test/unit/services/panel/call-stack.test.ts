import { describe, expect, test, vi } from 'vitest'
import { parseCallStack } from '../../../../electron/services/panel/call/call-stack.ts'
import { createSourceMaps } from '../../../../electron/services/panel/source-maps.ts'
import { findInitiatorFrame, formatPathAndLine, type CallFrame } from '../../../../shared/traffic/call-initiator.ts'
import { createPanelFolder, openPanel, startLoggingHost } from '../../../support/program/panel.ts'

const worker = new URL('../../../../electron/services/panel/source-map-thread/worker.ts', import.meta.url)

const ORIGIN = 'http://0f.panel.localhost:4100'
const parse = (...lines: string[]) => parseCallStack(encodeURI(lines.join('\n')), ORIGIN)
const createFrame = (changed: Partial<CallFrame> = {}): CallFrame => ({
  functionName: 'read',
  file: '/main.js',
  line: 3,
  column: 5,
  isAsync: false,
  original: null,
  isLibrary: false,
  isWrapper: false,
  ...changed,
})

describe('stack of a call', () => {
  test('is read as Chromium, Firefox and Safari write it, without built-in functions', () => {
    expect(
      parse(
        `at read (${ORIGIN}/main.js:3:5)`,
        'at Array.map (<anonymous>)',
        'at async Promise.all (index 0)',
        'at async start (/main.js:9:1)',
        'at /页.js?v=1:2:7',
        'at Object.get [as list] (/a b.js:1:1)',
        'at eval (eval at run (/main.js:1:1), <anonymous>:1:1)',
        'load@/main.js:4:2',
        'async*@/main.js:5:6',
      ),
    ).toEqual([
      createFrame(),
      createFrame({ functionName: 'start', line: 9, column: 1, isAsync: true }),
      createFrame({ functionName: '', file: '/页.js?v=1', line: 2, column: 7 }),
      createFrame({ functionName: 'load', line: 4, column: 2 }),
      createFrame({ functionName: '', line: 5, column: 6, isAsync: true }),
    ])
  })

  test.each([
    ['nothing', null],
    ['text without a frame', 'nothing'],
    ['an invalid escape', '%'],
    ['too much text', encodeURI('at x (/main.js:1:1)\n'.repeat(1_000))],
    ['a line that no file has', encodeURI('at x (/main.js:0:1)\nat x (/main.js:99999999:1)')],
  ])('is null for %s', (_, header) => {
    expect(parseCallStack(header, ORIGIN)).toBeNull()
  })

  test('has at most twenty frames with bounded texts', () => {
    const frames = parse(...Array.from({ length: 40 }, () => `at ${'n'.repeat(100)} (/m.js:1:1)`))
    expect(frames).toHaveLength(20)
    const [frame] = parse(`at ${'n'.repeat(900)} (/${'f'.repeat(900)}.js:1:1)`) ?? []
    expect([frame?.functionName.length, frame?.file.length]).toEqual([200, 500])
  })

  test('names the code of the page before that of packages', () => {
    const library = createFrame({ isLibrary: true })
    const ownFrame = createFrame({ original: { file: 'src/App.vue', line: 7, column: 1 } })
    expect(findInitiatorFrame([library, ownFrame])).toBe(ownFrame)
    expect(findInitiatorFrame([library])).toBe(library)
    expect(findInitiatorFrame(null)).toBeNull()
    expect(formatPathAndLine(ownFrame)).toBe('src/App.vue:7')
    expect(formatPathAndLine(createFrame({ file: '/src/App.vue?t=1' }))).toBe('/src/App.vue:3')
  })
})

describe('source of a frame', () => {
  const map = {
    version: 3,
    sources: ['../src/own.ts', '../node_modules/axios/index.ts', '../src/vendor.ts'],
    sourcesContent: ['own text', null, 'vendor text'],
    ignoreList: [2],
    names: [],
    mappings: 'AAAA;ACAA;ACAA',
  }
  const files: Readonly<Record<string, [type: string, text: string]>> = {
    '/out/main.js': ['text/javascript', 'a()\nb()\nc()\n//# sourceMappingURL=main.js.map'],
    '/out/main.js.map': ['application/json', JSON.stringify(map)],
    '/plain.js': ['text/javascript', 'plain()'],
    '/image.png': ['image/png', 'bytes'],
  }
  const createMaps = () =>
    createSourceMaps(
      (request) => {
        const [type, text] = files[new URL(request.url).pathname] ?? []
        const init = { status: type === undefined ? 404 : 200, headers: { 'Content-Type': type ?? 'text/plain' } }
        return Promise.resolve(new Response(text ?? 'no', init))
      },
      { worker, maxWaitMs: 20_000 },
    )
  const position = (file: string, line = 1) => ({ file, line, column: 1 })

  test('is marked as a package where its path or its source map says so', async () => {
    const frames = await createMaps().mapFrames([1, 2, 3].map((line) => createFrame({ file: '/out/main.js', line })))
    expect(frames.map(({ original, isLibrary }) => [original?.file, isLibrary])).toEqual([
      ['/src/own.ts', false],
      ['/node_modules/axios/index.ts', true],
      ['/src/vendor.ts', true],
    ])
    const [served] = await createMaps().mapFrames([createFrame({ file: '/node_modules/.vite/deps/vue.js?v=1' })])
    expect(served?.isLibrary).toBe(true)
  })

  test('has the original name of its function, where the calling code is mapped exactly to it', async () => {
    // The second line calls `a`, which the map calls `loadCards`; the third calls it through `b`.
    const script = 'function a(){f()}\na()\nb(a)\n//# sourceMappingURL=names.js.map'
    const names = ['loadCards', 'callLater', 'x'.repeat(1_000)]
    const map = { version: 3, sources: ['own.ts'], names, mappings: 'AAAA;AACAA;AACAC' }
    const serve = (request: Request): Promise<Response> =>
      Promise.resolve(
        request.url.endsWith('.map')
          ? new Response(JSON.stringify(map))
          : new Response(script, { headers: { 'Content-Type': 'text/javascript' } }),
      )
    const maps = createSourceMaps(serve, { worker, maxWaitMs: 20_000 })
    const file = '/names.js'
    const inner = createFrame({ file, line: 1, column: 14, functionName: 'Object.a' })
    const mapNames = async (...frames: CallFrame[]): Promise<string[]> =>
      (await maps.mapFrames(frames)).map(({ functionName }) => functionName)
    const caller = createFrame({ file, line: 2, column: 1, functionName: '' })
    expect(await mapNames(inner, caller)).toEqual(['Object.loadCards', ''])
    expect(await mapNames(inner, { ...caller, line: 3 })).toEqual(['Object.a', ''])
    expect(await mapNames(inner, { ...caller, column: 2 })).toEqual(['Object.a', ''])
    expect(await mapNames(inner, { ...caller, isAsync: true })).toEqual(['Object.a', ''])
    expect(await mapNames(inner)).toEqual(['Object.a'])
    maps.clear()
  })

  test('is the text in the source map, otherwise the file that the page runs', async () => {
    const maps = createMaps()
    const compiled = files['/out/main.js']?.[1]
    expect(await maps.readSource(position('/out/main.js'), true)).toEqual({
      position: position('/src/own.ts'),
      isOriginal: true,
      text: 'own text',
    })
    expect(await maps.readSource(position('/out/main.js'), false)).toMatchObject({ isOriginal: false, text: compiled })
    expect(await maps.readSource(position('/out/main.js', 2), true)).toMatchObject({
      isOriginal: false,
      text: compiled,
    })
    expect(await maps.readSource(position('/plain.js'), true)).toMatchObject({ isOriginal: false, text: 'plain()' })
    for (const file of ['/image.png', '/gone.js', 'http://127.0.0.1:9/x.js', '//127.0.0.1:9/x.js', 'blob:x'])
      expect(await maps.readSource(position(file), false)).toBeNull()
  })
})

test("a call keeps its stack, which does not reach the host, and the running panel's files are read", async () => {
  const host = await startLoggingHost(['GET /notes/{id}'])
  const panel = await openPanel(createPanelFolder({ 'main.js': 'start()\n' }), host.baseUrl)
  const { call } = panel.composed
  const stack = encodeURI('at start (/main.js:1:1)')
  await panel.requestAsPage('GET', '/bridge/v1/notes/N-1', [`x-inspector-stack: ${stack}`])
  const referrer = `Referer: http://${panel.host}/index.html`
  await panel.requestAsPage('GET', '/bridge/v1/notes/N-2', ['Sec-Fetch-Dest: image', referrer])
  await panel.requestAsPage('GET', '/bridge/v1/notes/N-3')
  const { bytes } = await call('traffic.find', {
    filter: { origins: ['panel'] },
    sort: { by: 'time', descending: false },
  })
  const { rows } = await call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })
  const exchangeIds = rows.map(({ id }) => id)
  const frame = createFrame({ functionName: 'start', line: 1, column: 1 })
  // The page shows what was known before, until it is told that more is.
  await vi.waitFor(() => {
    const pushed = panel.composed.events.filter(({ topic }) => topic === 'panel.initiatorsChanged')
    expect(JSON.stringify(pushed)).toContain(exchangeIds[0])
  })
  expect((await call('panel.call', { exchangeId: exchangeIds[0] ?? '' })).call).toMatchObject({
    frames: [frame],
    loader: null,
  })
  const { calls } = await call('panel.calls', { exchangeIds })
  expect(calls.map((summary) => [summary.frame, summary.loader])).toEqual([
    [frame, null],
    [null, { destination: expect.stringContaining('image') as string, file: '/index.html', position: null }],
    [null, null],
  ])
  const initiators = await Promise.all(
    exchangeIds.map(async (id) => (await call('traffic.exchange', { id })).initiator),
  )
  expect(initiators).toEqual([
    { frames: [frame], loader: null },
    { frames: null, loader: expect.objectContaining({ file: '/index.html' }) as unknown },
    undefined,
  ])
  expect(JSON.stringify(host.requests)).not.toContain('inspector')
  expect(JSON.stringify(rows)).not.toContain('inspector-stack')

  const input = { position: { file: '/main.js', line: 1, column: 1 }, isOriginal: true }
  const caller = panel.state.caller ?? ''
  const source = await call('panel.source', { ...input, caller })
  expect([source.meta.isOriginal, new TextDecoder().decode(source.bytes)]).toEqual([false, 'start()\n'])
  const missing = { ...input, position: { ...input.position, file: '/gone.js' } }
  await expect(call('panel.source', { ...missing, caller })).rejects.toMatchObject({ wire: { code: 'SOURCE_UNKNOWN' } })
  await call('panel.stop', {})
  await expect(call('panel.source', { ...input, caller })).rejects.toMatchObject({ wire: { code: 'PANEL_CLOSED' } })
})
