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

async function writable(options: DemoHostOptions = {}) {
  const { host } = await startDemo({ nodes: 20, ...options })
  const dataDir = createTempDir()
  const [set] = host.state.library.sets
  const [card] = set?.cards ?? []
  if (!set || !card) throw new Error('no cards')
  const route = `/notes/${card.noteid}/title`
  const title = (text: string): string[] => ['call', 'POST', route, '-d', JSON.stringify({ text })]
  const executed = () => host.log.filter((entry) => entry.isExecuted && entry.path.endsWith(route))
  const asked = () => host.log.filter((entry) => entry.path.endsWith(route))
  return {
    host,
    dataDir,
    flags: createConnectionFlags(host, dataDir),
    set,
    card,
    title,
    executed,
    asked,
    end: () => host.close(),
  }
}

describe('a write', () => {
  test('is sent once with --write and --yes, answered untouched, and in the journal', async () => {
    const { flags, dataDir, title, executed, asked, end } = await writable()
    const { code, stdout, stderr } = await runCommandLine([...title('Renamed'), '--write', '--yes', ...flags])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Saved and verified\. \(record .+\)\n$/) as string,
    })
    expect(JSON.parse(stdout.toString())).toHaveProperty('bridgeApiVersion')
    expect(executed()).toHaveLength(1)
    expect(asked()).toHaveLength(1)
    const app = await startComposedApp(dataDir)
    const { items } = await app.call('operations.list', { offset: 0, limit: 10 })
    expect(items).toMatchObject([{ endpoint: 'notes.title', state: 'persisted', caller: 'command-line' }])
    await app.dispose()
    await end()
  })

  test('is told to be sent although its response can’t be saved', async () => {
    const { flags, title, executed, end } = await writable()
    // Long enough that the file beside it, which becomes this one, can't be made.
    const file = path.join(createTempDir(), 'x'.repeat(250))
    const { code, stderr } = await runCommandLine([...title('Renamed'), '--write', '--yes', '-o', file, ...flags])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^SENT: Saved and verified\. \(record .+\) It is not sent again\.\nSAVE_FAILED: /)
    expect(executed()).toHaveLength(1)
    await end()
  })

  test('is not sent without --write, without a terminal to confirm at, or with a body that is not JSON', async () => {
    const { flags, title, asked, end } = await writable()
    const none = await runCommandLine([...title('No'), '--yes', ...flags])
    const nobody = await runCommandLine([...title('No'), '--write', ...flags])
    const body = await runCommandLine(['call', 'POST', '/notes/x/title', '-d', '{', '--write', '--yes', ...flags])
    const nowhere = await runCommandLine(['call', 'POST', '/no-such-route', '-d', '{}', '--write', '--yes', ...flags])
    expect([none, nobody, body, nowhere].map(({ code }) => code)).toEqual([6, 6, 2, 6])
    expect(none.stderr).toMatch(/^WRITE_FLAG: .*Nothing was sent/)
    expect(nobody.stderr).toContain('{"text":"No","confirm":true}')
    expect(nobody.stderr).toMatch(/NOT_CONFIRMED: .*Nothing was sent/)
    expect(asked()).toEqual([])
    await end()
  })

  test('is refused on a Node without SQLite before the host or anybody is asked', async () => {
    const { host, flags, set, title, end } = await writable()
    const before = host.log.length
    for (const words of [title('No'), [...title('No'), '--as-panel', 'p'], ['export', 'map', set.topicid]]) {
      const child = startProgram([...words, '--write', ...flags], { node: ['--no-experimental-sqlite'] })
      expect(await waitForExit(child)).toMatchObject({
        code: 6,
        stdout: Buffer.alloc(0),
        stderr: expect.stringMatching(/^NOT_JOURNALED: .*Node 22\.13.*Nothing was asked or sent\.\n$/) as string,
      })
    }
    expect(host.log).toHaveLength(before)
    await end()
  })

  test('waits for another one on the same data directory, and says who writes there', async () => {
    const { flags, title, executed, end } = await writable({ latencyMs: 300 })
    const one = waitForExit(startProgram([...title('One'), '--write', '--yes', ...flags]))
    const two = waitForExit(startProgram([...title('Two'), '--write', '--yes', ...flags]))
    const both = await Promise.all([one, two])
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    const waited = both.filter(({ stderr }) =>
      /^Waiting for the data directory, in which process \d+ writes: A command/.test(stderr),
    )
    expect(waited).toHaveLength(1)
    expect(executed()).toHaveLength(2)
    await end()
  })

  test('is not sent while the app runs with the same data directory, and is told so', async () => {
    const { flags, dataDir, title, asked, end } = await writable()
    const app = await startComposedApp(dataDir, [], { ports: { acceptsProposals: true } })
    // The lock belongs to a process.
    const write = (...more: string[]) =>
      waitForExit(startProgram([...title('No'), '--write', '--yes', ...flags, ...more]))
    const [now, waited, invalid] = [
      await write(),
      await write('--wait-lock', '300ms'),
      await write('--wait-lock', 'long'),
    ]
    expect([now, waited, invalid].map(({ code }) => code)).toEqual([7, 7, 2])
    const who = `Bridge Inspector in the browser (process ${process.pid}) is running with this data directory`
    for (const { stderr } of [now, waited]) expect(stderr).toContain(`DATA_DIR_IN_USE: ${who}`)
    expect(now.stderr).toMatch(/^DATA_DIR_IN_USE: /)
    expect(waited.stderr).toMatch(/^Waiting for .*\nDATA_DIR_IN_USE: .*It did not end within 0\.3 s\./)
    expect(asked()).toEqual([])
    // Once it lets go, whoever waits goes on.
    const later = write('--wait-lock', '30')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await app.dispose()
    expect((await later).code).toBe(0)
    expect(asked()).toHaveLength(1)
    await end()
  })

  test('says which of several profiles of one address counts, and whose lock holds', async () => {
    const { host, dataDir, title, asked, end } = await writable()
    const app = await startComposedApp(dataDir)
    await app.call('profiles.save', { name: 'Work', baseUrl: host.baseUrl, auth, readOnly: false })
    await app.call('profiles.save', { name: 'Exam', baseUrl: host.baseUrl, auth, readOnly: true })
    await app.dispose()
    const env = { BRIDGE_TOKEN: host.token }
    const own = ['--data-dir', dataDir]
    const read = await runCommandLine(['status', '--base-url', host.baseUrl, ...own], { env })
    expect(read.stderr).toBe(
      'Several saved profiles have this address. “Work” counts, not: Exam. The address is read-only because “Exam” is.\n',
    )
    const write = await runCommandLine([...title('No'), '--write', '--yes', '--profile', 'Work', ...own], { env })
    expect(write.code).toBe(6)
    expect(write.stderr).toMatch(/READ_ONLY_PROFILE: The saved profile “Exam” has the same address and is read-only/)
    expect(asked()).toEqual([])
    await end()
  })

  test.runIf(process.platform === 'linux')('is not sent after Ctrl+C at its question', async () => {
    const { flags, dataDir, title, asked, end } = await writable()
    const child = startProgramAtTerminal([...title('No'), '--write', ...flags])
    let shown = ''
    child.stdout?.on('data', (piece: Buffer) => {
      const wasAsked = shown.includes('[y/N] ')
      shown += piece.toString()
      if (!wasAsked && shown.includes('[y/N] ')) child.stdin?.write('\x03')
    })
    expect((await waitForExit(child)).code).toBe(130)
    expect(shown).toContain('{"text":"No","confirm":true}')
    expect(asked()).toEqual([])
    // Nothing is left under way, and the data directory is free for the next.
    const app = await startComposedApp(dataDir)
    expect((await app.call('operations.list', { offset: 0, limit: 10 })).items).toEqual([])
    await app.dispose()
    await end()
  })

  test('is not sent through a profile that is read-only, whatever the flags say', async () => {
    const { host, dataDir, flags, title, asked, end } = await writable()
    const app = await startComposedApp(dataDir)
    await app.call('profiles.save', { name: 'Locked', baseUrl: host.baseUrl, auth, readOnly: true })
    await app.dispose()
    const env = { BRIDGE_TOKEN: host.token }
    const named = await runCommandLine(
      [...title('No'), '--write', '--yes', '--profile', 'Locked', '--data-dir', dataDir],
      {
        env,
      },
    )
    const addressed = await runCommandLine([...title('No'), '--write', '--yes', ...flags])
    for (const { code, stderr } of [named, addressed]) {
      expect(code).toBe(6)
      expect(stderr).toMatch(/^READ_ONLY_PROFILE: .*outranks --write and --yes/)
    }
    expect(asked()).toEqual([])
    await end()
  })

  test('that the host refuses ends with its code; the body of the refusal is printed', async () => {
    const { flags, end } = await writable()
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
    const said = JSON.parse(stdout.toString()) as { error: { code: string } }
    expect(code).toBe(3)
    expect(stderr).toContain(`${said.error.code}: `)
    await end()
  })
})

describe('a pencil commit', () => {
  const commit = (set: string, note: string, requestId: string): string =>
    JSON.stringify({ surfaceId: 'main', requestId, target: { topicid: set, noteid: note, layerId: '' } })

  test('is waited for, and watch ends with 0 only if it is saved', async () => {
    const { flags, set, card, end } = await writable({ settleMs: 50 })
    const file = path.join(createTempDir(), 'commit.json')
    const requestId = randomUUID()
    writeFileSync(file, commit(set.topicid, card.noteid, requestId))
    const send = ['call', 'POST', '/writing/pencil-commit', '-d', `@${file}`, '--write', '--yes']
    const sent = await runCommandLine([...send, '--wait', ...flags])
    expect(sent).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Saved and verified/) as string })
    const watched = await runCommandLine(['watch', requestId, ...flags])
    expect({ ...watched, stdout: watched.stdout.toString() }).toMatchObject({ code: 0, stdout: 'saved-and-verified\n' })
    const unknown = await runCommandLine(['watch', randomUUID(), '--timeout', '0.2', ...flags])
    expect(unknown.code).not.toBe(0)
    await end()
  })

  test('is open while nobody has waited for it', async () => {
    const { flags, set, card, end } = await writable({ settleMs: 600_000 })
    const requestId = randomUUID()
    const body = commit(set.topicid, card.noteid, requestId)
    const sent = await runCommandLine(
      ['call', 'POST', '/writing/pencil-commit', '-d', '@-', '--write', '--yes', ...flags],
      {
        input: body,
      },
    )
    const watched = await runCommandLine(['watch', requestId, '--timeout', '0.3', ...flags])
    expect([sent.code, watched.code]).toEqual([8, 8])
    expect(sent.stderr).toContain('Only accepted')
    await end()
  })
})

test('a paused session is confirmed by the session record, for whoever waits', async () => {
  const { host, card, flags, end } = await writable()
  const runId = randomUUID()
  const command = (name: string, body: object): string[] => [
    ...['call', 'POST', `/writing/session-${name}`, '-d', JSON.stringify({ requestId: randomUUID(), runId, ...body })],
    ...['--write', '--yes', '--wait', ...flags],
  ]
  const begun = await runCommandLine(command('focus-begin', { questionId: card.noteid, carrier: 'focus' }))
  expect(begun).toMatchObject({ code: 0 })
  const readsOfRecord = () => host.log.filter((entry) => entry.path.endsWith('/writing/context')).length
  const before = readsOfRecord()
  const { code, stderr } = await runCommandLine(command('pause', {}))
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/\(record .+\)\n$/) as string })
  expect(readsOfRecord()).toBeGreaterThan(before)
  await end()
})

test('export goes through the same gate', async () => {
  const { host, flags, set, end } = await writable({ stepMs: 10 })
  const md5 = set.documents[0] ?? ''
  const document = ['export', 'document', md5, '--study-set', set.topicid]
  expect((await runCommandLine([...document, ...flags])).code).toBe(6)
  expect((await runCommandLine(['export', 'document', md5, '--write', ...flags])).code).toBe(2)
  const before = host.log.filter(({ path: one }) => one.endsWith('/export')).length
  const sent = await runCommandLine([...document, '--write', '--yes', ...flags])
  const map = await runCommandLine(['export', 'map', set.topicid, '--write', '--yes', ...flags])
  expect([sent.code, map.code]).toEqual([0, 0])
  expect(host.log.filter(({ path: one }) => one.endsWith('/export'))).toHaveLength(before + 2)
  await end()
})
