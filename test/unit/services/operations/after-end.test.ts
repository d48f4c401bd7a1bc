import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { tempDir } from '../../../support/data/data-dir.ts'
import { startComposed } from '../../../support/program/composed.ts'
import { commit, running, title } from '../../../support/program/writing.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test.each(['writing.pencilCommit', 'notes.title'])(
  '%s running when the program ends is not followed up until the next start',
  async (endpoint) => {
    const faultFor = (id: string) => (id === endpoint ? ('stall' as const) : null)
    const { app, host, set, card, writes } = await running({ host: { chooseFault: faultFor } })
    const draft = endpoint === 'notes.title' ? title(card.noteid, 'T') : commit(set.topicid, card.noteid, 'r-1')
    const { ticket } = await app.call('operations.prepare', draft)
    const sending = app.call('operations.send', { ticket }).catch(() => undefined)
    const state = async () => (await app.call('operations.list', { offset: 0, limit: 10 })).items[0]?.state
    await expect.poll(state).toBe('sent')
    await pause(100)
    await app.dispose()
    await sending
    await expect.poll(() => writes().length).toBe(1)
    await pause(1_000)
    const [write] = writes()
    expect(host.log.slice(host.log.findIndex((entry) => entry === write) + 1)).toEqual([])
    const next = await startComposed(app.dataDir, ['--demo-nodes', '10'])
    const { items } = await next.call('operations.list', { offset: 0, limit: 10 })
    expect(items).toMatchObject([{ state: 'unknown-app-ended' }])
  },
)

function newerJournal(dataDir: string): void {
  const database = new DatabaseSync(path.join(dataDir, 'journal.db'))
  database.exec('PRAGMA user_version = 99')
  database.close()
}

test.each(['sqlite', 'none'] as const)(
  'safety 43: what had not been sent when the program ends is not sent (journal: %s)',
  async (kind) => {
    const dataDir = tempDir()
    if (kind === 'none') newerJournal(dataDir)
    const { app, host, card, writes } = await running({ dataDir })
    expect((await app.call('journal.info', {})).kind).toBe(kind)
    const { ticket } = await app.call('operations.prepare', title(card.noteid, 'T'))
    host.setLatency(200)
    const asked = (): number => host.log.filter((entry) => entry.path.endsWith('/notes/batch-get')).length
    const sending = app.call('operations.send', { ticket }).catch(() => undefined)
    await expect.poll(async () => (await app.call('operations.list', { offset: 0, limit: 10 })).total).toBe(1)
    await app.dispose()
    await sending
    await expect.poll(asked).toBe(1)
    await pause(800)
    expect(writes()).toEqual([])
  },
)
