import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { createSourceMaps } from '../../../../electron/services/panel/source-maps.ts'
import { openPanel, createPanelFolder } from '../../../support/program/panel.ts'
import { startHttpServer } from '../../../support/services/relay.ts'

const source = [
  'interface Card { title: string }',
  '',
  'export function fail(card: Card): never {',
  '  throw new Error(card.title)',
  '}',
].join('\n')

/** The source as a compiler writes it, with its map beside it or in it. */
function compiled(options: ts.CompilerOptions, fileName = 'main.ts'): { code: string; map: string } {
  const { outputText, sourceMapText = '' } = ts.transpileModule(source, {
    fileName,
    compilerOptions: { target: ts.ScriptTarget.ESNext, ...options },
  })
  return { code: outputText, map: sourceMapText }
}

/** Position of the `throw` in compiled code. */
function positionIn(code: string): { line: number; column: number } {
  const lines = code.split('\n')
  const index = lines.findIndex((line) => line.includes('throw'))
  return { line: index + 1, column: (lines[index] ?? '').indexOf('throw') + 1 }
}

const inlined = compiled({ inlineSourceMap: true })
const linked = compiled({ sourceMap: true })

/**
 * Source maps of a page with these files; everything is JavaScript unless its name says otherwise.
 */
function mapsOf(files: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
  const asked: string[] = []
  const maps = createSourceMaps(async (request) => {
    const { pathname } = new URL(request.url)
    asked.push(pathname)
    const text = files[pathname]
    if (text === undefined) return new Response('no', { status: 404 })
    const type = pathname.endsWith('.html') ? 'text/html' : 'text/javascript; charset=utf-8'
    return new Response(text, { headers: { 'Content-Type': type, ...headers } })
  })
  return { maps, asked }
}

describe('where the code of a panel was written', () => {
  test.each([
    ['in the script itself', { '/a/main.js': inlined.code }, {}, '/a/main.ts'],
    [
      'beside it',
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
      'of a bundler, in sections',
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
  ])('a map %s', async (_, files, headers, expected) => {
    const { maps } = mapsOf(files, headers)
    const at = positionIn(files['/a/main.js'])
    const file = '/a/main.js'
    expect(await maps.findOriginal({ file, ...at })).toEqual({ file: expected, line: 4, column: 3 })
    const stack = `Error: x\n    at fail (${file}:${at.line}:${at.column})\n    at ${file}:${at.line}:${at.column}`
    expect(await maps.annotateStack(stack)).toBe(
      `Error: x\n    at fail (${file}:${at.line}:${at.column} → ${expected}:4:3)\n    at ${file}:${at.line}:${at.column} → ${expected}:4:3`,
    )
    expect(await maps.annotateStack(`fail@${file}:${at.line}:${at.column}`)).toContain(`→ ${expected}:4:3`)
  })

  test('what is no stack, has no map or a wrong one stays as it is', async () => {
    const json = (map: unknown): string =>
      `throw 1\n//# sourceMappingURL=data:application/json,${encodeURIComponent(JSON.stringify(map))}`
    const { maps, asked } = mapsOf({
      '/plain.js': 'throw 1',
      '/gone.js': 'throw 1\n//# sourceMappingURL=gone.map',
      '/away.js': 'throw 1\n//# sourceMappingURL=http://127.0.0.1:9/m.map',
      '/file.js': 'throw 1\n//# sourceMappingURL=file:///etc/passwd',
      '/broken.js': 'throw 1\n//# sourceMappingURL=data:application/json,{',
      '/strange.js': json({ version: 3, sources: [7], mappings: 5, names: null }),
      '/odd.js': json({ version: 3, sources: [7], mappings: [[[0, 0, 'x', {}]]], names: null }),
      '/said.js': 'const text = "sourceMappingURL=gone.map"',
      '/page.html': inlined.code,
    })
    for (const name of ['plain', 'gone', 'away', 'file', 'broken', 'strange', 'odd', 'said', 'not-there']) {
      expect([name, await maps.findOriginal({ file: `/${name}.js`, line: 1, column: 1 })]).toEqual([name, null])
    }
    expect(await maps.findOriginal({ file: '/page.html', ...positionIn(inlined.code) })).toBeNull()
    for (const file of ['http://127.0.0.1:9/x.js', '//127.0.0.1:9/x.js', 'blob:x', '']) {
      expect(await maps.findOriginal({ file, line: 1, column: 1 })).toBeNull()
    }
    expect(asked).toContain('/gone.map')
    const text = 'see /plain.js:1:1\n    at x (/plain.js:1:1)'
    expect(await maps.annotateStack(text)).toBe(text)
  })

  test('each file is read once a load', async () => {
    const { maps, asked } = mapsOf({ '/main.js': inlined.code })
    const position = { file: '/main.js', ...positionIn(inlined.code) }
    await Promise.all([maps.findOriginal(position), maps.findOriginal(position)])
    expect(asked).toEqual(['/main.js'])
    maps.clear()
    await maps.findOriginal(position)
    expect(asked).toHaveLength(2)
  })

  test('a script without end is given up, and nothing waits for it', { timeout: 10_000 }, async () => {
    let pieces = 0
    const piece = new Uint8Array(1024 * 1024)
    const maps = createSourceMaps(async () =>
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
    )
    expect(await maps.findOriginal({ file: '/a.js', line: 1, column: 1 })).toBeNull()
    expect(pieces).toBeLessThan(20)
  })
})

test('what a panel prints and throws is shown with its own source, from a folder and a development server', async () => {
  const { code } = inlined
  const { line, column } = positionIn(code)
  const server = await startHttpServer((_, response) => response.setHeader('Content-Type', 'text/javascript').end(code))
  const folder = createPanelFolder({ 'main.js': code })
  for (const from of [folder, { kind: 'server' as const, url: `http://127.0.0.1:${server.port}/` }]) {
    const panel = await openPanel(from)
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
