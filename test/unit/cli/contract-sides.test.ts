import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseSide } from '../../../cli/commands/contract/schema-sides.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { runCommandLine } from '../../support/program/command-line.ts'
import { addAll, createBody, createEntry, openDiskStore } from '../../support/services/traffic.ts'

const everything = { host: null, version: null, from: null, to: null }

/** Records two versions of a host: the newer has a further member, and a text for a number. */
function recordTwoVersions(): string {
  const dataDir = createTempDir()
  const opened = openDiskStore(dataDir)
  const createDecks = (version: string, deck: object) =>
    createEntry({
      row: { endpoint: 'decks.list', path: '/decks', template: '/decks' },
      response: createBody(JSON.stringify({ bridgeApiVersion: version, decks: [deck, deck] })),
    })
  addAll(opened, [
    createDecks('0.90', { deckId: 'D1', title: '颈椎', cardCount: 3, order: 1 }),
    createDecks('0.91', { deckId: 'D1', title: '颈椎', cardCount: 3, order: 'as listed', shared: true }),
  ])
  // What was not learned yet when the program ended is learned by the command.
  opened.store.close()
  return dataDir
}

async function run(words: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await runCommandLine(['contract', ...words])
  return { code, stdout: stdout.toString(), stderr }
}

describe('sides of an export or a comparison', () => {
  it.each([
    ['contract', { kind: 'contract' }],
    ['recorded', { kind: 'recorded', filter: everything }],
    ['recorded@0.91', { kind: 'recorded', filter: { ...everything, version: '0.91' } }],
    ['recorded@2026-11-01', { kind: 'recorded', filter: { ...everything, from: '2026-11-01', to: '2026-11-01' } }],
    ['recorded@..2026-11-01', { kind: 'recorded', filter: { ...everything, to: '2026-11-01' } }],
    [
      'combined@http://127.0.0.1:1/,0.91,2026-11-01..2026-11-20',
      {
        kind: 'combined',
        filter: { host: 'http://127.0.0.1:1', version: '0.91', from: '2026-11-01', to: '2026-11-20' },
      },
    ],
    ['./contract.json', { kind: 'file', path: './contract.json' }],
  ])('%s', (text, side) => {
    expect(parseSide(text)).toEqual(side)
  })

  it('refuse a span that is no span of days', () => {
    expect(() => parseSide('recorded@2026-11-01..soon')).toThrow('span of days')
    expect(() => parseSide('recorded@..')).toThrow('span of days')
  })
})

describe('contract diff', () => {
  it('compares two versions that were recorded, and ends with 11 if callers break', async () => {
    const dataDir = recordTwoVersions()
    const flags = ['--data-dir', dataDir]
    const diff = await run(['diff', 'recorded@0.90', 'recorded@0.91', '--json', '--fail', ...flags])
    expect(diff.code).toBe(11)
    const { differences } = JSON.parse(diff.stdout) as { differences: { pointer: string; rule: string }[] }
    expect(differences.map(({ pointer, rule }) => `${pointer} ${rule}`)).toEqual([
      '/decks/*/order response-type-changed',
      '/decks/*/shared response-member-added',
    ])
    expect(diff.stderr).toContain('2 differences, 1 of them breaking.')
    const equal = await run(['diff', 'recorded@0.91', 'recorded@0.91', '--fail', ...flags])
    expect([equal.code, equal.stdout]).toEqual([0, ''])
    const markdown = await run(['diff', 'recorded@0.90', 'recorded@0.91', '--markdown', ...flags])
    expect(markdown.stdout).toContain('| yes | `GET /decks` | response | `/decks/*/order` | response-type-changed |')
  })

  it('compares an exported file, and refuses any other', async () => {
    const dataDir = recordTwoVersions()
    const file = path.join(createTempDir(), 'before.json')
    const words = ['export', 'recorded@0.90', '--format', 'json-schema', '-o', file, '--data-dir', dataDir]
    expect((await run(words)).code).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toContain('颈椎')
    const diff = await run(['diff', file, 'recorded@0.91', '--data-dir', dataDir])
    expect(diff.stdout).toMatch(
      /^breaking GET \/decks response \/decks\/\*\/order: response-type-changed integer → string/,
    )
    writeFileSync(file, '{}')
    expect((await run(['diff', file, 'contract'])).code).toBe(2)
    writeFileSync(file, '{"if":{}}')
    const refused = await run(['diff', file, file])
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('The keyword if at # is not understood.'),
    ])
    writeFileSync(file, '{"type":"string"}')
    expect((await run(['diff', file, file, '--fail'])).code).toBe(0)
    expect((await run(['diff', 'absent.json', 'contract'])).code).toBe(2)
    expect((await run(['diff', 'contract'])).code).toBe(2)
  })

  it('says that nothing was recorded instead of finding no difference', async () => {
    const diff = await run(['diff', 'recorded', 'recorded', '--fail', '--data-dir', createTempDir()])
    expect([diff.code, diff.stderr.split(':')[0]]).toEqual([11, 'NOTHING_RECORDED'])
  })
})

describe('contract export', () => {
  it('writes the contract as the host was recorded to speak it', async () => {
    const words = ['export', '--format', 'openapi', '--data-dir', recordTwoVersions()]
    const { stdout } = await run(words)
    const document = JSON.parse(stdout) as { openapi: string; paths: Record<string, { get?: unknown }> }
    expect(document.openapi).toBe('3.1.0')
    expect(JSON.stringify(document.paths['/decks']?.get)).toContain('"shared"')
    expect(document.paths['/study-sets/{topicid}/tree']?.get).toBeDefined()
  })

  it('writes the shipped declarations unless a side is named', async () => {
    const shipped = readFileSync(new URL('../../../resources/bridge.d.ts', import.meta.url), 'utf8')
    expect((await run(['export'])).stdout).toBe(shipped)
    const { stdout } = await run(['export', 'combined', '--format', 'dts', '--data-dir', recordTwoVersions()])
    expect(stdout).toContain('readonly shared')
    expect(stdout).not.toContain('颈椎')
  })
})
