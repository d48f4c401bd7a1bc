/** @module-tag slow */

import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hostApi, serveRecording, startDemoHost } from '../../../testing/index.ts'
import type { Host, HostApi } from '../../../testing/api.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startComposedApp } from '../../support/program/composed-app.ts'
import { readStoredRecording, writeSource } from '../../support/services/replay-recording.ts'

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

/** A panel that sends a verdict with a revision that its first verdict has replaced. */
async function runPanel(api: HostApi): Promise<unknown> {
  const { state } = await api('/ui-state')
  const readCard = () => api('/notes/batch-get', post({ noteIds: [state.focusnoteid] }))
  const { items } = await readCard()
  const expectedRevision = items[0].commentsRevision
  for (const self of ['again', 'good']) {
    const verdict = { commentId: 'C', expectedRevision, practice: { topic: state.topicid }, self }
    await api(`/notes/${state.focusnoteid}/practice-verdict`, post(verdict))
  }
  return [items, await readCard()]
}

async function run(host: Host, dataDir?: string) {
  const api = hostApi({ host, writes: 'allow', ...(dataDir === undefined ? {} : { dataDir }) })
  try {
    const items = await runPanel(api)
    // Each run has its own times, ids of exchanges and line in this file.
    const findings = (await api.findings()).map((finding) => ({ ...finding, decidedAt: 0, exchanges: [], stack: [] }))
    return { items, findings }
  } finally {
    await api.close()
  }
}

test('a panel has the same findings and reads the same against the recording of its run', async () => {
  const host = await startDemoHost()
  onTestFinished(host.close)
  const dataDir = createTempDir()
  const recorded = await run(host, dataDir)
  expect(recorded.findings).toMatchObject([{ rule: 'stale-revision' }])
  const app = await startComposedApp(dataDir)
  const source = await readStoredRecording(app)
  const file = path.join(createTempDir(), 'run.birec')
  await writeSource(file, source)
  await app.dispose()
  const served = await serveRecording(file, { latencyMs: 1 })
  onTestFinished(served.close)
  expect(await run(served)).toEqual(recorded)
  expect(served.countWrites()).toEqual({ done: 1, recorded: 1 })
  expect(served.requests().filter(({ isExecuted }) => isExecuted)).toHaveLength(1)
  served.rewind()
  expect(served.countWrites().done).toBe(0)
  served.setFault('html-500')
  expect((await fetch(`${served.baseUrl}/ui-state`)).status).toBe(500)
})

test('rejects a file that is no recording, and a fault that does not exist', async () => {
  await expect(serveRecording(import.meta.filename)).rejects.toThrow()
  await expect(serveRecording('x', { fault: 'none' })).rejects.toThrow('There is no fault "none".')
})
