/** @module-tag slow */

import { setTimeout } from 'node:timers/promises'
import ts from 'typescript'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createSourceMaps } from '../../../../electron/services/panel/source-maps.ts'
import { openPanel, createPanelFolder, startLoggingHost } from '../../../support/program/panel.ts'
import { startHttpServer } from '../../../support/services/relay.ts'
import { TOKEN } from '../../../support/services/test-client.ts'

const worker = new URL('../../../../electron/services/panel/source-map-thread/worker.ts', import.meta.url)

/** A busy machine starts the thread slowly. */
const MAX_WAIT_MS = 20_000

const SOURCE = [
  'interface Card { title: string }',
  '',
  'export function fail(card: Card): never {',
  '  throw new Error(card.title)',
  '}',
].join('\n')

/** Compiles the source, with its map in a separate file or inline. */
function compileSource(options: ts.CompilerOptions, fileName = 'main.ts'): { code: string; map: string } {
  const { outputText, sourceMapText = '' } = ts.transpileModule(SOURCE, {
    fileName,
    compilerOptions: { target: ts.ScriptTarget.ESNext, ...options },
  })
  return { code: outputText, map: sourceMapText }
}

/** Finds the position of the `throw` in compiled code. */
function findThrow(code: string): { line: number; column: number } {
  const lines = code.split('\n')
  const index = lines.findIndex((line) => line.includes('throw'))
  return { line: index + 1, column: (lines[index] ?? '').indexOf('throw') + 1 }
}

const inlined = compileSource({ inlineSourceMap: true })
const linked = compileSource({ sourceMap: true })

/**
 * Creates the source maps of a page with these files. Every file is JavaScript unless its name
 * says otherwise.
 */
function createMaps(
  files: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
  { delayMs = 0, maxWaitMs = MAX_WAIT_MS } = {},
) {
  const requestedPaths: string[] = []
  const refusedFiles: string[] = []
  const serve = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    requestedPaths.push(pathname)
    if (delayMs > 0) await setTimeout(delayMs)
    const text = files[pathname]
    if (text === undefined) return new Response('no', { status: 404 })
    const type = pathname.endsWith('.html') ? 'text/html' : 'text/javascript; charset=utf-8'
    return new Response(text, { headers: { 'Content-Type': type, ...headers } })
  }
  const maps = createSourceMaps(serve, { worker, onRefused: (file) => refusedFiles.push(file), maxWaitMs })
  onTestFinished(() => maps.clear())
  return { maps, asked: requestedPaths, refusedFiles }
}

test('frames of a call wait longer for a file that is built slowly than lines of the console do', async () => {
  const { maps } = createMaps({ '/a.js': inlined.code }, {}, { delayMs: 300, maxWaitMs: 100 })
  const position = { file: '/a.js', ...findThrow(inlined.code) }
  const frame = { ...position, functionName: 'fail', isAsync: false, original: null }
  const [line, frames] = await Promise.all([
    maps.findOriginalPosition(position),
    maps.mapFrames([{ ...frame, isLibrary: false, isWrapper: false }]),
  ])
  expect([line, frames[0]?.original]).toEqual([null, { file: '/main.ts', line: 4, column: 3 }])
})

describe("original position of a panel's code", () => {
  test.each([
    ['inside the script', { '/a/main.js': inlined.code }, {}, '/a/main.ts'],
    [
      'in a separate file',
      { '/a/main.js': linked.code.replace(/=main\.js\.map/, '=../maps/m.json'), '/maps/m.json': linked.map },
      {},
      '/maps/main.ts',
    ],
    [
      'named by a header',
      { '/a/main.js': linked.code.replace(/\/\/#.*/, ''), '/m.map': linked.map },
      { SourceMap: '/m.map' },
      '/main.ts',
    ],
    [
      'from a bundler, in sections',
      {
        '/a/main.js': `/* banner */\n${linked.code}`,
        '/a/main.js.map': JSON.stringify({
          version: 3,
          sections: [
            {
              offset: { line: 1, column: 0 },
              map: { ...(JSON.parse(linked.map) as object), sources: ['webpack://app/./src/main.ts'] },
            },
          ],
        }),
      },
      {},
      'src/main.ts',
    ],
  ])('is found with a map %s', async (_, files, headers, expected) => {
    const { maps } = createMaps(files, headers)
    const position = findThrow(files['/a/main.js'])
    const file = '/a/main.js'
    expect(await maps.findOriginalPosition({ file, ...position })).toEqual({ file: expected, line: 4, column: 3 })
    const stack = `Error: x\n    at fail (${file}:${position.line}:${position.column})\n    at ${file}:${position.line}:${position.column}`
    expect(await maps.annotateStack(stack)).toBe(
      `Error: x\n    at fail (${file}:${position.line}:${position.column} → ${expected}:4:3)\n    at ${file}:${position.line}:${position.column} → ${expected}:4:3`,
    )
    expect(await maps.annotateStack(`fail@${file}:${position.line}:${position.column}`)).toContain(`→ ${expected}:4:3`)
  })

  test('is unknown without a stack, without a map, or with a wrong one', async () => {
    const createScriptWithMap = (map: unknown): string =>
      `throw 1\n//# sourceMappingURL=data:application/json,${encodeURIComponent(JSON.stringify(map))}`
    const { maps, asked } = createMaps({
      '/plain.js': 'throw 1',
      '/gone.js': 'throw 1\n//# sourceMappingURL=gone.map',
      '/away.js': 'throw 1\n//# sourceMappingURL=http://127.0.0.1:9/m.map',
      '/file.js': 'throw 1\n//# sourceMappingURL=file:///etc/passwd',
      '/broken.js': 'throw 1\n//# sourceMappingURL=data:application/json,{',
      '/strange.js': createScriptWithMap({ version: 3, sources: [7], mappings: 5, names: null }),
      '/odd.js': createScriptWithMap({ version: 3, sources: [7], mappings: [[[0, 0, 'x', {}]]], names: null }),
      '/said.js': 'const text = "sourceMappingURL=gone.map"',
      '/page.html': inlined.code,
    })
    for (const name of ['plain', 'gone', 'away', 'file', 'broken', 'strange', 'odd', 'said', 'not-there']) {
      expect([name, await maps.findOriginalPosition({ file: `/${name}.js`, line: 1, column: 1 })]).toEqual([name, null])
    }
    expect(await maps.findOriginalPosition({ file: '/page.html', ...findThrow(inlined.code) })).toBeNull()
    for (const file of ['http://127.0.0.1:9/x.js', '//127.0.0.1:9/x.js', 'blob:x', '']) {
      expect(await maps.findOriginalPosition({ file, line: 1, column: 1 })).toBeNull()
    }
    expect(asked).toContain('/gone.map')
    const text = 'see /plain.js:1:1\n    at x (/plain.js:1:1)'
    expect(await maps.annotateStack(text)).toBe(text)
  })

  test('needs one request per file and load', async () => {
    const { maps, asked } = createMaps({ '/main.js': inlined.code })
    const position = { file: '/main.js', ...findThrow(inlined.code) }
    await Promise.all([maps.findOriginalPosition(position), maps.findOriginalPosition(position)])
    expect(asked).toEqual(['/main.js'])
    maps.clear()
    await maps.findOriginalPosition(position)
    expect(asked).toHaveLength(2)
  })

  test('is read for two files at a time, and no longer queued once many wait', async () => {
    const releases: (() => void)[] = []
    const openPaths = new Set<string>()
    const maps = createSourceMaps(
      async ({ url }) => {
        if (!url.endsWith('/first.js')) {
          openPaths.add(url)
          await new Promise<void>((resolve) => releases.push(resolve))
        }
        return new Response(inlined.code, { headers: { 'Content-Type': 'text/javascript' } })
      },
      { worker, maxWaitMs: MAX_WAIT_MS },
    )
    const position = findThrow(inlined.code)
    // Starts the thread, for which a lookup would wait too.
    await maps.findOriginalPosition({ file: '/first.js', ...position })
    const lookups = Array.from({ length: 500 }, (_, index) =>
      maps.findOriginalPosition({ file: `/${index}.js`, ...position }),
    )
    await Promise.resolve()
    expect(openPaths.size).toBe(2)
    const release = setInterval(() => releases.splice(0).forEach((resolve) => resolve()), 1)
    const originals = await Promise.all(lookups)
    clearInterval(release)
    expect(originals.filter((original) => original !== null)).toHaveLength(52)
    expect(openPaths.size).toBe(52)
  })

  test('is read once for all queries of a path, where they lead to the same file', async () => {
    const serve = vi.fn(async () =>
      Promise.resolve(new Response(inlined.code, { headers: { 'Content-Type': 'text/javascript' } })),
    )
    const position = findThrow(inlined.code)
    for (const [isQueryIgnored, expectedCount] of [[true, 1] as const, [false, 3] as const]) {
      serve.mockClear()
      const maps = createSourceMaps(serve, { worker, isQueryIgnored, maxWaitMs: MAX_WAIT_MS })
      for (const file of ['/a.js?1', '/a.js?2', '/x/../a.js?3#part'])
        expect(await maps.findOriginalPosition({ file, ...position })).not.toBeNull()
      expect(serve).toHaveBeenCalledTimes(expectedCount)
    }
  })

  test('is read again for the oldest files once the maps are large', async () => {
    const map = JSON.stringify({
      version: 3,
      sources: ['a.ts'],
      mappings: 'AAAA',
      names: [],
      x: 'x'.repeat(15_000_000),
    })
    const { maps, asked } = createMaps(
      Object.fromEntries([
        ['/m.map', map],
        ...Array.from({ length: 6 }, (_, index) => [`/${index}.js`, 'x\n//# sourceMappingURL=/m.map']),
      ]) as Record<string, string>,
    )
    for (const index of [0, 1, 2, 3, 4, 5, 5, 0])
      expect(await maps.findOriginalPosition({ file: `/${index}.js`, line: 1, column: 1 })).not.toBeNull()
    expect(asked.filter((path) => path !== '/m.map')).toEqual([0, 1, 2, 3, 4, 5, 0].map((index) => `/${index}.js`))
  })

  test('is unknown for a script without end, and nothing waits for it', async () => {
    let pieces = 0
    const piece = new Uint8Array(1024 * 1024)
    const maps = createSourceMaps(
      async () =>
        Promise.resolve(
          new Response(
            new ReadableStream({
              pull(controller) {
                pieces += 1
                controller.enqueue(piece)
              },
            }),
            { headers: { 'Content-Type': 'text/javascript' } },
          ),
        ),
      { worker, maxWaitMs: MAX_WAIT_MS },
    )
    expect(await maps.findOriginalPosition({ file: '/a.js', line: 1, column: 1 })).toBeNull()
    expect(pieces).toBeLessThan(20)
  })
})

describe('safety 75: a hostile source map', () => {
  const section = (line: unknown, map: unknown = { version: 3, sources: ['a.ts'], mappings: 'AAAA' }) =>
    JSON.stringify({ version: 3, sections: [{ offset: { line, column: 0 }, map }] })
  const nestSections = (depth: number): string =>
    `${'{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":'.repeat(depth)}{"version":3,"sources":[],"mappings":""}${'}]}'.repeat(depth)}`

  test.each([
    ['an offset of four billion lines', section(2 ** 32)],
    ['an offset of 10^300 lines', section(1e300)],
    ['an offset of no number', section('9'.repeat(400))],
    ['a negative offset', section(-1)],
    ['offsets that add up', section(900_000, JSON.parse(section(900_000)))],
    ['sections within sections', nestSections(100_000)],
    ['two million lines', JSON.stringify({ version: 3, sources: ['a.ts'], mappings: ';'.repeat(2_000_000) })],
    ['a million sources', `{"version":3,"mappings":"AAAA","sources":[${'"",'.repeat(1_000_000)}""]}`],
    [
      'huge numbers in its mappings',
      JSON.stringify({ version: 3, sources: ['a.ts'], mappings: `${'g'.repeat(9)}//A`.repeat(2_000) }),
    ],
  ])('with %s leaves stacks without originals, and the service answers', async (_, map) => {
    const { maps } = createMaps({ '/a.js': 'x\n//# sourceMappingURL=/m.map', '/m.map': map, '/b.js': inlined.code })
    let tickCount = 0
    const ticks = setInterval(() => (tickCount += 1), 1)
    const position = { file: '/a.js', line: 1, column: 1 }
    const [frame] = await maps.mapFrames([
      { ...position, functionName: '', isAsync: false, original: null, isLibrary: false, isWrapper: false },
    ])
    clearInterval(ticks)
    expect(frame?.original ?? null).toBeNull()
    expect(tickCount).toBeGreaterThan(0)
    expect(await maps.findOriginalPosition({ file: '/b.js', ...findThrow(inlined.code) })).not.toBeNull()
  })

  test('that needs too much memory is refused until the next load, and other maps are read again', async () => {
    // Each segment of a mapping is a list of numbers, which takes more than 20 times its text.
    const map = JSON.stringify({ version: 3, sources: ['a.ts'], mappings: 'AAAA,'.repeat(3_000_000) })
    const files = { '/a.js': 'x\n//# sourceMappingURL=/m.map', '/m.map': map, '/b.js': inlined.code }
    const { maps, asked, refusedFiles } = createMaps(files)
    const ownPosition = { file: '/b.js', ...findThrow(inlined.code) }
    expect(await maps.findOriginalPosition(ownPosition)).not.toBeNull()
    await maps.findOriginalPosition({ file: '/a.js', line: 1, column: 1 })
    await vi.waitFor(() => expect(refusedFiles).toEqual(['/a.js']), 10_000)
    expect(await maps.findOriginalPosition({ file: '/a.js', line: 1, column: 1 })).toBeNull()
    expect(await maps.findOriginalPosition(ownPosition)).not.toBeNull()
    expect(asked.filter((path) => path === '/a.js')).toHaveLength(1)
    maps.clear()
    await maps.findOriginalPosition({ file: '/a.js', line: 1, column: 1 })
    expect(asked.filter((path) => path === '/a.js')).toHaveLength(2)
  })
})

test('is shown for console lines and errors of a panel, from a folder and a development server', async () => {
  const { code } = inlined
  const { line, column } = findThrow(code)
  const server = await startHttpServer((_, response) => response.setHeader('Content-Type', 'text/javascript').end(code))
  const folder = createPanelFolder({ 'main.js': code })
  for (const panelSource of [folder, { kind: 'server' as const, url: `http://127.0.0.1:${server.port}/` }]) {
    const panel = await openPanel(panelSource)
    const origin = `http://${panel.host}`
    const text = `Error: x\n    at fail (${origin}/main.js:${line}:${column})`
    const note = { kind: 'error', level: 'error', what: null, text, file: '/main.js', line, column }
    await panel.requestAsPage('POST', '/__inspector/notes', [], JSON.stringify({ notes: [note] }))
    const { notes } = await panel.composed.call('panel.notes', { after: 0 })
    expect(notes.at(-1)).toMatchObject({
      text: `Error: x\n    at fail (/main.js:${line}:${column} → /main.ts:4:3)`,
      file: '/main.js',
      original: { file: '/main.ts', line: 4, column: 3 },
    })
  }
  await server.close()
})

test('the source of a file is shown without the token', async () => {
  const { baseUrl } = await startLoggingHost([])
  const panel = await openPanel(createPanelFolder({ 'main.js': `const token = '${TOKEN}'` }), baseUrl)
  const { caller } = await panel.composed.call('panel.get', {})
  const position = { file: '/main.js', line: 1, column: 1 }
  const source = await panel.composed.call('panel.source', { caller: caller ?? '', position, isOriginal: false })
  expect(new TextDecoder().decode(source.bytes)).toMatch(/^const token = '.+'$/)
  expect(new TextDecoder().decode(source.bytes)).not.toContain(TOKEN)
})
