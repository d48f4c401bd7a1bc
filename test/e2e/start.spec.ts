import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { root } from '../../scripts/lib/paths.mjs'
import { expect, test } from './fixtures.ts'

/**
 * Runs `npm start` as a user without Electron would, until it prints its address; returns its
 * output.
 */
async function start(env: Record<string, string>): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-start-'))
  // Node prints a warning if both names about colors are there.
  const removedNames = ['DISPLAY', 'WAYLAND_DISPLAY', 'ELECTRON_PATH', 'NO_COLOR', 'FORCE_COLOR']
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !removedNames.includes(name)))
  const child = spawn(process.execPath, ['scripts/start.mjs', '--no-open', '--data-dir', dataDir], {
    cwd: root,
    env: { ...inherited, ...env },
  })
  let [stdout, stderr] = ['', '']
  child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()))
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece.toString()
    if (stdout.includes('\n')) child.kill('SIGTERM')
  })
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  rmSync(dataDir, { recursive: true, force: true })
  return { stdout, stderr, code }
}

test.describe('npm start', () => {
  test.skip(({ mode }) => mode === 'electron', 'is about machines without an Electron')
  test.skip(existsSync(path.join(root, 'node_modules/electron/path.txt')), 'the Electron binary was fetched here')

  const address = /^Bridge Inspector: http:\/\/127\.0\.0\.1:\d+\/\?key=[\w-]+\n$/

  test('prints one line with the reason and starts the browser host without a display', async () => {
    const { stdout, stderr, code } = await start({})
    expect(stderr.replace(/^Building.*\n/m, '')).toMatch(
      /^(No|There is no) [^\n]+; starting in the browser instead\.\n$/,
    )
    expect(stdout).toMatch(address)
    expect(code).toBe(0)
  })

  test('prints one line without a stack and starts the browser host without the binary', async () => {
    test.skip(process.platform !== 'linux', 'DISPLAY decides on Linux alone')
    const { stdout, stderr } = await start({ DISPLAY: ':98', ELECTRON_MIRROR: 'http://127.0.0.1:9/' })
    expect(stderr.replace(/^Building.*\n/m, '')).toBe(
      'There is no Electron binary (node node_modules/electron/install.js downloads it); starting in the browser instead.\n',
    )
    expect(stdout).toMatch(address)
  })
})

test.describe('relative paths', () => {
  test.skip(({ mode }) => mode === 'electron', 'the same scripts start the window')

  const archive = {
    log: {
      version: '1.2',
      creator: { name: 'test', version: '1' },
      entries: [
        {
          startedDateTime: '2026-01-01T00:00:00.000Z',
          time: 1,
          request: {
            method: 'GET',
            url: 'http://127.0.0.1:1/bridge/v1/status',
            httpVersion: 'HTTP/1.1',
            headers: [],
            queryString: [],
            cookies: [],
            headersSize: -1,
            bodySize: 0,
          },
          response: {
            status: 200,
            statusText: 'OK',
            httpVersion: 'HTTP/1.1',
            headers: [],
            cookies: [],
            content: { size: 2, mimeType: 'application/json', text: '{}' },
            redirectURL: '',
            headersSize: -1,
            bodySize: 2,
          },
          cache: {},
          timings: { send: 0, wait: 1, receive: 0 },
        },
      ],
    },
  }
  const isWindows = process.platform === 'win32'
  /** A program that prints the address of the browser host, and how it is started from a folder. */
  const starts: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
    'the script of npm start': [process.execPath, path.join(root, 'scripts/start.mjs')],
    'the script of npm run serve': [process.execPath, path.join(root, 'scripts/serve.mjs')],
    'npm start in another folder': ['npm', '--prefix', root, '--silent', 'start', '--'],
    'npm run serve in another folder': ['npm', '--prefix', root, '--silent', 'run', 'serve', '--'],
    'the command open': [process.execPath, path.join(root, 'cli/main.ts'), 'open'],
    'the command serve': [process.execPath, path.join(root, 'cli/main.ts'), 'serve'],
  }

  for (const [name, [program, ...args]] of Object.entries(starts)) {
    test(`belong to the folder where the command was typed: ${name}`, async () => {
      test.skip(isWindows && program === 'npm', 'the shell of Windows would split the arguments')
      const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'bridge inspector 50% #1 ü 卡 ')))
      mkdirSync(path.join(folder, 'panel'))
      writeFileSync(path.join(folder, 'panel', 'index.html'), '<!doctype html><title>Panel</title>')
      writeFileSync(path.join(folder, 'tok #1'), 'a-token-of-the-test', { mode: 0o600 })
      writeFileSync(path.join(folder, 'bug 1.har'), JSON.stringify(archive))
      const removedNames = /^(?:DISPLAY|WAYLAND_DISPLAY|ELECTRON_PATH|INIT_CWD|npm_.*)$/
      const env = Object.fromEntries(Object.entries(process.env).filter(([variable]) => !removedNames.test(variable)))
      const flags = [
        '--no-open',
        '--port',
        '0',
        '--data-dir',
        './data 1',
        '--token-file',
        './tok #1',
        '--panel',
        'panel',
      ]
      const child = spawn(program, [...args, ...flags, 'bug 1.har'], { cwd: folder, env, detached: !isWindows })
      let [stdout, stderr] = ['', '']
      child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()))
      child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()))
      const ended = new Promise((resolve) => child.once('exit', resolve))
      await Promise.race([ended, expect.poll(() => stdout, { timeout: 30_000 }).toMatch(/\n$/)])
      const hasData = existsSync(path.join(folder, 'data 1'))
      // npm does not pass signals on to the shell in which it runs the script.
      if (isWindows) child.kill()
      else process.kill(-(child.pid ?? 0), 'SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
      expect(stderr.replaceAll(/^(?:Building|There is no|The window comes|No ).*\n/gm, '')).toBe('')
      expect(stdout).toMatch(/^Bridge Inspector: http/)
      expect(hasData).toBe(true)
    })
  }
})
