/** @module-tag slow */

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { root } from '../../../scripts/lib/paths.mjs'
import { listCodeScanningErrors, listSarifErrors } from '../../support/data/sarif.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { createConnectionFlags, runCommandLine, startProgram, waitForExit } from '../../support/program/command-line.ts'
import { breakRule, FAULTY_PLUGIN } from '../../support/services/faulty-panel.ts'

async function startHost(): Promise<string[]> {
  const { host } = await startDemo({ nodes: 50 })
  onTestFinished(() => host.close())
  return createConnectionFlags(host)
}

/** Reads a log that is valid, and returns what it shows, and where. */
function readResults(file: string): unknown[] {
  const log = JSON.parse(readFileSync(file, 'utf8')) as { runs: { results: SarifResult[] }[] }
  expect(listSarifErrors(log)).toBe(null)
  expect(listCodeScanningErrors(log)).toEqual([])
  return (log.runs[0]?.results ?? []).map(({ ruleId, locations: [location] }) => {
    const { artifactLocation, region } = location?.physicalLocation ?? {}
    const name = location?.logicalLocations[0]?.fullyQualifiedName
    return [ruleId, artifactLocation?.uri, region?.startLine, region?.startColumn, name]
  })
}

interface SarifResult {
  readonly ruleId: string
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string }
      readonly region: Readonly<Record<'startLine' | 'startColumn', number>>
    }
    readonly logicalLocations: readonly { readonly fullyQualifiedName: string }[]
  }[]
}

/** Serves the panel from a working directory, lets it break a rule, and returns the results. */
async function runPanel(cwd: string, flags: readonly string[] = []): Promise<unknown[]> {
  const file = path.join(createTempDir(), 'findings.sarif')
  const folder = path.relative(cwd, path.join(FAULTY_PLUGIN, 'built'))
  const words = ['panel', folder, '--sarif', file, '--json', '--fail', ...flags, ...(await startHost())]
  const child = startProgram(words, { cwd })
  const exit = waitForExit(child)
  let out = ''
  child.stdout?.on('data', (piece: Buffer) => (out += piece.toString()))
  await expect.poll(() => out).toMatch(/^Panel: http.*\n/)
  await breakRule(/^Panel: (\S+)/.exec(out)?.[1] ?? '')
  child.kill('SIGINT')
  const { code, stdout } = await exit
  expect([code, stdout.toString().split('\n')[1]]).toEqual([11, expect.stringContaining('"total":1')])
  return readResults(file)
}

describe('panel --sarif', () => {
  test.each([
    ['of the plugin', FAULTY_PLUGIN, [], 'src/token.js'],
    ['above the plugin', path.dirname(FAULTY_PLUGIN), [], 'faulty-panel/src/token.js'],
    ['that --source-root leads on from', root, ['--source-root', 'test/fixtures/faulty-panel'], null],
  ])('names the file and line of the source, from the working directory %s', async (_, cwd, flags, file) => {
    const source = file ?? 'test/fixtures/faulty-panel/src/token.js'
    expect(await runPanel(cwd, flags)).toEqual([['outside-allow-list', source, 2, 26, 'readToken']])
  })
})

describe('record --sarif', () => {
  const script = `await fetch(process.env.BRIDGE_BASE_URL + '/statuss', {
    headers: { Authorization: 'Bearer ' + process.env.BRIDGE_TOKEN } })`
  const program = ['--', process.execPath, '--input-type=module', '-e', script]

  test('names the file that stands for a finding whose line no page told', async () => {
    const folder = createTempDir()
    const [archive, file] = [path.join(folder, 'a.har'), path.join(folder, 'findings.sarif')]
    const flags = await startHost()
    const { code } = await runCommandLine(['record', '-o', archive, '--sarif', file, '--fail', ...flags, ...program])
    expect(code).toBe(11)
    expect(readResults(file)).toEqual([['unknown-route', 'package.json', 1, 1, 'GET /statuss']])
  })

  test('writes a log without results for a program that breaks no rule', async () => {
    const folder = createTempDir()
    const [archive, file] = [path.join(folder, 'a.birec'), path.join(folder, 'findings.sarif')]
    const command = ['record', '-o', archive, '--sarif', file, ...(await startHost()), '--', process.execPath]
    expect((await runCommandLine([...command, '-e', ''])).code).toBe(0)
    expect(readResults(file)).toEqual([])
  })
})

test.each(['panel', 'record'])('%s refuses a log that it could not write, before it begins', async (name) => {
  const folder = createTempDir()
  const archive = path.join(folder, 'a.har')
  for (const [file, reason] of [
    ['-', '--sarif needs a file'],
    [path.join(folder, 'absent', 'a.sarif'), 'The folder of the file after --sarif'],
    [path.join(FAULTY_PLUGIN, 'built/index.html'), 'The file exists'],
  ] as const) {
    const words = name === 'panel' ? [FAULTY_PLUGIN] : ['-o', archive, '--', 'true']
    const run = await runCommandLine([name, '--sarif', file, ...words])
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(reason)])
  }
  expect(existsSync(archive)).toBe(false)
})
