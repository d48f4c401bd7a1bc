import { spawn } from 'node:child_process'
import { getRootFlags } from '../../scripts/lib/electron.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { programExits } from '../../electron/system/program-exits.ts'
import { expect } from './fixtures.ts'
import { test } from './packaged-app.ts'

/** Runs the app until it exits; `--help` makes an accepted start exit at once. */
async function run(executable: string, ...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(executable, [...getRootFlags(), ...args, '--help'])
  let [out, err] = ['', '']
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out, err }
}

test('safety 53: a packaged app does not start with a switch that lets a debugger attach', async ({ packaged }) => {
  const usual = await run(packaged)
  expect([usual.code, usual.out]).toEqual([0, expect.stringContaining('--data-dir')])
  for (const arg of ['--remote-debugging-port=0', '--remote-debugging-pipe', '--inspect=0', '--js-flags=--expose-gc']) {
    const { code, out, err } = await run(packaged, arg)
    expect([arg, code, out]).toEqual([arg, programExits.refused.code, ''])
    expect(err).toContain(`does not start with ${arg.split('=')[0]}`)
    expect(err).not.toContain('DevTools listening')
  }
})

test('safety 53: an unpackaged app starts with such a switch, for its developers', async ({ electronPath }) => {
  const { code, out } = await run(electronPath, '--remote-debugging-port=0', '--js-flags=--expose-gc', root)
  expect([code, out]).toEqual([0, expect.stringContaining('--data-dir')])
})
