import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseConfig, extractEnvironment, programUsage, removeTokens } from '../../electron/config.ts'
import { createChildEnv } from '../../electron/system/child-env.ts'
import { AppError } from '../../shared/errors.ts'
import { TOKEN } from '../support/services/test-client.ts'
import { createTempDir } from '../support/data/temp-dir.ts'
import { createFifo } from '../support/data/strange-files.ts'
import { inspectError, expectNoSecret } from '../support/data/secrets.ts'

function refusalOf(argv: string[], env: Record<string, string> = {}): AppError {
  try {
    parseConfig(argv, env)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error(`${argv.join(' ')} was taken`)
}

describe('safety 47: the environment', () => {
  test('yields its tokens once, and keeps all other variables', () => {
    const env: Record<string, string | undefined> = {
      BRIDGE_TOKEN: TOKEN,
      MN_BRIDGE_TOKEN: `${TOKEN}x`,
      HOME: '/home/x',
    }
    const environment = extractEnvironment(env)
    expect(environment).toEqual({ BRIDGE_TOKEN: TOKEN, MN_BRIDGE_TOKEN: `${TOKEN}x`, HOME: '/home/x' })
    expect(env).toEqual({ HOME: '/home/x' })
    expect(parseConfig([], environment).token?.reveal()).toBe(TOKEN)
  })

  test('removes tokens in any letter case', () => {
    const env = { BRIDGE_TOKEN: TOKEN, MN_BRIDGE_TOKEN: TOKEN, Mn_Bridge_Token: TOKEN, HOME: '/home/x' }
    expect(removeTokens(env)).toEqual({ HOME: '/home/x' })
  })

  test('passes only needed variables to another program, in any letter case', () => {
    const needed = {
      PATH: '/bin',
      Path: 'C:\\',
      SystemRoot: 'C:\\Windows',
      LC_ALL: 'C',
      XDG_SESSION_TYPE: 'x11',
      DISPLAY: ':0',
    }
    const others = {
      BRIDGE_TOKEN: 'a',
      MN_BRIDGE_TOKEN: 'b',
      GITHUB_TOKEN: 'c',
      NODE_OPTIONS: 'd',
      HTTP_PROXY: 'e',
      XDGX: 'f',
    }
    expect(createChildEnv({ ...needed, ...others, HOME: undefined })).toEqual(needed)
  })
})

describe('flags', () => {
  test('accept a folder or a server address as the panel', () => {
    const panelOf = (text: string) => parseConfig(['--panel', text], {}).panel
    expect(panelOf('/some/where')).toEqual({ kind: 'folder', path: '/some/where' })
    expect(panelOf('http://localhost:5173/')).toEqual({ kind: 'server', url: 'http://localhost:5173/' })
    expect(parseConfig([], {}).panel).toBeNull()
    expect(() => panelOf('')).toThrow('--panel')
  })

  test('have defaults: no connection, and data in the default directory of the system', () => {
    const config = parseConfig([], { XDG_CONFIG_HOME: '/x', APPDATA: '/x' })
    expect(config).toMatchObject({ demo: false, demoNodes: 200_000, baseUrl: null, token: null, port: 0, open: true })
    const base = process.platform === 'darwin' ? path.join(os.homedir(), 'Library', 'Application Support') : '/x'
    expect(config.dataDir).toBe(path.resolve(base, 'bridge-inspector'))
  })

  test('are all parsed', () => {
    const file = path.join(createTempDir(), 'token')
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
    expect(parseConfig([], {}).demoDialect).toBe('0.91')
    expect(parseConfig(['--demo', '--demo-dialect', 'loose'], {}).demoDialect).toBe('loose')
  })

  test('are supplemented by a token from the environment', () => {
    expect(parseConfig([], { BRIDGE_TOKEN: ` ${TOKEN} ` }).token?.reveal()).toBe(TOKEN)
    expect(parseConfig([], { BRIDGE_TOKEN: ' ' }).token).toBeNull()
  })

  test('safety 2: never show the token in the parsed configuration', () => {
    expectNoSecret(inspectError(parseConfig([], { BRIDGE_TOKEN: TOKEN })), TOKEN)
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
    [['--demo-nodes', '1000001'], 'FLAG_NUMBER'],
    [['--demo-nodes', '0'], 'FLAG_NUMBER'],
    [['--demo-dialect', '__proto__'], 'FLAG_DIALECT'],
    [['--data-dir', ''], 'FLAG_DATA_DIR'],
    [['--demo', '--base-url', 'http://h'], 'FLAG_CONFLICT'],
    [['--base-url', ''], 'ADDRESS_INVALID'],
    [['--base-url', 'file:///etc/passwd'], 'ADDRESS_SCHEME'],
    [['--base-url', `http://user:${encodeURIComponent(TOKEN)}@host`], 'ADDRESS_PARTS'],
    [['--base-url', `http://host/?token=${TOKEN}`], 'ADDRESS_PARTS'],
    [['--token-file', '/no/such/file'], 'FLAG_TOKEN_FILE'],
    [['--token-file', '/'], 'FLAG_TOKEN_FILE'],
  ])('%j fail with one clear line', (argv, code) => {
    const refusal = refusalOf(argv)
    expect(refusal.code).toBe(code)
    expect(refusal.message).toMatch(/^[^\n]{20,}\.$/)
    if (argv.join(' ').includes(TOKEN)) expectNoSecret(inspectError(refusal), TOKEN)
  })

  test('are named in the error if they are unknown', () => {
    expect(refusalOf(['--demmo']).message).toContain("'--demmo'")
    expect(refusalOf(['--port', '70000']).message).toContain('70000')
  })

  test('treat an empty token file as no token', () => {
    const dir = createTempDir()
    mkdirSync(path.join(dir, 'd'))
    writeFileSync(path.join(dir, 'token'), '\n')
    expect(refusalOf(['--token-file', path.join(dir, 'token')]).code).toBe('FLAG_TOKEN_FILE')
  })

  describe.skipIf(process.platform === 'win32')('safety 55: a token file', () => {
    function tokenFile(mode: number): string {
      const file = path.join(createTempDir(), 'token')
      writeFileSync(file, TOKEN)
      chmodSync(file, mode)
      return file
    }

    test('is accepted silently if only its user can read it, even behind a symbolic link', () => {
      const file = tokenFile(0o600)
      symlinkSync(file, `${file}.link`)
      for (const configPath of [file, `${file}.link`]) {
        const { token, warnings } = parseConfig(['--token-file', configPath], {})
        expect([token?.reveal(), warnings]).toEqual([TOKEN, []])
      }
    })

    test.each([0o644, 0o640, 0o444])('gets a warning with advice if others can read it (mode %o)', (mode) => {
      const file = tokenFile(mode)
      const { token, warnings } = parseConfig(['--token-file', file], {})
      expect(token?.reveal()).toBe(TOKEN)
      expect(warnings).toMatchObject([{ level: 'warning', code: 'TOKEN_FILE_READABLE', params: { file } }])
      expect(warnings[0]?.message).toContain(`chmod 600 ${file}`)
    })

    test.each([0o666, 0o620, 0o602])('is refused with advice if others can change it (mode %o)', (mode) => {
      const file = tokenFile(mode)
      const { code, message } = refusalOf(['--token-file', file])
      expect(code).toBe('FLAG_TOKEN_FILE')
      expect(message).toContain(`chmod 600 ${file}`)
    })

    test.skipIf(process.getuid?.() !== 0)('is refused if it belongs to another user', () => {
      const file = tokenFile(0o600)
      chownSync(file, 54_321, 54_321)
      expect(refusalOf(['--token-file', file]).message).toContain('belongs to another user')
    })

    test('is refused if it is not a regular file, and a FIFO does not block', () => {
      const dir = createTempDir()
      const large = path.join(dir, 'large')
      writeFileSync(large, 'x'.repeat(20_000))
      for (const file of [createFifo(path.join(dir, 'fifo')), '/dev/zero', dir, large]) {
        const { code, message } = refusalOf(['--token-file', file])
        expect([code, message]).toEqual(['FLAG_TOKEN_FILE', expect.stringContaining('not a regular file')])
      }
    })
  })

  test('the usage text names every flag', () => {
    for (const flag of [
      'demo',
      'demo-nodes',
      'demo-dialect',
      'base-url',
      'token-file',
      'data-dir',
      'port',
      'no-open',
      'help',
    ]) {
      expect(programUsage).toContain(`--${flag}`)
    }
    expect(parseConfig(['--help'], {})).toBeTruthy()
  })
})
