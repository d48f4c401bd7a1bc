import { expect, test } from 'vitest'
import { loadCommands } from '../../../cli/commands/index.ts'
import type { runCli } from '../../../cli/run.ts'
import { isValueFlag } from '../../../electron/config.ts'
import type { CommandEnvironment } from '../../../electron/desktop/command-line.ts'
import { parseCommandWords } from '../../../electron/desktop/arguments.ts'
import { commandNames } from '../../../electron/system/command-names.ts'
import { createFakeKeyring } from '../../support/services/ciphers.ts'
import { runCommandLine } from '../../support/program/command-line.ts'
import { startComposedApp } from '../../support/program/composed-app.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'

const commands = await loadCommands()

test('the desktop app knows every command by name and opens its window for anything else', () => {
  expect(commands.map(({ name }) => name)).toEqual(commandNames)
  const parseWords = (...words: string[]) => parseCommandWords(words, isValueFlag)
  expect(parseWords('status', '--json').command).toBe('status')
  expect(parseWords('--demo', '--demo-nodes', '7', 'tree', 'X').command).toBe('tree')
  expect(parseWords('help', 'tree').command).toBe('help')
  for (const flags of [[], ['--demo'], ['--data-dir', 'status'], ['--panel', 'mcp', '--demo']]) {
    expect(parseWords(...flags)).toEqual({ command: null, flags })
  }
  expect(parseWords('open', '--demo')).toEqual({ command: null, flags: ['--demo'] })
  // The environment of the command line also fits what the desktop app passes.
  const host: Parameters<typeof runCli>[1] | null = null as CommandEnvironment | null
  expect(host).toBeNull()
})

test('a token in the keyring of the app works in the command line inside the app, and in no other', async () => {
  const { host } = await startDemo({ nodes: 20 })
  const dataDir = createTempDir()
  const keyring = createFakeKeyring()
  const app = await startComposedApp(dataDir, [], { ports: { cipher: keyring } })
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  const { profile } = await app.call('profiles.save', { name: 'Work', baseUrl: host.baseUrl, auth, readOnly: true })
  await app.call('vault.set', { profileId: profile.id, token: host.token, remember: true })
  const status = ['status', '--json', '--profile', 'Work', '--data-dir', dataDir]
  // The app keeps running.
  const insideApp = await runCommandLine(status, { host: { cipher: keyring } })
  expect(insideApp.code).toBe(0)
  expect(JSON.parse(insideApp.stdout.toString())).toMatchObject({ phase: 'online', token: 'stored' })
  const outsideApp = await runCommandLine(status)
  expect(outsideApp.code).toBe(5)
  expect(JSON.parse(outsideApp.stdout.toString())).toMatchObject({ token: 'locked' })
  for (const { stdout, stderr } of [insideApp, outsideApp]) expect(stdout.toString() + stderr).not.toContain(host.token)
  await app.dispose()
  await host.close()
})
