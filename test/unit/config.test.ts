import { mkdirSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseConfig, usage } from '../../electron/config.ts'
import { AppError } from '../../shared/errors.ts'
import { TOKEN } from '../support/bridge.ts'
import { tempDir } from '../support/data-dir.ts'
import { everythingOf, expectNoSecret } from '../support/secrets.ts'

function refusalOf(argv: string[], env: Record<string, string> = {}): AppError {
  try {
    parseConfig(argv, env)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error(`${argv.join(' ')} was taken`)
}

describe('flags', () => {
  test('none: nothing to connect to, data where the system wants it', () => {
    const config = parseConfig([], { XDG_CONFIG_HOME: '/x', APPDATA: '/x' })
    expect(config).toMatchObject({ demo: false, demoNodes: 200_000, baseUrl: null, token: null, port: 0, open: true })
    const base = process.platform === 'darwin' ? path.join(os.homedir(), 'Library', 'Application Support') : '/x'
    expect(config.dataDir).toBe(path.resolve(base, 'bridge-inspector'))
  })

  test('all of them', () => {
    const file = path.join(tempDir(), 'token')
    writeFileSync(file, ` ${TOKEN}\n`)
    const argv = [
      '--base-url',
      '127.0.0.1:42340/',
      '--token-file',
      file,
      '--data-dir',
      'data',
      '--port=8080',
      '--no-open',
    ]
    const config = parseConfig(argv, { BRIDGE_TOKEN: 'other' })
    expect(config).toMatchObject({ baseUrl: 'http://127.0.0.1:42340/bridge/v1', port: 8080, open: false })
    expect(config.dataDir).toBe(path.resolve('data'))
    expect(config.token?.reveal()).toBe(TOKEN)
    expect(parseConfig(['--demo', '--demo-nodes', '1000000'], {})).toMatchObject({ demo: true, demoNodes: 1_000_000 })
  })

  test('the token may come from the environment', () => {
    expect(parseConfig([], { BRIDGE_TOKEN: ` ${TOKEN} ` }).token?.reveal()).toBe(TOKEN)
    expect(parseConfig([], { BRIDGE_TOKEN: ' ' }).token).toBeNull()
  })

  test('safety 2: the parsed configuration shows no token', () => {
    expectNoSecret(everythingOf(parseConfig([], { BRIDGE_TOKEN: TOKEN })), TOKEN)
    expectNoSecret(JSON.stringify(parseConfig([], { BRIDGE_TOKEN: TOKEN })), TOKEN)
  })

  test.each([
    [['--token', TOKEN], 'FLAG_TOKEN'],
    [[`--token=${TOKEN}`], 'FLAG_TOKEN'],
    [['--demo', '--token'], 'FLAG_TOKEN'],
    [[TOKEN], 'FLAG_UNKNOWN'],
    [['--base-url', 'http://h', TOKEN], 'FLAG_UNKNOWN'],
    [[`--tokn=${TOKEN}`], 'FLAG_UNKNOWN'],
    [['--tokn', TOKEN], 'FLAG_UNKNOWN'],
    [[`-t${TOKEN}`], 'FLAG_UNKNOWN'],
    [[`--demo=${TOKEN}`], 'FLAG_UNKNOWN'],
    [['--port'], 'FLAG_UNKNOWN'],
    [['--port', '--demo'], 'FLAG_UNKNOWN'],
    [['--port', '-1'], 'FLAG_UNKNOWN'],
    [['--port', '65536'], 'FLAG_NUMBER'],
    [['--port', '0x50'], 'FLAG_NUMBER'],
    [['--port', ''], 'FLAG_NUMBER'],
    [['--demo-nodes', '1e6'], 'FLAG_NUMBER'],
    [['--demo-nodes', '5000001'], 'FLAG_NUMBER'],
    [['--data-dir', ''], 'FLAG_DATA_DIR'],
    [['--demo', '--base-url', 'http://h'], 'FLAG_CONFLICT'],
    [['--base-url', ''], 'ADDRESS_INVALID'],
    [['--base-url', 'file:///etc/passwd'], 'ADDRESS_SCHEME'],
    [['--base-url', `http://user:${encodeURIComponent(TOKEN)}@host`], 'ADDRESS_PARTS'],
    [['--base-url', `http://host/?token=${TOKEN}`], 'ADDRESS_PARTS'],
    [['--token-file', '/no/such/file'], 'FLAG_TOKEN_FILE'],
    [['--token-file', '/'], 'FLAG_TOKEN_FILE'],
  ])('%j: one clear line', (argv, code) => {
    const refusal = refusalOf(argv)
    expect(refusal.code).toBe(code)
    expect(refusal.message).toMatch(/^[^\n]{20,}\.$/)
    if (argv.join(' ').includes(TOKEN)) expectNoSecret(everythingOf(refusal), TOKEN)
  })

  test('an unknown flag is named', () => {
    expect(refusalOf(['--demmo']).message).toContain("'--demmo'")
    expect(refusalOf(['--port', '70000']).message).toContain('70000')
  })

  test('an empty token file is no token', () => {
    const dir = tempDir()
    mkdirSync(path.join(dir, 'd'))
    writeFileSync(path.join(dir, 'token'), '\n')
    expect(refusalOf(['--token-file', path.join(dir, 'token')]).code).toBe('FLAG_TOKEN_FILE')
  })

  test('the usage names every flag', () => {
    for (const flag of ['demo', 'demo-nodes', 'base-url', 'token-file', 'data-dir', 'port', 'no-open', 'help']) {
      expect(usage).toContain(`--${flag}`)
    }
    expect(parseConfig(['--help'], {})).toBeTruthy()
  })
})
