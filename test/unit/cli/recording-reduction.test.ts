/** @module-tag slow */

import path from 'node:path'
import { expect, test } from 'vitest'
import { openRecording } from '../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import type { Finding } from '../../../shared/protocol/finding.ts'
import { collect } from '../../support/data/collect.ts'
import { createRecordedExchange, createRecordingSource, getBodyName } from '../../support/data/recordings.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { runCommandLine } from '../../support/program/command-line.ts'

const origin = { kind: 'panel', label: 'Practice', caller: 'opening-1', load: 1 } as const
const listing = '/study-sets/T/tree?limit=2'
const firstPage = { nodes: [{ noteid: 'A' }, { noteid: 'B' }], nodeTotal: 9, nextCursor: 'c1' }
const refusal = { error: { code: 'CURSOR_INVALID', message: 'No such cursor.' } }
const reads: readonly (readonly [path: string, endpoint: string, value: unknown])[] = [
  ['/status', 'status.get', { app: 'Host', enabled: true }],
  ['/capabilities', 'capabilities.get', { routes: [] }],
  ['/decks', 'decks.list', [{ deckId: 'D' }]],
  [listing, 'studySets.tree', firstPage],
  ['/documents', 'documents.list', []],
  [`${listing}&cursor=made-up`, 'studySets.tree', refusal],
  ['/ui-state', 'uiState.get', {}],
]
const finding: Finding = {
  ...{ id: 'cursor-invented:6', rule: 'cursor-invented', at: 1_000, resource: 'GET /study-sets/T/tree' },
  ...{ origin, exchanges: [4, 6], params: { cursor: 'made-up' } },
}

/** Writes a recording of a panel that invents a cursor. */
async function writeMistake(): Promise<{ file: string; output: string }> {
  const folder = createTempDir()
  const bodies = new Map(reads.map(([, , value]) => [getBodyName(JSON.stringify(value)), JSON.stringify(value)]))
  const exchanges = reads.map(([to, endpoint, value], index) =>
    createRecordedExchange(index + 1, JSON.stringify(value), {
      row: {
        ...{ origin, endpoint, path: `/bridge/v1${to}`, host: 'http://127.0.0.1:42340/bridge/v1', method: 'GET' },
        template: endpoint === 'studySets.tree' ? '/bridge/v1/study-sets/{topicid}/tree' : `/bridge/v1${to}`,
        ...(value === refusal ? { status: 422, errorCode: 'CURSOR_INVALID' } : {}),
        ...{ rule: null, mediaType: 'application/json' },
      },
    }),
  )
  const source = createRecordingSource([], {
    lines: { exchanges, findings: [finding] },
    loadBody: async (name) => Buffer.from(bodies.get(name) ?? ''),
  })
  await writeRecording(path.join(folder, 'bug.birec'), source)
  return { file: path.join(folder, 'bug.birec'), output: path.join(folder, 'smallest.birec') }
}

const listPaths = async (file: string): Promise<string[]> => {
  const recording = await openRecording(file)
  const exchanges = await collect(recording.readExchanges())
  await recording.close()
  return exchanges.map(({ row }) => row.path.replace('/bridge/v1', ''))
}

/** Ends with the code if the host responds to the path with 200. */
const createClient = (to: string, code: number): string[] => [
  process.execPath,
  '-e',
  `fetch(process.env.BRIDGE_BASE_URL + '${to}', { headers: { authorization: 'Bearer ' + process.env.BRIDGE_TOKEN } })
    .then(({ status }) => process.exit(status === 200 ? ${code} : 0))`,
]

const SIGNED = /^Signed by [0-9A-Fa-f: ]+, a key of this run\.\n/

test('recording reduce writes the exchanges from which a finding follows', async () => {
  const { file, output } = await writeMistake()
  const reduced = await runCommandLine(['recording', 'reduce', file, '-o', output])
  expect([reduced.code, reduced.stderr]).toEqual([0, expect.stringMatching(SIGNED)])
  expect(reduced.stdout.toString()).toContain('4 of 7 exchanges and 0 of 2 listed cards')
  expect(await listPaths(output)).toEqual(['/status', '/capabilities', listing, `${listing}&cursor=made-up`])

  const verified = await runCommandLine(['recording', 'verify', output])
  expect(verified.code).toBe(0)
  expect(verified.stdout.toString()).toContain('made of another recording')

  const existing = await runCommandLine(['recording', 'reduce', file, '-o', output])
  expect([existing.code, existing.stderr]).toEqual([2, expect.stringContaining('--force')])
  const json = await runCommandLine(['recording', 'reduce', file, '-o', output, '--force', '--json'])
  expect(JSON.parse(json.stdout.toString())).toMatchObject({ isMinimal: true, isSteady: true, after: { exchanges: 4 } })
})

test('recording reduce writes what a command needs that fails', async () => {
  const { file, output } = await writeMistake()
  const command = createClient('/decks', 7)
  const reduced = await runCommandLine(['recording', 'reduce', file, '-o', output, '--', ...command])
  expect([reduced.code, reduced.stderr]).toEqual([0, expect.stringMatching(SIGNED)])
  expect(await listPaths(output)).toEqual(['/status', '/capabilities', '/decks'])
  const recording = await openRecording(output)
  expect(recording.manifest.selection).toMatchObject({ kind: 'reduction', finding: null })
  await recording.close()
})

/** Reads the decks, a page, and then the page after the last card, whose id is no cursor. */
const panelScript = `(async () => {
  const read = async (to) => (await fetch(process.env.BRIDGE_BASE_URL + to, {
    headers: { authorization: 'Bearer ' + process.env.BRIDGE_TOKEN },
  })).json()
  await read('/decks')
  const { nodes } = await read('${listing}')
  const { error } = await read('${listing}&cursor=' + (nodes.length > 1 ? 'made-up' : 'c1'))
  console.log('the second page has', error?.code)
  process.exit(1)
})()`

test('recording reduce leaves what a command needs to break a rule, or to print a text', async () => {
  const { file, output } = await writeMistake()
  const command = [process.execPath, '-e', panelScript]
  const reduced = await runCommandLine([
    ...['recording', 'reduce', file, '-o', output, '--finding', 'cursor-invented', '--json', '--', ...command],
  ])
  expect([reduced.code, reduced.stderr]).toEqual([0, expect.stringMatching(SIGNED)])
  expect(JSON.parse(reduced.stdout.toString())).toMatchObject({ after: { exchanges: 4, cards: 2 }, isSteady: true })
  const needed = ['/status', '/capabilities', listing, `${listing}&cursor=made-up`]
  expect(await listPaths(output)).toEqual(needed)

  const text = ['--match', 'the second page has CURSOR_INVALID', '--force', '--', ...command]
  expect((await runCommandLine(['recording', 'reduce', file, '-o', output, ...text])).code).toBe(0)
  expect(await listPaths(output)).toEqual(needed)
})

test('recording reduce waits for a command that takes long', async () => {
  const { file, output } = await writeMistake()
  const marker = path.join(path.dirname(file), 'ran')
  const script = `const { existsSync, writeFileSync } = require('node:fs')
    const delayMs = existsSync('${marker}') ? 0 : 1_100
    writeFileSync('${marker}', '')
    setTimeout(() => process.exit(3), delayMs)`
  const command = [process.execPath, '-e', script]
  const reduced = await runCommandLine(['recording', 'reduce', file, '-o', output, '--', ...command])
  expect([reduced.code, reduced.stderr]).toEqual([0, expect.stringMatching(SIGNED)])
  expect(await listPaths(output)).toEqual(['/status', '/capabilities'])
})

test('recording reduce refuses a command that passes or does not exist, and flags that fit nothing', async () => {
  const { file, output } = await writeMistake()
  const run = async (...args: string[]) => {
    const { code, stderr } = await runCommandLine(['recording', ...args])
    return [code, stderr.split(':')[0]]
  }
  expect(await run('reduce', file, '-o', output, '--', ...createClient('/decks', 0))).toEqual([11, 'COMMAND_PASSES'])
  expect(await run('reduce', file, '-o', output, '--', '/no/such/program')).toEqual([6, 'COMMAND_FAILED'])
  expect(await run('reduce', file)).toEqual([2, 'FLAG_INVALID'])
  expect(await run('reduce', file, '-o', file, '--force')).toEqual([2, 'FLAG_INVALID'])
  expect(await run('verify', file, '--match', 'text')).toEqual([2, 'FLAG_INVALID'])
  expect(await run('reduce', file, '-o', output, '--finding', 'unknown-route')).toEqual([2, 'FLAG_INVALID'])
  const decks = createClient('/decks', 1)
  const rule = ['--finding', 'cursor-invented']
  expect(await run('reduce', file, '-o', output, ...rule, '--', ...decks)).toEqual([11, 'COMMAND_PASSES'])
  expect(await run('reduce', file, '-o', output, '--match', 'text', '--', ...decks)).toEqual([11, 'COMMAND_PASSES'])
  expect(await run('reduce', file, '-o', output, '--match', 'text')).toEqual([2, 'FLAG_INVALID'])
  expect(await run('info', file, '--finding', 'unknown-route')).toEqual([2, 'FLAG_INVALID'])
})
