/** @module-tag slow */

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { composeSwitchableApp } from '../../../electron/switchable-composition.ts'
import { proposeToApp } from '../../../electron/services/agents/client.ts'
import { agentSocketSchema, type Proposal, type ProposalStage } from '../../../electron/core/agent-socket.ts'
import { AppError } from '../../../shared/errors.ts'
import { startAppForAgents, waitForProposal } from '../../support/program/agents.ts'
import { saveRecording } from '../../support/program/saved-recording.ts'
import { readAllFiles } from '../../support/program/composed-app.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

type Draft = Proposal['draft']

async function startAgentsTest(options?: Parameters<typeof startAppForAgents>[1]) {
  const dataDir = createTempDir()
  const appForTest = await startAppForAgents(dataDir, options)
  const file = path.join(dataDir, 'agents.json')
  const title: Draft = {
    endpoint: 'notes.title',
    params: { noteid: appForTest.card.noteid },
    query: {},
    body: { text: 'Proposed' },
  }
  const stages: ProposalStage[] = []
  const abort = new AbortController()
  const propose = (more: Partial<Proposal> = {}) =>
    proposeToApp({
      dataDir,
      proposal: { agent: 'test', baseUrl: appForTest.host.baseUrl, draft: title, ...more },
      signal: abort.signal,
      onStage: (stage) => stages.push(stage),
    })
  return {
    ...appForTest,
    dataDir,
    file,
    said: stages,
    abort,
    propose,
    meeting: () => agentSocketSchema.parse(JSON.parse(readText(file))),
  }
}

const readText = (file: string): string => readFileSync(file, 'utf8')
const settleToCode = (promise: Promise<unknown>): Promise<string | undefined> =>
  promise.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  )

describe('proposal', () => {
  test('is shown as it would be sent, and is sent once a person allows it', async () => {
    const { app, propose, listTitleWrites, said, stop, host, dataDir } = await startAgentsTest()
    const outcome = propose({ agent: 'Agent\u202e\n Smith' })
    const ask = await waitForProposal(app)
    expect(ask).toMatchObject({ agent: 'Agent⟨U+202E⟩ Smith', prepared: { method: 'POST', added: ['confirm'] } })
    expect(JSON.parse(ask.prepared.body ?? '')).toEqual({ text: 'Proposed', confirm: true })
    expect(listTitleWrites()).toEqual([])
    await app.call('agents.decide', { id: ask.id, send: true })
    expect(await outcome).toMatchObject({ verdict: 'saved-and-verified', status: 200, code: null, cut: false })
    expect(listTitleWrites()).toHaveLength(1)
    expect(said).toEqual(['waiting', 'sent'])
    const { items } = await app.call('operations.list', { offset: 0, limit: 5 })
    expect(items).toMatchObject([{ endpoint: 'notes.title', caller: 'agent' }])
    const sort = { by: 'time', descending: true } as const
    const { bytes } = await app.call('traffic.find', { filter: { origins: ['agent'] }, sort })
    const { rows } = await app.call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })
    expect(rows).toMatchObject([{ origin: { kind: 'agent', label: 'Agent⟨U+202E⟩ Smith' }, method: 'POST' }])
    expect(await app.callExpectingError('agents.decide', { id: ask.id, send: true })).toMatchObject({
      code: 'ASK_UNKNOWN',
    })
    expect(JSON.stringify(app.events) + JSON.stringify(await outcome)).not.toContain(host.token)
    await stop()
    expect(readAllFiles(dataDir)).not.toContain(host.token)
  })

  test('is not sent if it is refused, withdrawn, or for another host', async () => {
    const { app, propose, listTitleWrites, abort, stop } = await startAgentsTest()
    const refused = settleToCode(propose())
    await app.call('agents.decide', { id: (await waitForProposal(app)).id, send: false })
    expect(await refused).toBe('REFUSED_BY_PERSON')
    expect(await settleToCode(propose({ baseUrl: 'http://127.0.0.1:9/bridge/v1' }))).toBe('OTHER_HOST')
    for (const endpoint of ['studySets.list', 'install.code', 'mcp.post', 'no.such']) {
      expect(await settleToCode(propose({ draft: { endpoint, params: {}, query: {} } }))).toBe('NOT_PROPOSABLE')
    }
    const withdrawn = settleToCode(propose())
    await waitForProposal(app)
    abort.abort()
    expect(await withdrawn).toBe('CANCELLED')
    await vi.waitFor(async () => expect((await app.call('agents.asks', {})).asks).toEqual([]))
    expect(listTitleWrites()).toEqual([])
    await stop()
  })

  test('to a read-only host waits for a person, and is sent only once the host was unlocked', async () => {
    const { app, propose, listTitleWrites, stop } = await startAgentsTest({ readOnly: true })
    const locked = settleToCode(propose())
    await app.call('agents.decide', { id: (await waitForProposal(app)).id, send: true })
    expect(await locked).toBe('READ_ONLY')
    expect(listTitleWrites()).toEqual([])
    const outcome = propose()
    const { id } = await waitForProposal(app)
    const { profile } = await app.call('connection.get', {})
    await app.call('operations.unlock', { profileId: profile?.id ?? '', scope: 'session' })
    await app.call('agents.decide', { id, send: true })
    expect(await outcome).toMatchObject({ verdict: 'saved-and-verified' })
    expect(listTitleWrites()).toHaveLength(1)
    await stop()
  })

  test('is announced while a recording is open, and is reviewed after it, beside its own host', async () => {
    const { app, propose, listTitleWrites, stop } = await startAgentsTest({ compose: composeSwitchableApp })
    const file = path.join(createTempDir(), 'day.birec')
    await saveRecording(app, file)
    await app.call('recordings.open', { source: { from: 'path', path: file } })
    const outcome = propose()
    await vi.waitFor(() => expect(app.events.map(({ topic }) => topic)).toContain('agents.changed'))
    const [ask] = (await app.call('agents.asks', {})).asks
    expect(ask).toMatchObject({ agent: 'test' })
    const id = ask?.id ?? ''
    expect((await app.callExpectingError('agents.ask', { id })).code).toBe('ASK_UNKNOWN')
    expect((await app.callExpectingError('agents.decide', { id, send: true })).code).toBe('RECORDING_READ_ONLY')
    expect(listTitleWrites()).toEqual([])
    await app.call('recordings.close', {})
    expect((await waitForProposal(app)).id).toBe(id)
    await app.call('agents.decide', { id, send: true })
    expect(await outcome).toMatchObject({ verdict: 'saved-and-verified' })
    await stop()
  })

  test('waits with at most 19 others', async () => {
    const { app, propose, abort, stop } = await startAgentsTest()
    const outcomes = Array.from({ length: 20 }, () => settleToCode(propose()))
    await vi.waitFor(async () => expect((await app.call('agents.asks', {})).asks).toHaveLength(20))
    expect(await settleToCode(propose())).toBe('TOO_MANY_WAIT')
    abort.abort()
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['CANCELLED']))
    await stop()
  })
})

test('safety 65: ids of an agent are checked and its name is shown unambiguously', async () => {
  const { app, propose, listTitleWrites, stop } = await startAgentsTest()
  const createDraft = (noteid: string): Draft => ({
    endpoint: 'notes.title',
    params: { noteid },
    query: {},
    body: { text: 'x' },
  })
  for (const id of [
    '../../pair',
    '..',
    'a/b',
    'a\\b',
    'a;b',
    '%2e%2e',
    '%252e%252e%252fpair',
    '\uff0e\uff0e',
    'N\u0000',
  ]) {
    expect([id, await settleToCode(propose({ draft: createDraft(id) }))]).toEqual([id, 'PARAM_SEGMENT'])
  }
  for (const [name, displayedName] of [
    ['\u3164', '⟨U+3164⟩'],
    [' \u2800 ', '⟨U+2800⟩'],
    ['Bridge\u200bInspector', 'Bridge⟨U+200B⟩Inspector'],
    ['a\u{e0041}b', 'a⟨U+E0041⟩b'],
    ['\u200f\u2067x', '⟨U+200F⟩⟨U+2067⟩x'],
    ['a\u00a0b', 'a⟨U+00A0⟩b'],
    ['x'.repeat(100), `${'x'.repeat(59)}…`],
    [' \n ', 'unnamed'],
  ] as const) {
    const waiting = settleToCode(propose({ agent: name }))
    const ask = await waitForProposal(app)
    expect(ask.agent).toBe(displayedName)
    await app.call('agents.decide', { id: ask.id, send: false })
    await waiting
  }
  expect(listTitleWrites()).toEqual([])
  await stop()
})

describe('safety 64: flood', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const measureHeldBytes = (): number => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const MAX_BYTES = 64_000_000

  test('of bytes without a line break is not stored', async () => {
    const { meeting, propose, app, stop } = await startAgentsTest()
    collectGarbage()
    const before = measureHeldBytes()
    const piece = Buffer.alloc(1_000_000, 'x')
    const closed = Array.from({ length: 25 }, () => {
      const socket = net.connect(meeting().path)
      socket.on('error', () => undefined)
      for (let count = 0; count < 10; count += 1) socket.write(piece)
      return new Promise((resolve) => socket.once('close', resolve))
    })
    await Promise.all(closed)
    expect(measureHeldBytes() - before).toBeLessThan(MAX_BYTES)
    const laterProposal = settleToCode(propose())
    await app.call('agents.decide', { id: (await waitForProposal(app)).id, send: false })
    expect(await laterProposal).toBe('REFUSED_BY_PERSON')
    await stop()
  })

  test('of large proposals is limited in total, and waiting proposals are not repeated in each event', async () => {
    const { app, propose, abort, stop, card } = await startAgentsTest()
    const createLargeDraft = (text: string): Draft => ({
      endpoint: 'notes.title',
      params: { noteid: card.noteid },
      query: {},
      body: { text },
    })
    expect(await settleToCode(propose({ draft: createLargeDraft('x'.repeat(500_000)) }))).toBe('PROPOSAL_TOO_LARGE')
    collectGarbage()
    const before = measureHeldBytes()
    // Empty arrays take the most memory for their number of bytes.
    const manyValues = { ...createLargeDraft(''), body: { text: '', list: Array.from({ length: 150_000 }, () => []) } }
    let settledCount = 0
    const proposals = Array.from({ length: 20 }, () =>
      settleToCode(propose({ draft: manyValues })).finally(() => (settledCount += 1)),
    )
    await waitForProposal(app)
    // Every proposal either waits or is refused by now.
    await vi.waitFor(async () => {
      const { asks } = await app.call('agents.asks', {})
      expect([asks.length > 1, asks.length + settledCount]).toEqual([true, 20])
    })
    collectGarbage()
    expect(measureHeldBytes() - before).toBeLessThan(MAX_BYTES)
    abort.abort()
    const outcomes = await Promise.all(proposals)
    expect(new Set(outcomes)).toEqual(new Set(['CANCELLED', 'TOO_MANY_WAIT']))
    expect(Math.max(...app.events.map((event) => JSON.stringify(event).length))).toBeLessThan(10_000)
    // Withdrawn proposals are not stored either.
    await vi.waitFor(async () => expect((await app.call('agents.asks', {})).asks).toEqual([]))
    collectGarbage()
    expect(measureHeldBytes() - before).toBeLessThan(MAX_BYTES / 8)
    await stop()
  })
})

describe('socket for proposals', () => {
  /**
   * Sends these bytes as a stranger, and returns everything that arrives until the connection
   * closes.
   */
  const sendAsStranger = (socketPath: string, bytes: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = net.connect(socketPath)
      onTestFinished(() => void socket.destroy())
      let got = ''
      socket.on('data', (piece: Buffer) => (got += piece.toString()))
      socket.on('error', () => undefined)
      socket.once('close', () => resolve(got))
      socket.write(bytes)
    })

  const proposal = {
    agent: 'x',
    baseUrl: 'http://127.0.0.1:9',
    draft: { endpoint: 'a', params: {}, query: {} },
  }
  /** A request as the client sends it; null leaves a header out. */
  function buildRequest(key: string, changedHeaders: Record<string, string | null> = {}, body: unknown = proposal) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = {
      Host: 'bridge-inspector',
      Authorization: `Bearer ${key}`,
      'Content-Length': String(Buffer.byteLength(text)),
      ...changedHeaders,
    }
    const lines = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : `${name}: ${value}\r\n`))
    return `POST / HTTP/1.1\r\n${lines.join('')}\r\n${text}`
  }

  test('is private to the user, and reveals nothing without the key', async () => {
    const { app, meeting, file, propose, stop } = await startAgentsTest()
    const { path: socketPath, key } = meeting()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(path.dirname(socketPath)).mode & 0o777).toBe(0o700)
    for (const bytes of [
      'GET / HTTP/1.1\r\n\r\n',
      'x'.repeat(300),
      `GET /${'x'.repeat(2_000)} HTTP/1.1\r\n`,
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      `CONNECT localhost:80 HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      buildRequest(key.replace(/./g, '0')),
      buildRequest(''),
      buildRequest(key, { Authorization: null }),
      buildRequest(key, { Authorization: key }),
      buildRequest(key, { Authorization: `Bearer ${key} ` + key }),
      buildRequest(key, { Authorization: null, Expect: '100-continue' }),
      buildRequest(key, { Authorization: null, Connection: 'Upgrade', Upgrade: 'websocket' }),
      buildRequest(key, { 'X-Padding': 'x'.repeat(2_000) }),
    ]) {
      expect([bytes.slice(0, 300), await sendAsStranger(socketPath, bytes)]).toEqual([bytes.slice(0, 300), ''])
    }
    expect(await sendAsStranger(socketPath, buildRequest(key))).toContain('NOT_PROPOSABLE')
    // The same proposal arrives in pieces of one character.
    const socket = net.connect(socketPath)
    let got = ''
    socket.on('data', (piece: Buffer) => (got += piece.toString()))
    for (const piece of buildRequest(key, {}, { ...proposal, agent: '“ü”' }).match(/[^]/g) ?? []) {
      await new Promise((resolve) => socket.write(piece, resolve))
    }
    await new Promise((resolve) => socket.once('close', resolve))
    expect(got).toContain('NOT_PROPOSABLE')
    expect(got.toLowerCase()).not.toContain('access-control')
    expect((await app.call('agents.asks', {})).asks).toEqual([])
    // The app still accepts proposals after all of this.
    const laterProposal = settleToCode(propose())
    await app.call('agents.decide', { id: (await waitForProposal(app)).id, send: false })
    expect(await laterProposal).toBe('REFUSED_BY_PERSON')
    await stop()
    expect([existsSync(file), existsSync(socketPath)]).toEqual([false, false])
    expect(await settleToCode(propose())).toBe('APP_NOT_RUNNING')
  })

  test('refuses a request of a page, even one that has the key', async () => {
    const { meeting, stop } = await startAgentsTest()
    const { path: socketPath, key } = meeting()
    for (const headers of [
      { Origin: 'https://example.com' },
      { Origin: 'null' },
      { Origin: 'http://bridge-inspector' },
      { Host: 'localhost' },
      { Host: '127.0.0.1' },
      { Host: 'evil.example' },
      { Host: 'bridge-inspector.example' },
      { Host: null },
    ]) {
      expect([headers, await sendAsStranger(socketPath, buildRequest(key, headers))]).toEqual([headers, ''])
    }
    await stop()
  })

  test('takes only one proposal, or one call that reads, in one body of known length', async () => {
    const { app, meeting, stop } = await startAgentsTest()
    const { path: socketPath, key } = meeting()
    for (const [headers, body] of [
      [{}, { ...proposal, extra: true }],
      [{}, { ...proposal, draft: { ...proposal.draft, caller: 'browse' } }],
      [{}, []],
      [{}, ''],
      [{}, 'x'],
      [{}, { method: 'agents.decide', input: { id: 'x', send: true } }],
      [{}, { method: 'operations.send', input: { ticket: 'x' } }],
      [{}, { method: 'traffic.clear', input: {} }],
      [{}, { method: 'traffic.send', input: { method: 'GET', path: '/', body: null } }],
      [{}, { method: 'bridge.read', input: { endpoint: 'studySets.list', params: {}, query: {} } }],
      [{}, { method: 'no.such', input: {} }],
      [{}, { method: 'app.info', input: {}, more: proposal }],
      [{ 'Content-Length': null }, proposal],
      [{ 'Content-Length': '500001' }, proposal],
      [{ 'Content-Length': '9'.repeat(300) }, proposal],
      [{ 'Content-Length': null, 'Transfer-Encoding': 'chunked' }, '1\r\n{\r\n0\r\n\r\n'],
    ] as const) {
      const request = buildRequest(key, headers, body)
      expect([request, await sendAsStranger(socketPath, request)]).toEqual([request, ''])
    }
    const read = await sendAsStranger(socketPath, buildRequest(key, {}, { method: 'app.info', input: {} }))
    expect(read).toContain('"ended"')
    const invalid = await sendAsStranger(socketPath, buildRequest(key, {}, { method: 'app.info', input: { x: 1 } }))
    expect(invalid).toContain('INPUT_INVALID')
    expect((await app.call('agents.asks', {})).asks).toEqual([])
    await stop()
  })

  test('serves at most 30 connections at once', async () => {
    const { app, meeting, propose, stop } = await startAgentsTest()
    const idle = await Promise.all(
      Array.from(
        { length: 30 },
        () =>
          new Promise<net.Socket>((resolve) => {
            const socket = net.connect(meeting().path, () => resolve(socket))
            socket.on('error', () => undefined)
            onTestFinished(() => void socket.destroy())
          }),
      ),
    )
    expect(await sendAsStranger(meeting().path, buildRequest(meeting().key))).toBe('')
    // Each closes only once the app has let go of it.
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('close', resolve).resume().end())))
    const laterProposal = settleToCode(propose())
    await app.call('agents.decide', { id: (await waitForProposal(app)).id, send: false })
    expect(await laterProposal).toBe('REFUSED_BY_PERSON')
    await stop()
  })

  test('is not trusted if another user could have written its file', async () => {
    const { file, propose, meeting, stop } = await startAgentsTest()
    const original = meeting()
    chmodSync(file, 0o644)
    expect(await settleToCode(propose())).toBe('MEETING_UNSAFE')
    chmodSync(file, 0o600)
    for (const text of ['', '{}', JSON.stringify({ ...original, path: file })]) {
      writeFileSync(file, text)
      expect(await settleToCode(propose())).toBe('MEETING_UNSAFE')
    }
    writeFileSync(file, JSON.stringify({ ...original, path: '/no/such/socket' }))
    expect(await settleToCode(propose())).toBe('APP_NOT_RUNNING')
    await stop()
  })

  test('is not there if its file was left by a program that was killed', async () => {
    const { file, propose, meeting, stop } = await startAgentsTest()
    const original = meeting()
    await stop()
    // Only a process that ends without cleaning up leaves its socket.
    const socketPath = path.join(createTempDir(), 'left')
    const script = `require('node:net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`
    spawnSync(process.execPath, ['-e', script])
    expect(existsSync(socketPath)).toBe(true)
    writeFileSync(file, JSON.stringify({ ...original, path: socketPath }), { mode: 0o600 })
    expect(await settleToCode(propose())).toBe('APP_NOT_RUNNING')
  })

  test('closes with the app, also for waiting proposals', async () => {
    const { app, propose, stop } = await startAgentsTest()
    const waiting = settleToCode(propose())
    await waitForProposal(app)
    await stop()
    expect(await waiting).toBe('APP_ENDED')
  })
})
