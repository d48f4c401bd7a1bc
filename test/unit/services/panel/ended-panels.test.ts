import { expect, onTestFinished, test } from 'vitest'
import { startDirectPanelListener } from '../../../../electron/browser-host/panel-listener.ts'
import { readRecordedFindings } from '../../../../electron/services/traffic/recorded/recorded-findings.ts'
import { startComposedApp, type ComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'

/** Starts the app with a panel that has committed, and has not asked for the result. */
async function startCommittedPanel(dataDir: string): Promise<ComposedApp> {
  const app = await startComposedApp(dataDir, ['--demo', '--demo-nodes', '50'])
  const listener = await startDirectPanelListener(app.app.panel)
  onTestFinished(() => listener.close())
  await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
  const { profile } = await app.call('connection.get', {})
  await app.call('operations.unlock', { profileId: profile?.id ?? '', scope: 'session' })
  await app.call('panel.open', { source: { kind: 'sample', name: 'practice' } })
  await app.app.panel.waitForRules()
  const { url } = await app.call('panel.configure', { writes: 'let-through' })
  const callHost = async (path: string, init?: RequestInit): Promise<unknown> =>
    (await fetch(new URL(`/bridge/v1${path}`, url ?? ''), init)).json()
  const { state } = (await callHost('/ui-state')) as { state: { topicid: string; focusnoteid: string } }
  const target = { topicid: state.topicid, noteid: state.focusnoteid, layerId: '' }
  const body = JSON.stringify({ surfaceId: 'surface', requestId: 'A', target })
  const headers = { 'content-type': 'application/json' }
  await callHost('/writing/pencil-commit', { method: 'POST', headers, body })
  return app
}

const expectFinding = async (dataDir: string): Promise<void> => {
  const { findings } = await readRecordedFindings(dataDir, { run: 'last' })
  expect(findings).toMatchObject([{ rule: 'commit-not-polled', late: { because: 'ended' } }])
}

test('safety 82: a panel is judged when the program ends, and the finding is stored', async () => {
  const dataDir = createTempDir()
  const app = await startCommittedPanel(dataDir)
  expect((await app.call('findings.list', { offset: 0, limit: 10 })).findings).toEqual([])
  await app.dispose()
  await expectFinding(dataDir)
})

test('safety 82: a panel is judged when another one is opened in its place', async () => {
  const dataDir = createTempDir()
  const app = await startCommittedPanel(dataDir)
  await app.call('panel.open', { source: { kind: 'sample', name: 'eleven-bugs' } })
  await expect
    .poll(async () => (await app.call('findings.list', { offset: 0, limit: 10 })).findings.map(({ rule }) => rule))
    .toEqual(['commit-not-polled'])
  await app.dispose()
  await expectFinding(dataDir)
})
