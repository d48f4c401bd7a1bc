/** @module-tag slow */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { exportArchive } from '../../electron/recording-file/archive-writer.ts'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { debuggingTools } from '../../cli/mcp/debugging-tools.ts'
import { ResponseStore } from '../../cli/mcp/response-store.ts'
import { composeSwitchableApp } from '../../electron/switchable-composition.ts'
import { openRecording } from '../../electron/recording-file/recording-file.ts'
import { DEFAULT_REDACTION, type RedactionPolicy } from '../../shared/recordings/recording.ts'
import { collect } from '../support/data/collect.ts'
import { createTempDir } from '../support/data/temp-dir.ts'
import { startComposedApp, type ComposedApp } from '../support/program/composed-app.ts'
import { listExchanges, saveRecording } from '../support/program/saved-recording.ts'
import { buildTitleDraft, startWritableApp } from '../support/program/writable-app.ts'

const startApp = (dataDir: string, flags: string[] = []): Promise<ComposedApp> =>
  startComposedApp(dataDir, flags, { compose: composeSwitchableApp })

const waitUntilOnline = (app: ComposedApp): Promise<void> =>
  expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')

const read = (app: ComposedApp, endpoint: 'studySets.list' | 'studySets.tree', params: Record<string, string> = {}) =>
  app.call('bridge.read', { endpoint, params, query: {} })

describe('an app that opens recordings', () => {
  async function prepare() {
    const app = await startApp(createTempDir(), ['--demo', '--demo-nodes', '200'])
    await waitUntilOnline(app)
    const { bytes } = await read(app, 'studySets.list')
    const [set] = (JSON.parse(Buffer.from(bytes).toString()) as { studySets: { topicid: string }[] }).studySets
    const topicid = set?.topicid ?? ''
    await read(app, 'studySets.tree', { topicid })
    const file = path.join(createTempDir(), 'day.birec')
    await saveRecording(app, file)
    return { app, file, topicid }
  }

  const open = (app: ComposedApp, file: string) => app.call('recordings.open', { source: { from: 'path', path: file } })

  test('shows what was recorded without the host, sends nothing, and goes back', async () => {
    const { app, file, topicid } = await prepare()
    const recorded = await listExchanges(app)
    await open(app, file)
    expect(app.events.map(({ topic }) => topic)).toContain('recordings.sessionChanged')
    expect(await app.call('recordings.current', {})).toMatchObject({ open: { entry: { file } } })
    expect((await app.call('app.info', {})).recording).toMatchObject({ title: 'A day at work' })
    await waitUntilOnline(app)
    await expect.poll(async () => (await app.call('traffic.info', {})).exchanges).toBe(recorded.length)
    expect((await listExchanges(app)).map(({ row }) => row.id)).toEqual(recorded.map(({ row }) => row.id))
    expect((await read(app, 'studySets.list')).meta.status).toBe(200)
    expect((await read(app, 'studySets.tree', { topicid })).meta.status).toBe(200)
    // Reads of a recording are not recorded themselves.
    expect((await app.call('traffic.info', {})).exchanges).toBe(recorded.length)
    expect((await app.callExpectingError('traffic.clear', {})).code).toBe('RECORDING_READ_ONLY')
    expect((await app.callExpectingError('traffic.send', { method: 'GET', path: '/status', body: null })).code).toBe(
      'RECORDING_READ_ONLY',
    )
    await app.call('recordings.close', {})
    expect((await app.call('app.info', {})).recording).toBeNull()
    expect((await app.call('traffic.info', {})).exchanges).toBeGreaterThanOrEqual(recorded.length)
    expect(readdirSync(app.dataDir).filter((name) => name.startsWith('recording-session-'))).toEqual([])
  })

  test('lets agents read the recording that is open, and says so', async () => {
    const { file } = await prepare()
    const app = await startComposedApp(createTempDir(), [], {
      compose: composeSwitchableApp,
      ports: { acceptsProposals: true },
    })
    // The session of the agent's program, which knows the data directory and nothing of recordings.
    const info = await app.call('app.info', {})
    const call = (() => Promise.resolve(info)) as unknown as typeof app.call
    const session = { app: app.app, call, state: await app.call('connection.get', {}) }
    const search = async (): Promise<unknown> => {
      const tool = debuggingTools.find(({ name }) => name === 'exchanges_search')
      const { signal } = new AbortController()
      const context = { session, responses: new ResponseStore(), agent: 'test', signal, onProgress: () => undefined }
      return (await tool?.run(context, { text: '/tree' }))?.structuredContent
    }
    expect(await search()).toMatchObject({ data: { source: 'the running app', total: 0 } })
    await open(app, file)
    const source = 'the recording that is open in the running app: A day at work'
    await expect.poll(search).toMatchObject({ data: { source, total: 1, rows: [{ status: 200 }] } })
    await app.call('recordings.close', {})
    expect(await search()).toMatchObject({ data: { source: 'the running app', total: 0 } })
  })

  test('makes a snapshot of each recorded listing', async () => {
    const { app, file, topicid } = await prepare()
    await open(app, file)
    await expect.poll(async () => (await app.call('snapshots.list', { topicid })).snapshots.length).toBe(1)
  })

  test.each(['javascript:alert(1)', 'http://', 'https://notes.example:8443/bridge/v1'])(
    'opens a file that calls the address of its host %j',
    async (baseUrl) => {
      const { app } = await prepare()
      const file = path.join(createTempDir(), 'strange.birec')
      await saveRecording(app, file, baseUrl)
      await open(app, file)
      await waitUntilOnline(app)
      expect((await read(app, 'studySets.list')).meta.status).toBe(200)
    },
  )

  test('opens an HTTP archive as the recording that it makes of it, with its requests', async () => {
    const { app, file } = await prepare()
    const archive = path.join(createTempDir(), 'from elsewhere.har')
    const recording = await openRecording(file)
    const { entries } = await exportArchive(recording, archive, '1.0.0').finally(() => recording.close())
    const longAgo = readFileSync(archive, 'utf8').replaceAll(/("startedDateTime": ?")\d{4}/g, '$12001')
    writeFileSync(archive, longAgo)
    await open(app, archive)
    expect((await app.call('app.info', {})).recording).not.toBeNull()
    await expect.poll(async () => (await app.call('traffic.info', {})).exchanges).toBeGreaterThanOrEqual(entries)
    // The last time of a recording is counted from its end.
    const recent = { filter: { lastMs: 3_600_000 }, sort: { by: 'time', descending: true } } as const
    await expect.poll(async () => (await app.call('traffic.find', recent)).meta.total).toBeGreaterThan(0)
    await app.call('recordings.close', {})
    const { recordings } = await app.call('recordings.list', {})
    expect(recordings).toMatchObject([{ name: 'from elsewhere', isInDataDir: true }])
    const verification = await app.call('recordings.verify', { id: recordings[0]?.id ?? '', jobId: 'verify' })
    expect(verification).toMatchObject({ verdict: 'intact', madeOf: 'archive' })
    expect(recordings[0]?.fingerprint).toBe(verification.ownFingerprint)
  })

  test('keeps what was shown if the file is no recording, and says what is wrong', async () => {
    const { app } = await prepare()
    const error = await app.callExpectingError('recordings.open', {
      source: { from: 'path', path: path.resolve('package.json') },
    })
    expect(error.code).toBe('RECORDING_NOT_A_RECORDING')
    expect((await app.call('app.info', {})).recording).toBeNull()
    expect(readdirSync(app.dataDir).filter((name) => name.startsWith('recording-session-'))).toEqual([])
  })

  test('says at once which file of the system was not opened, also while a recording is open', async () => {
    const composed = startComposedApp(createTempDir(), [], {
      compose: async (config, ports) => {
        const switchable = await composeSwitchableApp(config, ports)
        openFromSystem = switchable.openRecording
        return switchable
      },
    })
    let openFromSystem: (file: string) => Promise<void> = () => Promise.resolve()
    const { file } = await prepare()
    const app = await composed
    for (const isOpen of [false, true]) {
      if (isOpen) await open(app, file)
      app.events.length = 0
      await openFromSystem(path.resolve('package.json'))
      const notice = {
        level: 'error',
        code: 'FILE_NOT_OPENED',
        params: { name: 'package.json', errorCode: 'RECORDING_NOT_A_RECORDING' },
      }
      expect(app.events.filter(({ topic }) => topic === 'app.notice')).toMatchObject([{ payload: notice }])
      expect((await app.call('app.info', {})).notices.at(-1)).toMatchObject(notice)
    }
  })

  test('says which entries of the list of recordings are damaged, and keeps the list as it was', async () => {
    const { app, file } = await prepare()
    await open(app, file)
    await app.dispose()
    const list = path.join(app.dataDir, 'recordings.json')
    const { recordings } = JSON.parse(readFileSync(list, 'utf8')) as { recordings: object[] }
    const damaged = JSON.stringify({ recordings: [...recordings, { ...recordings[0], id: 7 }] })
    writeFileSync(list, damaged)
    const next = await startApp(app.dataDir)
    const notices = (await next.call('app.info', {})).notices.filter(({ code }) => code.startsWith('RECORDINGS_'))
    expect(notices).toMatchObject([{ code: 'RECORDINGS_DAMAGED', params: { count: 1 } }])
    expect((await next.call('recordings.list', {})).recordings).toHaveLength(1)
    expect(readFileSync(path.join(app.dataDir, String(notices[0]?.params?.['file'])), 'utf8')).toBe(damaged)
    await next.dispose()
    writeFileSync(list, 'noise')
    const last = await startApp(app.dataDir)
    const [notice] = (await last.call('app.info', {})).notices.filter(({ code }) => code.startsWith('RECORDINGS_'))
    expect(readFileSync(path.join(app.dataDir, String(notice?.params?.['file'])), 'utf8')).toBe('noise')
  })

  describe('saves what it shows', () => {
    const keepAll: RedactionPolicy = { texts: 'keep', ids: 'keep', pictures: 'keep' }
    const save = async (app: ComposedApp, name: string, redaction = keepAll, filter = {}): Promise<string> => {
      const { entry } = await app.call('recordings.save', {
        ...{ selection: { kind: 'filter', filter }, redaction, jobId: name, name, steps: '' },
      })
      return entry?.file ?? ''
    }

    async function prepareWrite(): Promise<ComposedApp> {
      const { app, set, card, sendDraft } = await startWritableApp({ compose: composeSwitchableApp })
      await app.call('snapshots.take', { topicid: set.topicid })
      await sendDraft(buildTitleDraft(card.noteid, 'A new title'))
      return app
    }

    test.each([keepAll, DEFAULT_REDACTION, { texts: 'drop', ids: 'map', pictures: 'drop' } as const])(
      'so that the file of a session and the file of that file are the same ($texts)',
      async (redaction) => {
        const app = await prepareWrite()
        const first = await save(app, 'first', redaction)
        await open(app, first)
        const second = await save(app, 'second')
        const [before, after] = [await readParts(first), await readParts(second)]
        expect(Object.keys(before).map((entry) => entry.split('/')[0])).toEqual(
          expect.arrayContaining(['exchanges', 'operations', 'snapshots', 'bodies']),
        )
        expect(after).toEqual(before)
      },
    )

    test('of which a part is chosen, with what belongs to it and without what does not', async () => {
      const app = await prepareWrite()
      const file = await save(app, 'whole')
      await open(app, file)
      const part = await openRecording(await save(app, 'part', keepAll, { methods: ['POST'] }))
      const exchanges = await collect(part.readExchanges())
      expect(new Set(exchanges.map(({ row, context }) => (context ? 'context' : row.method)))).toEqual(
        new Set(['context', 'POST']),
      )
      expect(await collect(part.readLines('operations'))).toHaveLength(1)
      await part.close()
      await app.call('recordings.close', {})
      expect((await app.call('recordings.list', {})).recordings.map(({ name }) => name).sort()).toEqual([
        'part',
        'whole',
      ])
    })
  })

  test('says that a body of a recording is damaged', async () => {
    const { app, file } = await prepare()
    const entry = await damageLastEntry(file, 'bodies/')
    await open(app, file)
    await expect
      .poll(async () => (await app.call('app.info', {})).notices.find(({ code }) => code === 'RECORDING_BODY_DAMAGED'))
      .toMatchObject({ params: { entry } })
    // A part would pass for the whole.
    const error = await app.callExpectingError('recordings.save', {
      ...{ selection: { kind: 'filter', filter: {} }, redaction: DEFAULT_REDACTION, jobId: 'j', name: 'x', steps: '' },
    })
    expect(error.wire).toMatchObject({ code: 'RECORDING_ENTRY_DAMAGED', params: { entry } })
  })

  test('writes nothing into the recording', async () => {
    const { app, file } = await prepare()
    await open(app, file)
    await app.dispose()
    const recording = await openRecording(file)
    expect(recording.manifest.title).toBe('A day at work')
    await recording.close()
  })
})

/** The entries that do not tell when and by whom the file was written, and the manifest without. */
async function readParts(file: string): Promise<Record<string, unknown>> {
  const { zip, manifest, close } = await openRecording(file)
  const parts: Record<string, unknown> = {}
  for (const name of [...zip.entries.keys()].sort())
    if (!/^(?:integrity|report|manifest)/.test(name)) parts[name] = (await zip.readWhole(name, 1e9)).toString('latin1')
  await close()
  return { ...parts, manifest: { ...manifest, createdAt: 0, title: '' } }
}

async function damageLastEntry(file: string, part: string): Promise<string> {
  const { zip, close } = await openRecording(file)
  const entry = [...zip.entries.values()].findLast(({ name }) => name.startsWith(part))
  await close()
  const bytes = readFileSync(file)
  const place = (entry?.headerOffset ?? 0) + 30 + (entry?.name.length ?? 0) + 1
  bytes[place] = (bytes[place] ?? 0) ^ 1
  writeFileSync(file, bytes)
  return entry?.name ?? ''
}
