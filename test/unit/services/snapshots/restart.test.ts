/** @module-tag slow */

import { expect, test } from 'vitest'
import type { SnapshotInfo } from '../../../../shared/snapshots/snapshot.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startComposedApp, type ComposedApp } from '../../../support/program/composed-app.ts'
import { restartHost, startWritableApp } from '../../../support/program/writable-app.ts'

const list = async (app: ComposedApp, topicid: string): Promise<SnapshotInfo[]> =>
  (await app.call('snapshots.list', { topicid })).snapshots

/** Begins a snapshot of so many pages that it is not done before something happens to it. */
async function startLongTake(app: ComposedApp, topicid: string) {
  await app.call('settings.update', { treePageSize: 1 })
  const start = app.events.length
  const countReports = (): number =>
    app.events.slice(start).filter(({ topic }) => topic === 'snapshots.progress').length
  let isSettled = false
  const result = app
    .call('snapshots.take', { topicid })
    .catch(() => undefined)
    .finally(() => (isSettled = true))
  await expect.poll(countReports).toBeGreaterThan(0)
  return { result, countReports, isSettled: () => isSettled }
}

async function expectNothingRemoved(app: ComposedApp, topicid: string, complete: SnapshotInfo): Promise<void> {
  for (const { id } of await list(app, topicid)) {
    const range = { layout: 'list' as const, offset: 0, limit: 1 }
    const { counts } = await app.call('snapshots.compare', { topicid, before: complete.id, after: id, ...range })
    expect(counts).toEqual({})
  }
}

test('a host that is restarted while a snapshot is taken leaves one that is not whole', async () => {
  const running = await startWritableApp({ host: { nodes: 3_000 } })
  const { app, host } = running
  const { topicid } = host.state.generatedSet
  const complete = await app.call('snapshots.take', { topicid })
  expect(complete.gaps).toEqual([])
  const { result, countReports, isSettled } = await startLongTake(app, topicid)
  await restartHost(running)
  const reports = countReports()
  // Pages of both processes have arrived, unless the take has already failed.
  await expect.poll(() => isSettled() || countReports() > reports + 3).toBe(true)
  app.app.dispatcher.removeCaller('page')
  await result
  await expect.poll(async () => (await list(app, topicid)).length).toBe(2)
  const [newest] = await list(app, topicid)
  expect(newest?.id).not.toBe(complete.id)
  expect(newest?.gaps.some((gap) => gap === 'restarted' || gap === 'failed')).toBe(true)
  await expectNothingRemoved(app, topicid, complete)
})

test('a program that ends while a listing is read takes no part of it for the whole', async () => {
  const dataDir = createTempDir()
  const { app, host } = await startWritableApp({ host: { nodes: 3_000 }, dataDir })
  const { topicid } = host.state.generatedSet
  const complete = await app.call('snapshots.take', { topicid })
  const readPage = (reader: ComposedApp, cursor?: string) =>
    reader.call('bridge.read', {
      ...{ endpoint: 'studySets.tree', params: { topicid } },
      query: { limit: 1_000, ...(cursor === undefined ? {} : { cursor }) },
    })
  await readPage(app)
  await startLongTake(app, topicid)
  await app.dispose()

  const nextApp = await startComposedApp(dataDir)
  const snapshots = await list(nextApp, topicid)
  expect(snapshots.some(({ id }) => id === complete.id)).toBe(true)
  for (const { id, gaps, cards } of snapshots) {
    expect({ id, isWhole: gaps.length === 0 }).toEqual({ id, isWhole: cards === complete.cards })
  }
  await expectNothingRemoved(nextApp, topicid, complete)
})
