/** @module-tag slow */

import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startComposedApp } from '../../../support/program/composed-app.ts'
import { buildCommitDraft, startWritableApp, buildTitleDraft } from '../../../support/program/writable-app.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test.each(['writing.pencilCommit', 'notes.title'])(
  'the outcome of %s, under way when the program ends, is not read until the next start',
  async (endpoint) => {
    let hasArrived = false
    const stallWrite = (id: string) => {
      if (id !== endpoint) return null
      hasArrived = true
      return 'stall' as const
    }
    const { app, host, set, card, listWrites } = await startWritableApp({ host: { chooseFault: stallWrite } })
    const draft =
      endpoint === 'notes.title' ? buildTitleDraft(card.noteid, 'T') : buildCommitDraft(set.topicid, card.noteid, 'r-1')
    const { ticket } = await app.call('operations.prepare', draft)
    const sending = app.call('operations.send', { ticket }).catch(() => undefined)
    const readState = async () => (await app.call('operations.list', { offset: 0, limit: 10 })).items[0]?.state
    await expect.poll(readState).toBe('sent')
    await expect.poll(() => hasArrived).toBe(true)
    await app.dispose()
    await sending
    await expect.poll(() => listWrites().length).toBe(1)
    await pause(1_000)
    const [lastWrite] = listWrites()
    expect(host.log.slice(host.log.findIndex((entry) => entry === lastWrite) + 1)).toEqual([])
    const next = await startComposedApp(app.dataDir, ['--demo-nodes', '10'])
    const { items } = await next.call('operations.list', { offset: 0, limit: 10 })
    expect(items).toMatchObject([{ state: 'unknown-app-ended' }])
  },
)

function createNewerJournal(dataDir: string): void {
  const database = new DatabaseSync(path.join(dataDir, 'journal.db'))
  database.exec('PRAGMA user_version = 99')
  database.close()
}

test.each(['sqlite', 'none'] as const)(
  'safety 43: a write that is not sent before the program ends is never sent (journal: %s)',
  async (kind) => {
    const dataDir = createTempDir()
    if (kind === 'none') createNewerJournal(dataDir)
    let isStalling = false
    let hasArrived = false
    const stallReadBefore = (id: string) => {
      if (!isStalling || id !== 'notes.batchGet') return null
      hasArrived = true
      return 'stall' as const
    }
    const { app, host, card, listWrites } = await startWritableApp({ dataDir, host: { chooseFault: stallReadBefore } })
    expect((await app.call('journal.info', {})).kind).toBe(kind)
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'T'))
    isStalling = true
    const countReads = (): number => host.log.filter((entry) => entry.path.endsWith('/notes/batch-get')).length
    const readsBefore = countReads()
    const sending = app.call('operations.send', { ticket }).catch(() => undefined)
    await expect.poll(() => hasArrived).toBe(true)
    expect((await app.call('operations.list', { offset: 0, limit: 10 })).total).toBe(1)
    await app.dispose()
    await sending
    await expect.poll(countReads).toBe(readsBefore + 1)
    await pause(800)
    expect(listWrites()).toEqual([])
  },
)
