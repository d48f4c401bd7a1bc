import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
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
  const removedNames = ['DISPLAY', 'WAYLAND_DISPLAY', 'ELECTRON_PATH']
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
