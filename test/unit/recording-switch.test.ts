import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { composeSwitchableApp } from '../../electron/recording-switch.ts'
import { openRecording } from '../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../electron/recording-file/recording-writer.ts'
import { toRecordedExchange } from '../../shared/recordings/recording.ts'
import type { ExchangeDetail } from '../../shared/traffic/exchange.ts'
import { createTempDir } from '../support/data/temp-dir.ts'
import { startComposedApp, type ComposedApp } from '../support/program/composed-app.ts'

const MAX_BODY = 64_000_000

const startApp = (dataDir: string, flags: string[] = []): Promise<ComposedApp> =>
  startComposedApp(dataDir, flags, { compose: composeSwitchableApp })

const waitUntilOnline = (app: ComposedApp): Promise<void> =>
  expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')

const read = (app: ComposedApp, endpoint: 'studySets.list' | 'studySets.tree', params: Record<string, string> = {}) =>
  app.call('bridge.read', { endpoint, params, query: {} })

async function listExchanges(app: ComposedApp): Promise<ExchangeDetail[]> {
  const { bytes } = await app.call('traffic.find', { filter: {}, sort: { by: 'time', descending: false } })
  return Promise.all([...new Uint32Array(bytes)].map((seq) => app.call('traffic.exchange', { seq })))
}

/** Writes everything that the app has recorded. */
async function saveRecording(app: ComposedApp, file: string): Promise<void> {
  const exchanges = await listExchanges(app)
  const bodies = new Map(
    exchanges.flatMap(({ row: { seq }, ...sides }) =>
      (['request', 'response'] as const).map((side) => [sides[side].hash, { seq, side }] as const),
    ),
  )
  await writeRecording(file, {
    describe: () => ({
      createdAt: Date.now(),
      title: 'A day at work',
      program: { name: 'Bridge Inspector', version: '1.2.3' },
      host: { baseUrl: exchanges[0]?.row.host ?? null, name: null, version: null },
      span: { from: exchanges[0]?.row.startedAt ?? 0, to: Date.now() },
      selection: { kind: 'all' },
      leftOut: [],
      redaction: null,
    }),
    lines: { exchanges: exchanges.map((exchange) => toRecordedExchange(exchange)) },
    async loadBody(name) {
      const place = bodies.get(name)
      if (!place) return null
      return new Uint8Array((await app.call('traffic.body', { ...place, start: 0, end: MAX_BODY })).bytes)
    },
  })
}

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
    expect(app.events.at(-1)?.topic).toBe('recordings.sessionChanged')
    expect(await app.call('recordings.current', {})).toMatchObject({ open: { file } })
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

  test('makes a snapshot of each recorded listing', async () => {
    const { app, file, topicid } = await prepare()
    await open(app, file)
    await expect.poll(async () => (await app.call('snapshots.list', { topicid })).snapshots.length).toBe(1)
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

  test('writes nothing into the recording', async () => {
    const { app, file } = await prepare()
    await open(app, file)
    await app.dispose()
    const recording = await openRecording(file)
    expect(recording.manifest.title).toBe('A day at work')
    await recording.close()
  })
})
