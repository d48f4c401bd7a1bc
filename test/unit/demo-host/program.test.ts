/** @module-tag slow */

import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { faultDescriptions } from '../../../electron/demo-host/faults.ts'
import { spawnDemoHost } from '../../../electron/demo-host/demo-thread.ts'
import { sendToServed, startReplayRecording, writeSource } from '../../support/services/replay-recording.ts'

const program = fileURLToPath(new URL('../../../electron/demo-host/main.ts', import.meta.url))
const folder = mkdtempSync(path.join(os.tmpdir(), 'demo-host-test-'))
const running = new Set<ChildProcess>()

afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the program until it exits or its output matches. */
function run(args: string[], until?: RegExp): Promise<{ output: string; code: number | null; child: ChildProcess }> {
  // The program gets its own temporary folder, so that its token file is removed with the
  // rest.
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, TMPDIR: folder } })
  running.add(child)
  let output = ''
  return new Promise((resolve) => {
    const onOutput = (piece: Buffer): void => {
      output += piece.toString()
      if (until?.test(output)) resolve({ output, code: null, child })
    }
    child.stdout.on('data', onOutput)
    child.stderr.on('data', onOutput)
    child.once('exit', (code) => resolve({ output, code, child }))
  })
}

const READY_LINE = /^Demo host: (\S+) \(token in (.+)\)\n/

describe('npm run demo-host', () => {
  it('prints one line when it is ready, and writes the token only to a private file', async () => {
    const { output, child } = await run(['--port', '0', '--nodes', '100'], READY_LINE)
    const [line, baseUrl = '', file = ''] = READY_LINE.exec(output) ?? []
    expect(output).toBe(line)
    const token = readFileSync(file, 'utf8')
    expect(token).toMatch(/^mnb0\./)
    expect(output).not.toContain(token)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const response = await fetch(`${baseUrl}/library/study-sets`, { headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(200)
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })

  it('reads a token from a file, and a fault, a seed and a pairing code from flags', async () => {
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
    const { output } = await run(flags, READY_LINE)
    const baseUrl = READY_LINE.exec(output)?.[1] ?? ''
    const headers = { authorization: 'Bearer mnb0.given' }
    const status = await fetch(`${baseUrl}/status`, { headers })
    expect(await status.json()).toMatchObject({ authorized: true })
    const broken = await fetch(`${baseUrl}/decks`, { headers })
    expect([broken.status, broken.headers.get('content-type')]).toEqual([500, 'text/html'])
  })

  it('serves a recording, and says what is not one', async () => {
    const recording = await startReplayRecording()
    const { status, bytes } = await recording.send({ path: '/decks' })
    const file = path.join(folder, 'session.birec')
    await writeSource(file, await recording.toSource())
    await recording.close()
    const flags = ['--port', '0', '--from', file, '--recorded-delays']
    const { output, child } = await run(flags, READY_LINE)
    const [, baseUrl = '', tokenFile = ''] = READY_LINE.exec(output) ?? []
    const token = readFileSync(tokenFile, 'utf8')
    const response = await sendToServed({ baseUrl, token }, { path: '/decks' })
    expect([response.status, response.bytes.toString()]).toEqual([status, bytes.toString()])
    const ownStatus = await fetch(`${baseUrl}/status`)
    expect(await ownStatus.json()).toMatchObject({ app: 'Recorded Notes', authorized: false })
    child.kill('SIGTERM')
    const other = await run(['--port', '0', '--from', program])
    expect([other.code, other.output]).toEqual([2, expect.stringMatching(/^RECORDING_NOT_A_RECORDING: .+\n$/)])
  })

  it('serves the library of a file, and names what is wrong in it', async () => {
    const file = path.join(folder, 'library.json')
    const library = { studySets: [{ id: 'biology', title: 'Biology', cards: [{ id: 'cell', title: 'Cell' }] }] }
    writeFileSync(file, JSON.stringify(library))
    const { output } = await run(['--port', '0', '--library', file], READY_LINE)
    const [, baseUrl = '', tokenFile = ''] = READY_LINE.exec(output) ?? []
    const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8')}` }
    const sets = await fetch(`${baseUrl}/library/study-sets`, { headers })
    expect(await sets.json()).toMatchObject({ studySets: [{ topicid: 'biology', title: 'Biology', noteCount: 1 }] })

    const card = { title: 'Cell', color: 16 }
    writeFileSync(file, JSON.stringify({ studySets: [{ title: 'Biology', cards: [card] }] }))
    const wrong = await run(['--port', '0', '--library', file])
    expect(wrong.code).toBe(2)
    expect(wrong.output).toMatch(/^LIBRARY_INVALID: .+ studySets\[0\]\.cards\[0\]\.color: .+\n$/)

    writeFileSync(file, '{ "studySets": [')
    const broken = await run(['--port', '0', '--library', file])
    expect([broken.code, broken.output]).toEqual([2, expect.stringMatching(/^FLAG_INVALID: .+library\.json cannot be/)])
  })

  it('prints the JSON Schema of a library file', async () => {
    const { output, code } = await run(['--library-schema'])
    expect(code).toBe(0)
    expect(JSON.parse(output)).toMatchObject({ required: ['studySets'], additionalProperties: false })
  })

  it('names every flag and every fault with --help', async () => {
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
    [['--nodes', '1000001'], /^FLAG_INVALID: --nodes takes a whole number from 1 to 1000000, not "1000001"/],
    [['--nodes', '0'], /^FLAG_INVALID: --nodes takes a whole number from 1 to 1000000, not "0"/],
    [['--from', 'x.birec', '--library', 'x.json'], /^FLAG_INVALID: --library is for the simulated library/],
    [['--library', '/nowhere/at/all'], /^FLAG_INVALID: The library \/nowhere\/at\/all cannot be read: ENOENT/],
    [['--port', '70000'], /^FLAG_INVALID: --port takes a whole number up to 65535/],
    [['--fault', 'none-such'], /^FLAG_INVALID: There is no fault "none-such"/],
    [['--fault', 'drift', '--drift-version', '1'], /^FLAG_INVALID: There is no drift version "1"/],
    [['--drift-version', '1.0'], /^FLAG_INVALID: --drift-version is for --fault drift/],
    [['--dialect', 'toString'], /^FLAG_INVALID: There is no dialect "toString"/],
    [['--user-edits', 'often'], /^FLAG_INVALID: --user-edits takes a whole number/],
    [['--user-edits', '0'], /^FLAG_INVALID: --user-edits takes at least one second/],
    [['--from', 'x.birec', '--seed', '1'], /^FLAG_INVALID: --seed is for the simulated library, not for the recording/],
    [['--from', 'x.birec', '--fault', 'drift'], /^FLAG_INVALID: --fault drift is for the simulated library/],
    [['--recorded-delays'], /^FLAG_INVALID: --recorded-delays is for a recording, which --from names/],
    [['--pairing-code', '12'], /^FLAG_INVALID: --pairing-code takes six digits/],
    [['--token', 'mnb0.secret'], /^FLAG_UNKNOWN: Unknown option '--token'\. --help lists the flags\./],
    [['--token-file', '/nowhere/at/all'], /^FLAG_INVALID: The token file \/nowhere\/at\/all cannot be read/],
  ])('exits with one line of explanation for %j', async (args, explanation) => {
    const { output, code } = await run(args)
    expect(code).toBe(2)
    expect(output).toMatch(explanation)
    expect(output.trim().split('\n').length).toBe(1)
    expect(output).not.toContain('mnb0.secret')
  })

  it('reports a port in use', async () => {
    const first = await run(['--port', '0', '--nodes', '1'], READY_LINE)
    const { port } = new URL(READY_LINE.exec(first.output)?.[1] ?? '')
    const second = await run(['--port', port, '--nodes', '1'])
    expect(second.code).toBe(1)
    expect(second.output).toMatch(/^DEMO_HOST_FAILED: The demo host could not start: .*EADDRINUSE.*\n$/)
  })
})

describe('demo host in a thread', () => {
  const worker = new URL('../../../electron/demo-host/worker.ts', import.meta.url)

  it('serves until it is closed', async () => {
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

  it('reports a thread that cannot start, instead of waiting forever', async () => {
    await expect(spawnDemoHost({ worker: new URL('missing.ts', worker), nodes: 1, dialect: '0.91' })).rejects.toThrow()
  })
})
