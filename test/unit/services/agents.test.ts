import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { proposeToApp } from '../../../electron/services/agents/client.ts'
import { meetingSchema, type AgentMessage, type Proposal } from '../../../shared/agents/wire.ts'
import { AppError } from '../../../shared/errors.ts'
import { appForAgents, firstAsk } from '../../support/agents.ts'
import { everyFile } from '../../support/composed.ts'
import { tempDir } from '../../support/data-dir.ts'

type Draft = Proposal['draft']

async function running(options?: Parameters<typeof appForAgents>[1]) {
  const dataDir = tempDir()
  const all = await appForAgents(dataDir, options)
  const file = path.join(dataDir, 'agents.json')
  const title: Draft = {
    endpoint: 'notes.title',
    params: { noteid: all.card.noteid },
    query: {},
    body: { text: 'Proposed' },
  }
  const said: AgentMessage['kind'][] = []
  const abort = new AbortController()
  const propose = (more: Partial<Omit<Proposal, 'key'>> = {}) =>
    proposeToApp({
      dataDir,
      proposal: { agent: 'test', baseUrl: all.host.baseUrl, draft: title, settleMs: 60_000, ...more },
      signal: abort.signal,
      onMessage: ({ kind }) => said.push(kind),
    })
  return { ...all, dataDir, file, said, abort, propose, meeting: () => meetingSchema.parse(JSON.parse(read(file))) }
}

const read = (file: string): string => readFileSync(file, 'utf8')
const codeOf = (promise: Promise<unknown>): Promise<string | undefined> =>
  promise.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  )

describe('a proposal', () => {
  test('is shown as it would be sent, and sent once a person lets it', async () => {
    const { app, propose, written, said, end, host, dataDir } = await running()
    const outcome = propose({ agent: 'Agent\u202e\n Smith' })
    const ask = await firstAsk(app)
    expect(ask).toMatchObject({ agent: 'Agent Smith', prepared: { method: 'POST', added: ['confirm'] } })
    expect(JSON.parse(ask.prepared.body ?? '')).toEqual({ text: 'Proposed', confirm: true })
    expect(written()).toEqual([])
    await app.call('agents.decide', { id: ask.id, send: true })
    expect(await outcome).toMatchObject({ verdict: 'saved-and-verified', status: 200, code: null, cut: false })
    expect(written()).toHaveLength(1)
    expect(said).toEqual(['waiting', 'sent'])
    const { items } = await app.call('operations.list', { offset: 0, limit: 5 })
    expect(items).toMatchObject([{ endpoint: 'notes.title', caller: 'agent' }])
    const sort = { by: 'time', descending: true } as const
    const { bytes } = await app.call('traffic.find', { filter: { origins: ['agent'] }, sort })
    const { rows } = await app.call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })
    expect(rows).toMatchObject([{ origin: { kind: 'agent', label: 'Agent Smith' }, method: 'POST' }])
    expect(await app.failure('agents.decide', { id: ask.id, send: true })).toMatchObject({ code: 'ASK_UNKNOWN' })
    expect(JSON.stringify(app.events) + JSON.stringify(await outcome)).not.toContain(host.token)
    await end()
    expect(everyFile(dataDir)).not.toContain(host.token)
  })

  test('that is refused, withdrawn, or for another host, is not sent', async () => {
    const { app, propose, written, abort, end } = await running()
    const refused = codeOf(propose())
    await app.call('agents.decide', { id: (await firstAsk(app)).id, send: false })
    expect(await refused).toBe('REFUSED_BY_PERSON')
    expect(await codeOf(propose({ baseUrl: 'http://127.0.0.1:9/bridge/v1' }))).toBe('OTHER_HOST')
    for (const endpoint of ['studySets.list', 'install.code', 'mcp.post', 'no.such']) {
      expect(await codeOf(propose({ draft: { endpoint, params: {}, query: {} } }))).toBe('NOT_PROPOSABLE')
    }
    const withdrawn = codeOf(propose())
    await firstAsk(app)
    abort.abort()
    expect(await withdrawn).toBe('CANCELLED')
    await vi.waitFor(async () => expect((await app.call('agents.asks', {})).asks).toEqual([]))
    expect(written()).toEqual([])
    await end()
  })

  test('to a host that is locked says so, without asking anybody', async () => {
    const { app, propose, written, end } = await running({ readOnly: true })
    expect(await codeOf(propose())).toBe('READ_ONLY')
    expect((await app.call('agents.asks', {})).asks).toEqual([])
    expect(written()).toEqual([])
    await end()
  })

  test('is taken only a few at a time', async () => {
    const { app, propose, abort, end } = await running()
    const waiting = Array.from({ length: 20 }, () => codeOf(propose()))
    await vi.waitFor(async () => expect((await app.call('agents.asks', {})).asks).toHaveLength(20))
    expect(await codeOf(propose())).toBe('TOO_MANY_WAIT')
    abort.abort()
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['CANCELLED']))
    await end()
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
    const { app, meeting, file, propose, end } = await running()
    const { path: at, key } = meeting()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(path.dirname(at)).mode & 0o777).toBe(0o700)
    const line = (value: unknown): string => `${JSON.stringify(value)}\n`
    const good = {
      agent: 'x',
      baseUrl: 'http://127.0.0.1:9',
      draft: { endpoint: 'a', params: {}, query: {} },
      settleMs: 0,
    }
    for (const bytes of [
      'GET / HTTP/1.1\r\n\r\n',
      line({ ...good, key: key.replace(/./g, '0') }),
      line({ ...good, key: '' }),
      line({ ...good, key, extra: true }),
      line({ ...good, key, draft: { ...good.draft, caller: 'browse' } }),
      line([]),
      'x'.repeat(5_100_000),
    ]) {
      expect(await stranger(at, bytes)).toBe('')
    }
    expect(await stranger(at, line({ ...good, key }))).toContain('NOT_PROPOSABLE')
    expect((await app.call('agents.asks', {})).asks).toEqual([])
    // None of it has harmed the app.
    const after = codeOf(propose())
    await app.call('agents.decide', { id: (await firstAsk(app)).id, send: false })
    expect(await after).toBe('REFUSED_BY_PERSON')
    await end()
    expect([existsSync(file), existsSync(at)]).toEqual([false, false])
    expect(await codeOf(propose())).toBe('APP_NOT_RUNNING')
  })

  test('is not believed if somebody else could have written it', async () => {
    const { file, propose, meeting, end } = await running()
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
    await end()
  })

  test('ends with the app, also for whoever waits', async () => {
    const { app, propose, end } = await running()
    const waiting = codeOf(propose())
    await firstAsk(app)
    await end()
    expect(await waiting).toBe('APP_ENDED')
  })
})
