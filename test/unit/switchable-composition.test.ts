/** @module-tag slow */

import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { composeSwitchableApp } from '../../electron/switchable-composition.ts'
import { openRecording } from '../../electron/recording-file/recording-file.ts'
import { createTempDir } from '../support/data/temp-dir.ts'
import { startComposedApp, type ComposedApp } from '../support/program/composed-app.ts'
import { listExchanges, saveRecording } from '../support/program/saved-recording.ts'

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
    // Otherwise what is saved would be what the host did, not what is shown.
    const selection = { kind: 'exchanges', seqs: [1] }
    const redaction = { texts: 'keep', ids: 'keep', pictures: 'keep' }
    expect((await app.callExpectingError('recordings.preview', { selection, redaction })).code).toBe(
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
