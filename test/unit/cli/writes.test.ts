/** @module-tag slow */

import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { startDemo } from '../../support/hosts/demo.ts'
import { startComposedApp } from '../../support/program/composed-app.ts'
import {
  waitForExit,
  createConnectionFlags,
  runCommandLine,
  startProgramAtTerminal,
  startProgram,
} from '../../support/program/command-line.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import type { DemoHostOptions } from '../../../electron/demo-host/server.ts'

const auth = { header: 'Authorization', scheme: 'Bearer' }

async function startWritableHost(options: DemoHostOptions = {}) {
  const { host } = await startDemo({ nodes: 20, ...options })
  const dataDir = createTempDir()
  const [set] = host.state.library.sets
  const [card] = set?.cards ?? []
  if (!set || !card) throw new Error('no cards')
  const route = `/notes/${card.noteid}/title`
  const buildTitleCall = (text: string): string[] => ['call', 'POST', route, '-d', JSON.stringify({ text })]
  const getExecutedWrites = () => host.log.filter((entry) => entry.isExecuted && entry.path.endsWith(route))
  const getTitleRequests = () => host.log.filter((entry) => entry.path.endsWith(route))
  return {
    host,
    dataDir,
    flags: createConnectionFlags(host, dataDir),
    set,
    card,
    buildTitleCall,
    getExecutedWrites,
    getTitleRequests,
    end: () => host.close(),
  }
}

describe('write', () => {
  test('is sent once with --write and --yes, has the unchanged response, and is in the journal', async () => {
    const { flags, dataDir, buildTitleCall, getExecutedWrites, getTitleRequests, end } = await startWritableHost()
    const { code, stdout, stderr } = await runCommandLine([...buildTitleCall('Renamed'), '--write', '--yes', ...flags])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Saved and verified\. \(record .+\)\n$/) as string,
    })
    expect(JSON.parse(stdout.toString())).toHaveProperty('bridgeApiVersion')
    expect(getExecutedWrites()).toHaveLength(1)
    expect(getTitleRequests()).toHaveLength(1)
    const app = await startComposedApp(dataDir)
    const { items } = await app.call('operations.list', { offset: 0, limit: 10 })
    expect(items).toMatchObject([{ endpoint: 'notes.title', state: 'persisted', caller: 'command-line' }])
    await app.dispose()
    await end()
  })

  test('is reported as sent although its response can’t be saved', async () => {
    const { flags, buildTitleCall, getExecutedWrites, end } = await startWritableHost()
    // The name is so long that the temporary file beside it, which has a longer name, can’t be
    // created.
    const file = path.join(createTempDir(), 'x'.repeat(250))
    const { code, stderr } = await runCommandLine([
      ...buildTitleCall('Renamed'),
      '--write',
      '--yes',
      '-o',
      file,
      ...flags,
    ])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^SENT: Saved and verified\. \(record .+\) It is not sent again\.\nSAVE_FAILED: /)
    expect(getExecutedWrites()).toHaveLength(1)
    await end()
  })

  test('is not sent without --write, without a terminal for the confirmation, or with a body that is not JSON', async () => {
    const { flags, buildTitleCall, getTitleRequests, end } = await startWritableHost()
    const withoutFlag = await runCommandLine([...buildTitleCall('No'), '--yes', ...flags])
    const withoutTerminal = await runCommandLine([...buildTitleCall('No'), '--write', ...flags])
    const withoutJson = await runCommandLine([
      'call',
      'POST',
      '/notes/x/title',
      '-d',
      '{',
      '--write',
      '--yes',
      ...flags,
    ])
    const withoutRoute = await runCommandLine([
      'call',
      'POST',
      '/no-such-route',
      '-d',
      '{}',
      '--write',
      '--yes',
      ...flags,
    ])
    expect([withoutFlag, withoutTerminal, withoutJson, withoutRoute].map(({ code }) => code)).toEqual([6, 6, 2, 6])
    expect(withoutFlag.stderr).toMatch(/^WRITE_FLAG: .*Nothing was sent/)
    expect(withoutTerminal.stderr).toContain('{"text":"No","confirm":true}')
    expect(withoutTerminal.stderr).toMatch(/NOT_CONFIRMED: .*Nothing was sent/)
    expect(getTitleRequests()).toEqual([])
    await end()
  })

  const waitsForAnother = 'waits for another write in the same data directory, and names the program that writes there'
  test.runIf(process.platform === 'linux')(waitsForAnother, async () => {
    const { flags, buildTitleCall, getExecutedWrites, end } = await startWritableHost()
    // It holds the directory while it waits for its user.
    const first = startProgramAtTerminal([...buildTitleCall('One'), '--write', ...flags])
    let [question, note] = ['', '']
    first.stdout?.on('data', (piece: Buffer) => (question += piece.toString()))
    await expect.poll(() => question).toContain('[y/N] ')
    const second = startProgram([...buildTitleCall('Two'), '--write', '--yes', ...flags])
    second.stderr?.on('data', (piece: Buffer) => (note += piece.toString()))
    const ends = Promise.all([waitForExit(first), waitForExit(second)])
    await expect.poll(() => note).toMatch(/^Waiting for the data directory, in which process \d+ writes: A command/)
    first.stdin?.write('y\n')
    expect((await ends).map(({ code }) => code)).toEqual([0, 0])
    expect(getExecutedWrites()).toHaveLength(2)
    await end()
  })

  test('is not sent while the app runs with the same data directory, and says why', async () => {
    const { flags, dataDir, buildTitleCall, getTitleRequests, end } = await startWritableHost()
    const app = await startComposedApp(dataDir, [], { ports: { acceptsProposals: true } })
    // The lock belongs to a process, so the command runs in a process of its own.
    const write = (...more: string[]) =>
      waitForExit(startProgram([...buildTitleCall('No'), '--write', '--yes', ...flags, ...more]))
    const [immediate, waited, invalid] = [
      await write(),
      await write('--wait-lock', '300ms'),
      await write('--wait-lock', 'long'),
    ]
    expect([immediate, waited, invalid].map(({ code }) => code)).toEqual([7, 7, 2])
    const owner = `Bridge Inspector in the browser (process ${process.pid}) is running with this data directory`
    for (const { stderr } of [immediate, waited]) expect(stderr).toContain(`DATA_DIR_IN_USE: ${owner}`)
    expect(immediate.stderr).toMatch(/^DATA_DIR_IN_USE: /)
    expect(waited.stderr).toMatch(/^Waiting for .*\nDATA_DIR_IN_USE: .*It did not end within 0\.3 s\./)
    expect(getTitleRequests()).toEqual([])
    // A waiting command continues once the app releases the lock.
    const waiting = write('--wait-lock', '30')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await app.dispose()
    expect((await waiting).code).toBe(0)
    expect(getTitleRequests()).toHaveLength(1)
    await end()
  })

  test('names the profile that counts among several with one address, and the one that is read-only', async () => {
    const { host, dataDir, buildTitleCall, getTitleRequests, end } = await startWritableHost()
    const app = await startComposedApp(dataDir)
    await app.call('profiles.save', { name: 'Work', baseUrl: host.baseUrl, auth, readOnly: false })
    await app.call('profiles.save', { name: 'Exam', baseUrl: host.baseUrl, auth, readOnly: true })
    await app.dispose()
    const env = { BRIDGE_TOKEN: host.token }
    const dataDirFlags = ['--data-dir', dataDir]
    const read = await runCommandLine(['status', '--base-url', host.baseUrl, ...dataDirFlags], { env })
    expect(read.stderr).toBe(
      'Several saved profiles have this address. “Work” counts, not: Exam. The address is read-only because “Exam” is.\n',
    )
    const write = await runCommandLine(
      [...buildTitleCall('No'), '--write', '--yes', '--profile', 'Work', ...dataDirFlags],
      {
        env,
      },
    )
    expect(write.code).toBe(6)
    expect(write.stderr).toMatch(/READ_ONLY_PROFILE: The saved profile “Exam” has the same address and is read-only/)
    expect(getTitleRequests()).toEqual([])
    await end()
  })

  test.runIf(process.platform === 'linux')('is not sent after Ctrl+C at its question', async () => {
    const { flags, dataDir, buildTitleCall, getTitleRequests, end } = await startWritableHost()
    const child = startProgramAtTerminal([...buildTitleCall('No'), '--write', ...flags])
    let output = ''
    child.stdout?.on('data', (piece: Buffer) => {
      const wasAsked = output.includes('[y/N] ')
      output += piece.toString()
      if (!wasAsked && output.includes('[y/N] ')) child.stdin?.write('\x03')
    })
    expect((await waitForExit(child)).code).toBe(130)
    expect(output).toContain('{"text":"No","confirm":true}')
    expect(getTitleRequests()).toEqual([])
    // No operation stays open, and the data directory is free for the next program.
    const app = await startComposedApp(dataDir)
    expect((await app.call('operations.list', { offset: 0, limit: 10 })).items).toEqual([])
    await app.dispose()
    await end()
  })

  test('is not sent through a read-only profile, whatever the flags are', async () => {
    const { host, dataDir, flags, buildTitleCall, getTitleRequests, end } = await startWritableHost()
    const app = await startComposedApp(dataDir)
    await app.call('profiles.save', { name: 'Locked', baseUrl: host.baseUrl, auth, readOnly: true })
    await app.dispose()
    const env = { BRIDGE_TOKEN: host.token }
    const byProfile = await runCommandLine(
      [...buildTitleCall('No'), '--write', '--yes', '--profile', 'Locked', '--data-dir', dataDir],
      {
        env,
      },
    )
    const byAddress = await runCommandLine([...buildTitleCall('No'), '--write', '--yes', ...flags])
    for (const { code, stderr } of [byProfile, byAddress]) {
      expect(code).toBe(6)
      expect(stderr).toMatch(/^READ_ONLY_PROFILE: .*outranks --write and --yes/)
    }
    expect(getTitleRequests()).toEqual([])
    await end()
  })

  test('exits with the code of the host if the host refuses it, and prints the response body', async () => {
    const { flags, end } = await startWritableHost()
    const { code, stdout, stderr } = await runCommandLine([
      'call',
      'POST',
      '/notes/no-such-card/title',
      '-d',
      '{"text":"x"}',
      '--write',
      '--yes',
      ...flags,
    ])
    const response = JSON.parse(stdout.toString()) as { error: { code: string } }
    expect(code).toBe(3)
    expect(stderr).toContain(`${response.error.code}: `)
    await end()
  })
})

describe('pencil commit', () => {
  const buildCommit = (set: string, note: string, requestId: string): string =>
    JSON.stringify({ surfaceId: 'main', requestId, target: { topicid: set, noteid: note, layerId: '' } })

  test('is waited for, and watch exits with 0 only if it is saved', async () => {
    const { flags, set, card, end } = await startWritableHost({ settleMs: 50 })
    const file = path.join(createTempDir(), 'commit.json')
    const requestId = randomUUID()
    writeFileSync(file, buildCommit(set.topicid, card.noteid, requestId))
    const send = ['call', 'POST', '/writing/pencil-commit', '-d', `@${file}`, '--write', '--yes']
    const result = await runCommandLine([...send, '--wait', ...flags])
    expect(result).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Saved and verified/) as string })
    const watched = await runCommandLine(['watch', requestId, ...flags])
    expect({ ...watched, stdout: watched.stdout.toString() }).toMatchObject({ code: 0, stdout: 'saved-and-verified\n' })
    const unknown = await runCommandLine(['watch', randomUUID(), '--timeout', '0.2', ...flags])
    expect(unknown.code).not.toBe(0)
    await end()
  })

  test('stays open if no command waits for it', async () => {
    const { flags, set, card, end } = await startWritableHost({ settleMs: 600_000 })
    const requestId = randomUUID()
    const body = buildCommit(set.topicid, card.noteid, requestId)
    const result = await runCommandLine(
      ['call', 'POST', '/writing/pencil-commit', '-d', '@-', '--write', '--yes', ...flags],
      {
        input: body,
      },
    )
    const watched = await runCommandLine(['watch', requestId, '--timeout', '0.3', ...flags])
    expect([result.code, watched.code]).toEqual([8, 8])
    expect(result.stderr).toContain('Only accepted')
    await end()
  })
})

test('a paused session is confirmed by its session record if the command waits', async () => {
  const { host, card, flags, end } = await startWritableHost()
  const runId = randomUUID()
  const buildCommand = (name: string, body: object): string[] => [
    ...['call', 'POST', `/writing/session-${name}`, '-d', JSON.stringify({ requestId: randomUUID(), runId, ...body })],
    ...['--write', '--yes', '--wait', ...flags],
  ]
  const beginResult = await runCommandLine(buildCommand('focus-begin', { questionId: card.noteid, carrier: 'focus' }))
  expect(beginResult).toMatchObject({ code: 0 })
  const countRecordReads = () => host.log.filter((entry) => entry.path.endsWith('/writing/context')).length
  const before = countRecordReads()
  const { code, stderr } = await runCommandLine(buildCommand('pause', {}))
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/\(record .+\)\n$/) as string })
  expect(countRecordReads()).toBeGreaterThan(before)
  await end()
})

test('an export passes the same gate as other writes', async () => {
  const { host, flags, set, end } = await startWritableHost({ stepMs: 10 })
  const md5 = set.documents[0] ?? ''
  const document = ['export', 'document', md5, '--study-set', set.topicid]
  expect((await runCommandLine([...document, ...flags])).code).toBe(6)
  expect((await runCommandLine(['export', 'document', md5, '--write', ...flags])).code).toBe(2)
  const before = host.log.filter(({ path: requestPath }) => requestPath.endsWith('/export')).length
  const documentResult = await runCommandLine([...document, '--write', '--yes', ...flags])
  const mapResult = await runCommandLine(['export', 'map', set.topicid, '--write', '--yes', ...flags])
  expect([documentResult.code, mapResult.code]).toEqual([0, 0])
  expect(host.log.filter(({ path: requestPath }) => requestPath.endsWith('/export'))).toHaveLength(before + 2)
  await end()
})
