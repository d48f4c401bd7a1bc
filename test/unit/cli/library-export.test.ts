/** @module-tag slow */

import { expect, onTestFinished, test } from 'vitest'
import { buildOwnLibrary } from '../../../electron/demo-host/library/own-library.ts'
import { parseLibraryFile, type LibraryFile } from '../../../electron/demo-host/library/library-file.ts'
import { startDemoHost } from '../../../electron/demo-host/server.ts'
import { startAlteringHost } from '../../support/hosts/altering-host.ts'
import { createConnectionFlags, runCommandLine } from '../../support/program/command-line.ts'

async function startHost(options: Parameters<typeof startDemoHost>[0]) {
  const host = await startDemoHost(options)
  onTestFinished(() => host.close())
  return host
}

/** The file is one that a demo host takes. */
async function exportLibrary(
  host: Parameters<typeof createConnectionFlags>[0],
  ...words: readonly string[]
): Promise<{ file: LibraryFile; text: string; code: number | null; stderr: string }> {
  const run = await runCommandLine(['library', 'export', ...words, ...createConnectionFlags(host)])
  const text = run.stdout.toString()
  const file = parseLibraryFile(JSON.parse(text))
  buildOwnLibrary(file)
  return { file, text, code: run.code, stderr: run.stderr }
}

test('library export writes what a host holds, and a host that serves the file holds the same', async () => {
  const host = await startHost({ nodes: 50 })
  const { sets } = host.state.library
  const exported = await exportLibrary(host, '--texts', 'keep')
  expect([exported.code, exported.stderr]).toEqual([0, expect.stringMatching(/^[\d,]+ cards\.\n$/)])
  expect(exported.file.studySets.map(({ id, title }) => [id, title])).toEqual([
    ...sets.map(({ topicid, title }) => [topicid, title]),
    [expect.any(String), expect.stringContaining('(50)')],
  ])
  const kinds = [
    '"texts"',
    '"parts"',
    '"masks"',
    '"tags"',
    '"excerpts"',
    '"bands"',
    '"practice"',
    '"children"',
    '"open"',
  ]
  expect(kinds.filter((kind) => !exported.text.includes(kind))).toEqual([])
  const second = await exportLibrary(await startHost({ library: exported.file }), '--texts', 'keep')
  expect(second).toEqual(exported)
})

test('safety 69: library export replaces texts as a recording does, and with --ids map ids as well', async () => {
  const host = await startHost({ nodes: 50 })
  const [set] = host.state.library.sets
  const titles = set?.cards.map(({ title }) => title).filter((title) => title.length > 3) ?? []
  expect(titles.length).toBeGreaterThan(100)
  const { text, file } = await exportLibrary(host, set?.topicid ?? '')
  expect(titles.filter((title) => text.includes(JSON.stringify(title)))).toEqual([])
  expect(file.studySets[0]?.id).toBe(set?.topicid)
  expect(file.studySets[0]?.cards.length).toBeGreaterThan(0)
  const mapped = await exportLibrary(host, set?.topicid ?? '', '--ids', 'map')
  expect(mapped.text).not.toContain(set?.topicid)
  expect(mapped.text).not.toContain(set?.cards[0]?.noteid)
  expect(mapped.file.open?.studySet).toBe(mapped.file.studySets[0]?.id)
})

test('library export says what is not whole, and goes on with the other study sets', async () => {
  const host = await startHost({ nodes: 50 })
  const [first, second, third] = host.state.library.sets.map(({ topicid }) => topicid)
  const baseUrl = await startAlteringHost(host, ({ path }, { status, body }) => {
    if (path.includes(`${first}/tree`)) return { status, body: { ...Object(body), walkLimitReached: true } }
    return path.includes(`${second}/tree`) ? { status: 500, body: { error: { code: 'BROKEN' } } } : null
  })
  const words = [first, second, third].map(String)
  const { code, stderr, file } = await exportLibrary({ ...host, baseUrl }, ...words)
  expect(code).toBe(10)
  expect(stderr).toContain(`LIBRARY_PARTIAL: ${first} is not whole (walkLimit).`)
  expect(stderr).toContain(`LIBRARY_PARTIAL: ${second} could not be read: BROKEN`)
  expect(file.studySets.map(({ id }) => id)).toEqual([first, third])
})
