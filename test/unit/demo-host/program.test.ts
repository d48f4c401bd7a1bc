import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { faultDescriptions } from '../../../electron/demo-host/faults.ts'
import { spawnDemoHost } from '../../../electron/demo-host/demo-thread.ts'

const program = fileURLToPath(new URL('../../../electron/demo-host/main.ts', import.meta.url))
const folder = mkdtempSync(path.join(os.tmpdir(), 'demo-host-test-'))
const running = new Set<ChildProcess>()

afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the program until it exits or has printed a whole matching line. */
function run(args: string[], until?: RegExp): Promise<{ output: string; code: number | null; child: ChildProcess }> {
  // Its own temporary folder, so that the token file it creates is removed with the rest.
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, TMPDIR: folder } })
  running.add(child)
  let output = ''
  return new Promise((resolve) => {
    const hear = (piece: Buffer): void => {
      output += piece.toString()
      if (until?.test(output)) resolve({ output, code: null, child })
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', (code) => resolve({ output, code, child }))
  })
}

const ready = /^Demo host: (\S+) \(token in (.+)\)\n/

describe('npm run demo-host', () => {
  it('prints one line when ready, and the token only to a private file', async () => {
    const { output, child } = await run(['--port', '0', '--nodes', '100'], ready)
    const [line, baseUrl = '', file = ''] = ready.exec(output) ?? []
    expect(output).toBe(line)
    const token = readFileSync(file, 'utf8')
    expect(token).toMatch(/^mnb0\./)
    expect(output).not.toContain(token)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const response = await fetch(`${baseUrl}/library/study-sets`, { headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(200)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  it('takes a token from a file, and a fault, a seed and a code from flags', async () => {
    const file = path.join(folder, 'given')
    writeFileSync(file, 'mnb0.given\n')
    const flags = [
      '--port',
      '0',
      '--nodes',
      '10',
      '--token-file',
      file,
      '--fault',
      'html-500',
      '--pairing-code',
      '123456',
    ]
    const { output } = await run(flags, ready)
    const baseUrl = ready.exec(output)?.[1] ?? ''
    const headers = { authorization: 'Bearer mnb0.given' }
    const status = await fetch(`${baseUrl}/status`, { headers })
    expect(await status.json()).toMatchObject({ authorized: true })
    const broken = await fetch(`${baseUrl}/decks`, { headers })
    expect([broken.status, broken.headers.get('content-type')]).toEqual([500, 'text/html'])
  })

  it('--help names every flag and every fault', async () => {
    const { output, code } = await run(['--help'])
    expect(code).toBe(0)
    for (const name of [
      ...Object.keys(faultDescriptions),
      '--port',
      '--token-file',
      '--nodes',
      '--latency',
      '--seed',
    ]) {
      expect(output).toContain(name)
    }
  })

  it.each([
    [['--nodes', 'many'], /^FLAG_INVALID: --nodes takes a whole number/],
    [['--nodes', '5000001'], /^FLAG_INVALID: --nodes takes a whole number up to 5000000/],
    [['--port', '70000'], /^FLAG_INVALID: --port takes a whole number up to 65535/],
    [['--fault', 'none-such'], /^FLAG_INVALID: There is no fault "none-such"/],
    [['--dialect', 'toString'], /^FLAG_INVALID: There is no dialect "toString"/],
    [['--pairing-code', '12'], /^FLAG_INVALID: --pairing-code takes six digits/],
    [['--token', 'mnb0.secret'], /^FLAG_UNKNOWN: Unknown option '--token'\. --help lists the flags\./],
    [['--token-file', '/nowhere/at/all'], /^FLAG_INVALID: The token file \/nowhere\/at\/all cannot be read/],
  ])('%j ends with one line that says why', async (args, why) => {
    const { output, code } = await run(args)
    expect(code).toBe(2)
    expect(output).toMatch(why)
    expect(output.trim().split('\n').length).toBe(1)
    expect(output).not.toContain('mnb0.secret')
  })

  it('a port in use is reported, not thrown', async () => {
    const first = await run(['--port', '0', '--nodes', '1'], ready)
    const { port } = new URL(ready.exec(first.output)?.[1] ?? '')
    const second = await run(['--port', port, '--nodes', '1'])
    expect(second.code).toBe(1)
    expect(second.output).toMatch(/^DEMO_HOST_FAILED: The demo host could not start: .*EADDRINUSE.*\n$/)
  })
})

describe('in its own thread', () => {
  const worker = new URL('../../../electron/demo-host/worker.ts', import.meta.url)

  it('serves, and is gone once closed', async () => {
    const host = await spawnDemoHost({ worker, nodes: 300, dialect: '0.49' })
    const headers = { authorization: `Bearer ${host.token}`, connection: 'close' }
    const sets = (await (await fetch(`${host.baseUrl}/library/study-sets`, { headers })).json()) as {
      studySets: { noteCount: number }[]
      bridgeApiVersion: string
    }
    expect([sets.studySets.at(-1)?.noteCount, sets.bridgeApiVersion]).toEqual([300, '0.49'])
    await host.close()
    await expect(fetch(`${host.baseUrl}/status`)).rejects.toThrow()
  })

  it('a thread that cannot start is an error, not an endless wait', async () => {
    await expect(spawnDemoHost({ worker: new URL('missing.ts', worker), nodes: 1, dialect: '0.91' })).rejects.toThrow()
  })
})
