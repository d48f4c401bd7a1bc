import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { getRootFlags } from '../../scripts/lib/electron.mjs'
import { expect } from './fixtures.ts'
import { test as base } from './packaged-app.ts'

interface Ended {
  readonly code: number | null
  readonly out: string
  /** Standard error without Chromium's complaints about a machine without a desktop. */
  readonly err: string
}

interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

const test = base.extend<{
  start: (words: readonly string[], env?: Record<string, string | undefined>) => Started
  /** A folder for temporary files, empty at first. */
  temporary: string
}>({
  temporary: async ({}, use, info) => {
    const folder = info.outputPath('tmp')
    mkdirSync(folder, { recursive: true })
    await use(folder)
  },
  start: async ({ packaged, temporary }, use, info) => {
    await use((words, env = {}) => {
      const child = spawn(packaged, [...getRootFlags(), ...words, '--data-dir', info.outputPath('data')], {
        env: { ...process.env, TMPDIR: temporary, ...env },
      })
      let [out, err] = ['', '']
      child.stdout.on('data', (piece: Buffer) => (out += piece.toString()))
      child.stderr.on('data', (piece: Buffer) => (err += piece.toString()))
      const ended = new Promise<Ended>((resolve) =>
        child.once('close', (code) => resolve({ code, out, err: err.replace(/^\[\d+:.*\n/gm, '') })),
      )
      return { child, ended }
    })
  },
})

const small = ['--demo', '--demo-nodes', '20']
const nowhere = { DISPLAY: undefined, WAYLAND_DISPLAY: undefined }

for (const [location, env] of [
  ['with a display', {}],
  ['without a display', nowhere],
] as const) {
  test(`the installed program runs a command ${location}, without a window`, async ({ start, temporary }) => {
    const status = await start(['status', ...small, '--json', '--quiet'], env).ended
    expect([status.code, status.err]).toEqual([0, ''])
    expect(JSON.parse(status.out)).toMatchObject({ phase: 'online', token: 'memory' })
    // Flags may stand before the command, and the codes are those of the command line.
    const missing = await start([...small, '--quiet', 'tree', 'no-such-set'], env).ended
    expect(missing).toEqual({ code: 3, out: '', err: 'TOPIC_NOT_FOUND: There is no such study set.\n' })
    const serve = await start(['serve'], env).ended
    expect([serve.code, serve.err]).toEqual([6, expect.stringMatching(/^NOT_HERE: serve is not part/)])
    expect(readdirSync(temporary)).toEqual([])
  })
}

test('the installed program runs the demo host until Ctrl+C', async ({ packaged, temporary }) => {
  const child = spawn(packaged, [...getRootFlags(), 'demo-host', '--port', '0', '--nodes', '20'], {
    env: { ...process.env, TMPDIR: temporary },
  })
  const text = await new Promise<string>((resolve) =>
    child.stdout.once('data', (piece: Buffer) => resolve(piece.toString())),
  )
  expect(text).toMatch(/^Demo host: http:\/\/127\.0\.0\.1:\d+/)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.kill('SIGINT')
  expect(await ended).toBe(130)
})

test('the installed program lets an agent read', async ({ start }) => {
  const { child, ended } = start(['mcp', ...small, '--quiet'])
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`)
  const response = await new Promise<string>((resolve) =>
    child.stdout?.once('data', (piece: Buffer) => resolve(piece.toString())),
  )
  expect(JSON.parse(response)).toMatchObject({ id: 1, result: { serverInfo: { name: 'bridge-inspector' } } })
  child.stdin?.end()
  expect((await ended).code).toBe(0)
})
