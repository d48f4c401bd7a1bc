import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { proposeToApp } from '../../../electron/services/agents/client.ts'
import { agentSocketSchema, type AgentMessage, type Proposal } from '../../../shared/ipc/agent-socket.ts'
import { AppError } from '../../../shared/errors.ts'
import { startAppForAgents, waitForProposal } from '../../support/program/agents.ts'
import { readAllFiles } from '../../support/program/composed-app.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

type Draft = Proposal['draft']

async function running(options?: Parameters<typeof startAppForAgents>[1]) {
  const dataDir = createTempDir()
  const all = await startAppForAgents(dataDir, options)
  const file = path.join(dataDir, 'agents.json')
  const title: Draft = {
    endpoint: 'notes.title',
    params: { noteid: all.card.noteid },
    query: {},
    body: { text: 'Proposed' },
  }
  const said: AgentMessage['kind'][] = []
  const abort = new AbortController()
  const propose = (more: Partial<Proposal> = {}) =>
    proposeToApp({
      dataDir,
      proposal: { agent: 'test', baseUrl: all.host.baseUrl, draft: title, settleMs: 60_000, ...more },
      signal: abort.signal,
      onMessage: ({ kind }) => said.push(kind),
    })
  return { ...all, dataDir, file, said, abort, propose, meeting: () => agentSocketSchema.parse(JSON.parse(read(file))) }
}

const read = (file: string): string => readFileSync(file, 'utf8')
const codeOf = (promise: Promise<unknown>): Promise<string | undefined> =>
  promise.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  )

describe('a proposal', () => {
  test('is shown as it would be sent, and sent once a person lets it', async () => {
    const { app, propose, listTitleWrites, said, stop, host, dataDir } = await running()
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

  test('that is refused, withdrawn, or for another host, is not sent', async () => {
    const { app, propose, listTitleWrites, abort, stop } = await running()
    const refused = codeOf(propose())
    await app.call('agents.decide', { id: (await waitForProposal(app)).id, send: false })
    expect(await refused).toBe('REFUSED_BY_PERSON')
    expect(await codeOf(propose({ baseUrl: 'http://127.0.0.1:9/bridge/v1' }))).toBe('OTHER_HOST')
    for (const endpoint of ['studySets.list', 'install.code', 'mcp.post', 'no.such']) {
      expect(await codeOf(propose({ draft: { endpoint, params: {}, query: {} } }))).toBe('NOT_PROPOSABLE')
    }
    const withdrawn = codeOf(propose())
    await waitForProposal(app)
    abort.abort()
    expect(await withdrawn).toBe('CANCELLED')
    await vi.waitFor(async () => expect((await app.call('agents.asks', {})).asks).toEqual([]))
    expect(listTitleWrites()).toEqual([])
    await stop()
  })

  test('to a host that is locked says so, without asking anybody', async () => {
    const { app, propose, listTitleWrites, stop } = await running({ readOnly: true })
    expect(await codeOf(propose())).toBe('READ_ONLY')
    expect((await app.call('agents.asks', {})).asks).toEqual([])
    expect(listTitleWrites()).toEqual([])
    await stop()
  })

  test('is taken only a few at a time', async () => {
    const { app, propose, abort, stop } = await running()
    const waiting = Array.from({ length: 20 }, () => codeOf(propose()))
    await vi.waitFor(async () => expect((await app.call('agents.asks', {})).asks).toHaveLength(20))
    expect(await codeOf(propose())).toBe('TOO_MANY_WAIT')
    abort.abort()
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['CANCELLED']))
    await stop()
  })
})

test('safety 65: ids and names of an agent are judged and shown for what they are', async () => {
  const { app, propose, listTitleWrites, stop } = await running()
  const to = (noteid: string): Draft => ({
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
    expect([id, await codeOf(propose({ draft: to(id) }))]).toEqual([id, 'PARAM_SEGMENT'])
  }
  for (const [name, shown] of [
    ['\u3164', '⟨U+3164⟩'],
    [' \u2800 ', '⟨U+2800⟩'],
    ['Bridge\u200bInspector', 'Bridge⟨U+200B⟩Inspector'],
    ['a\u{e0041}b', 'a⟨U+E0041⟩b'],
    ['\u200f\u2067x', '⟨U+200F⟩⟨U+2067⟩x'],
    ['a\u00a0b', 'a⟨U+00A0⟩b'],
    ['x'.repeat(100), `${'x'.repeat(59)}…`],
    [' \n ', 'unnamed'],
  ] as const) {
    const waiting = codeOf(propose({ agent: name }))
    const ask = await waitForProposal(app)
    expect(ask.agent).toBe(shown)
    await app.call('agents.decide', { id: ask.id, send: false })
    await waiting
  }
  expect(listTitleWrites()).toEqual([])
  await stop()
})

describe('safety 64: a flood', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const held = (): number => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const MAX_BYTES = 64_000_000

  test('of strangers without a line break is not kept', async () => {
    const { meeting, propose, app, stop } = await running()
    collect()
    const before = held()
    const piece = Buffer.alloc(1_000_000, 'x')
    const closed = Array.from({ length: 25 }, () => {
      const socket = net.connect(meeting().path)
      socket.on('error', () => undefined)
      for (let count = 0; count < 10; count += 1) socket.write(piece)
      return new Promise((resolve) => socket.once('close', resolve))
    })
    await Promise.all(closed)
    expect(held() - before).toBeLessThan(MAX_BYTES)
    const after = codeOf(propose())
    await app.call('agents.decide', { id: (await waitForProposal(app)).id, send: false })
    expect(await after).toBe('REFUSED_BY_PERSON')
    await stop()
  })

  test('of large proposals is bounded in all, and those that wait are not sent to the page with each change', async () => {
    const { app, propose, abort, stop, card } = await running()
    const large = (text: string): Draft => ({
      endpoint: 'notes.title',
      params: { noteid: card.noteid },
      query: {},
      body: { text },
    })
    expect(await codeOf(propose({ draft: large('x'.repeat(500_000)) }))).toBe('PROPOSAL_TOO_LARGE')
    collect()
    const before = held()
    // As values the most that so many bytes can hold.
    const many = { ...large(''), body: { text: '', list: Array.from({ length: 150_000 }, () => []) } }
    let settled = 0
    const all = Array.from({ length: 20 }, () => codeOf(propose({ draft: many })).finally(() => (settled += 1)))
    await waitForProposal(app)
    // All that can't wait was refused: nothing is still on its way.
    await vi.waitFor(async () => {
      const { asks } = await app.call('agents.asks', {})
      expect([asks.length > 1, asks.length + settled]).toEqual([true, 20])
    })
    collect()
    expect(held() - before).toBeLessThan(MAX_BYTES)
    abort.abort()
    const outcomes = await Promise.all(all)
    expect(new Set(outcomes)).toEqual(new Set(['CANCELLED', 'TOO_MANY_WAIT']))
    expect(Math.max(...app.events.map((event) => JSON.stringify(event).length))).toBeLessThan(10_000)
    // What was withdrawn is not kept either.
    await vi.waitFor(async () => expect((await app.call('agents.asks', {})).asks).toEqual([]))
    collect()
    expect(held() - before).toBeLessThan(MAX_BYTES / 8)
    await stop()
  })
})

describe('where proposals are taken', () => {
  /** What a stranger gets for these bytes: everything until the end of the connection. */
  const stranger = (at: string, bytes: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = net.connect(at)
      onTestFinished(() => void socket.destroy())
      let got = ''
      socket.on('data', (piece: Buffer) => (got += piece.toString()))
      socket.on('error', () => undefined)
      socket.once('close', () => resolve(got))
      socket.write(bytes)
    })

  test('is the user’s alone, and nobody without the key learns anything', async () => {
    const { app, meeting, file, propose, stop } = await running()
    const { path: at, key } = meeting()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(path.dirname(at)).mode & 0o777).toBe(0o700)
    const line = (value: unknown): string => `${JSON.stringify(value)}\n`
    const ours = line({ key })
    const good = {
      agent: 'x',
      baseUrl: 'http://127.0.0.1:9',
      draft: { endpoint: 'a', params: {}, query: {} },
      settleMs: 0,
    }
    for (const bytes of [
      'GET / HTTP/1.1\r\n\r\n',
      line({ key: key.replace(/./g, '0') }) + line(good),
      line({ key: '' }) + line(good),
      line({ key, extra: true }) + line(good),
      line({ ...good, key }),
      ours + line({ ...good, extra: true }),
      ours + line({ ...good, draft: { ...good.draft, caller: 'browse' } }),
      line([]),
      ours + line([]),
      ours + 'x\n',
      'x'.repeat(300),
      `{"key":"${' '.repeat(300)}`,
    ]) {
      expect(await stranger(at, bytes)).toBe('')
    }
    expect(await stranger(at, ours + line(good))).toContain('NOT_PROPOSABLE')
    // In pieces of any size.
    const socket = net.connect(at)
    let got = ''
    socket.on('data', (piece: Buffer) => (got += piece.toString()))
    for (const piece of (ours + line({ ...good, agent: '“ü”' })).match(/[^]/g) ?? []) {
      await new Promise((resolve) => socket.write(piece, resolve))
    }
    await new Promise((resolve) => socket.once('close', resolve))
    expect(got).toContain('NOT_PROPOSABLE')
    expect((await app.call('agents.asks', {})).asks).toEqual([])
    // None of it has harmed the app.
    const after = codeOf(propose())
    await app.call('agents.decide', { id: (await waitForProposal(app)).id, send: false })
    expect(await after).toBe('REFUSED_BY_PERSON')
    await stop()
    expect([existsSync(file), existsSync(at)]).toEqual([false, false])
    expect(await codeOf(propose())).toBe('APP_NOT_RUNNING')
  })

  test('is not believed if somebody else could have written it', async () => {
    const { file, propose, meeting, stop } = await running()
    const kept = meeting()
    chmodSync(file, 0o644)
    expect(await codeOf(propose())).toBe('MEETING_UNSAFE')
    chmodSync(file, 0o600)
    for (const text of ['', '{}', JSON.stringify({ ...kept, path: file })]) {
      writeFileSync(file, text)
      expect(await codeOf(propose())).toBe('MEETING_UNSAFE')
    }
    writeFileSync(file, JSON.stringify({ ...kept, path: '/no/such/socket' }))
    expect(await codeOf(propose())).toBe('APP_NOT_RUNNING')
    await stop()
  })

  test('ends with the app, also for whoever waits', async () => {
    const { app, propose, stop } = await running()
    const waiting = codeOf(propose())
    await waitForProposal(app)
    await stop()
    expect(await waiting).toBe('APP_ENDED')
  })
})
