/** @module-tag slow */

import { copyFileSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CheckReport } from '../../../cli/output/check-report.ts'
import type { DemoHostOptions } from '../../../electron/demo-host/server.ts'
import { createConnectionFlags, runCommandLine } from '../../support/program/command-line.ts'
import { startComposedApp } from '../../support/program/composed-app.ts'
import { saveRecording } from '../../support/program/saved-recording.ts'
import { DEFAULT_REDACTION } from '../../../shared/recordings/recording.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { TOKEN } from '../../support/services/test-client.ts'

async function startHost(options: DemoHostOptions = {}) {
  const { host } = await startDemo({ nodes: 50, ...options })
  onTestFinished(() => host.close())
  return host
}

/** Records reads of a host: two of one, and one of another that lists cards. */
async function recordReads(): Promise<string> {
  const host = await startHost({ token: TOKEN })
  const app = await startComposedApp(createTempDir(), ['--base-url', host.baseUrl], { env: { BRIDGE_TOKEN: TOKEN } })
  await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
  for (const route of ['/study-sets', '/study-sets', '/decks'])
    await app.call('traffic.send', { method: 'GET', path: route, body: null })
  await expect.poll(async () => (await app.call('traffic.info', {})).exchanges).toBeGreaterThan(3)
  const file = path.join(createTempDir(), 'reads.birec')
  await saveRecording(app, file)
  await app.dispose()
  return file
}

const parseReport = (stdout: Buffer): CheckReport => JSON.parse(stdout.toString()) as CheckReport

describe('check', () => {
  test('finds no difference on a host of the same library, and asks each read once', async () => {
    const file = await recordReads()
    const host = await startHost()
    const { code, stdout, stderr } = await runCommandLine(['check', file, '--json', ...createConnectionFlags(host)])
    const { checked, isPartial, baseUrl } = parseReport(stdout)
    expect(
      checked.flatMap(({ path: route, differences }) => differences.map((difference) => ({ route, difference }))),
    ).toEqual([])
    expect([code, isPartial, baseUrl, stderr]).toEqual([0, false, host.baseUrl, expect.any(String)])
    expect(checked.filter(({ path: route }) => route === '/study-sets')).toHaveLength(1)
  })

  test('tells what another library has, by pointer, and ends with 11', async () => {
    const file = await recordReads()
    const host = await startHost({ seed: 7 })
    const { code, stdout } = await runCommandLine(['check', file, '--json', ...createConnectionFlags(host)])
    expect(code).toBe(11)
    const decks = parseReport(stdout).checked.find(({ path: route }) => route === '/decks')
    expect(decks?.total).toBeGreaterThan(0)
    expect(decks?.differences.every(({ kind }) => kind === 'value')).toBe(true)
    const shape = await runCommandLine(['check', file, '--shape', ...createConnectionFlags(host)])
    expect(shape.code).toBe(0)
  })

  test('leaves out the places that it is told', async () => {
    const file = await recordReads()
    const host = await startHost({ seed: 7 })
    const first = await runCommandLine(['check', file, '--json', ...createConnectionFlags(host)])
    const pointers = new Set(
      parseReport(first.stdout).checked.flatMap(({ differences }) => differences.map(({ pointer }) => pointer)),
    )
    const ignores = [...pointers].flatMap((pointer) => ['--ignore', pointer])
    const second = await runCommandLine(['check', file, '--json', ...ignores, ...createConnectionFlags(host)])
    expect([second.code, parseReport(second.stdout).checked.filter(({ total }) => total > 0)]).toEqual([0, []])
  })

  test('writes reports for machines and people', async () => {
    const file = await recordReads()
    const host = await startHost({ seed: 7 })
    const output = path.join(createTempDir(), 'report')
    const flags = createConnectionFlags(host)
    await runCommandLine(['check', file, '--junit', '-o', output, ...flags])
    expect(readFileSync(output, 'utf8')).toContain('<failure message="another value')
    await runCommandLine(['check', file, '--markdown', '-o', output, '--force', ...flags])
    expect(readFileSync(output, 'utf8')).toContain('| `GET /decks` | another value |')
    await runCommandLine(['check', file, '--sarif', '-o', output, '--force', ...flags])
    const log = JSON.parse(readFileSync(output, 'utf8')) as { runs: { results: { ruleId: string }[] }[] }
    expect(log.runs[0]?.results.map(({ ruleId }) => ruleId)).toContain('value')
    const { stdout } = await runCommandLine(['check', file, ...flags])
    expect(stdout.toString()).toContain('different GET /decks')
  })

  test('does not compare what a redaction replaced, and says so', async () => {
    const host = await startHost({ token: TOKEN })
    const app = await startComposedApp(createTempDir(), ['--base-url', host.baseUrl], { env: { BRIDGE_TOKEN: TOKEN } })
    await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
    for (const route of ['/study-sets', '/decks', '/search?q=atlas'])
      await app.call('traffic.send', { method: 'GET', path: route, body: null })
    const { entry } = await app.call('recordings.save', {
      ...{ selection: { kind: 'filter', filter: {} }, redaction: DEFAULT_REDACTION },
      ...{ name: 'redacted', steps: '', jobId: 'job' },
    })
    const file = path.join(createTempDir(), 'redacted.birec')
    copyFileSync(entry?.file ?? '', file)
    await app.dispose()
    const flags = createConnectionFlags(await startHost())
    const { code, stdout } = await runCommandLine(['check', file, '--json', ...flags])
    const { checked, unchecked, notCompared } = parseReport(stdout)
    expect(checked.filter(({ total }) => total > 0)).toEqual([])
    expect(checked.map(({ path: route }) => route)).toEqual(expect.arrayContaining(['/study-sets', '/decks']))
    expect(unchecked).toContainEqual(expect.objectContaining({ reason: 'redacted' }))
    expect(notCompared).toContain('texts')
    expect(code).toBe(0)
  })

  test('refuses what is no recording, and a pointer that is none', async () => {
    const flags = ['--demo', '--demo-nodes', '10']
    const { code, stderr } = await runCommandLine(['check', 'package.json', ...flags])
    expect(stderr).toContain('RECORDING_NOT_A_RECORDING')
    expect(code).not.toBe(0)
    expect((await runCommandLine(['check', 'package.json', '--ignore', 'nodes', ...flags])).code).toBe(2)
  })
})
