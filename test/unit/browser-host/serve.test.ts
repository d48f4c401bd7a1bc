/** @module-tag slow */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let dataDir: string
let children: ChildProcessWithoutNullStreams[]

beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-serve-'))
  children = []
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

interface ServeRun {
  readonly child: ChildProcessWithoutNullStreams
  readonly out: () => string
  readonly err: () => string
  /** Exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>
}

/** Starts the program as `npm run serve` does. */
function serve(...flags: string[]): ServeRun {
  const args = ['electron/serve.ts', '--no-open', '--data-dir', dataDir, ...flags]
  const child = spawn(process.execPath, args, { env: { ...process.env, BRIDGE_TOKEN: '' } })
  children.push(child)
  let out = ''
  let err = ''
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()))
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
  return { child, ended, out: () => out, err: () => err }
}

const READY_OUTPUT = /^Bridge Inspector: http:\/\/127\.0\.0\.1:\d+\/\?key=[\w-]{32}\n$/
const waitUntilReady = (run: ServeRun): Promise<void> => expect.poll(run.out).toMatch(READY_OUTPUT)

describe('the program', () => {
  it('prints exactly one line and exits cleanly on a signal, even on several', async () => {
    // The demo host adds a thread that has to stop, so the second signal arrives while the
    // first is being handled.
    const run = serve('--port', '0', '--demo', '--demo-nodes', '100')
    await waitUntilReady(run)
    expect(existsSync(path.join(dataDir, 'lock.json'))).toBe(true)
    run.child.kill('SIGINT')
    run.child.kill('SIGTERM')
    run.child.kill('SIGINT')
    expect(await run.ended).toBe(0)
    expect(run.out()).toMatch(READY_OUTPUT)
    expect(run.err()).toBe('')
    expect(existsSync(path.join(dataDir, 'lock.json'))).toBe(false)
  })

  it('exits while a page is connected', async () => {
    const run = serve('--port', '0')
    await waitUntilReady(run)
    const socket = net.connect(Number(new URL(run.out().slice(18)).port), '127.0.0.1')
    socket.on('error', () => undefined)
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write('GET / HTTP/1.1\r\n')
    run.child.kill('SIGTERM')
    expect(await run.ended).toBe(0)
    socket.destroy()
  })

  it('prints a fresh address when the printed one is opened again', async () => {
    const run = serve('--port', '0')
    await waitUntilReady(run)
    const url = run.out().slice(18).trim()
    await fetch(url, { redirect: 'manual' })
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(403)
    await expect.poll(run.err).toMatch(/http:\/\/127\.0\.0\.1:\d+\/\?key=[\w-]{32}\n$/)
    const fresh = /http:\S+/.exec(run.err())?.[0] ?? ''
    expect(fresh).not.toBe(url)
    expect((await fetch(fresh, { redirect: 'manual' })).status).toBe(303)
    expect(run.out()).toMatch(READY_OUTPUT)
  })
})

describe('safety 29: startup obstacle', () => {
  it('is reported in one line if the port is in use', async () => {
    const other = net.createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const run = serve('--port', String(port))
    expect(await run.ended).toBe(1)
    expect(run.err()).toBe(
      `PORT_TAKEN: Port ${port} is already in use by another program. Choose another one with --port, or 0 for any free port.\n`,
    )
    expect(run.out()).toBe('')
    expect(existsSync(path.join(dataDir, 'lock.json'))).toBe(false)
    other.close()
  })

  it('is reported in one line if another program uses the same data', async () => {
    const first = serve('--port', '0')
    await waitUntilReady(first)
    const second = serve('--port', '0')
    expect(await second.ended).toBe(7)
    expect(second.err()).toMatch(/^DATA_DIR_IN_USE: [^\n]+\n$/)
    expect(second.out()).toBe('')
  })

  it('is not left behind by a killed program', async () => {
    const first = serve('--port', '0')
    await waitUntilReady(first)
    first.child.kill('SIGKILL')
    await first.ended
    expect(existsSync(path.join(dataDir, 'lock.json'))).toBe(true)
    await waitUntilReady(serve('--port', '0'))
  })
})
