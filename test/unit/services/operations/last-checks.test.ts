/** @module-tag slow */

import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startDemoHost } from '../../../../electron/demo-host/server.ts'
import { DEFAULT_AUTH } from '../../../../electron/services/profiles/stored-profiles.ts'
import { buildCommitDraft, startWritableApp, buildTitleDraft } from '../../../support/program/writable-app.ts'

/**
 * Makes the journal of a data directory reject events of this kind. The returned function ends
 * that.
 */
function refuseEvents(dataDir: string, kind: string): () => void {
  const database = new DatabaseSync(path.join(dataDir, 'journal.db'))
  database.exec(`CREATE TRIGGER refuse BEFORE INSERT ON events WHEN json_extract(NEW.event, '$.kind') = '${kind}'
    BEGIN SELECT RAISE(ABORT, 'disk full'); END`)
  return () => {
    database.exec('DROP TRIGGER refuse')
    database.close()
  }
}

/** Starts a write on a slow host, and changes something while its targets are read beforehand. */
async function changeDuringReadBefore(change: (app: Awaited<ReturnType<typeof startWritableApp>>) => Promise<unknown>) {
  const program = await startWritableApp({ readOnly: true })
  const { app, host, card, profileId } = program
  await app.call('operations.unlock', { profileId, scope: 'session' })
  const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Too late'))
  host.setLatency(1_000)
  const sending = app.callExpectingError('operations.send', { ticket })
  await expect.poll(async () => (await app.call('operations.list', { offset: 0, limit: 1 })).total).toBe(1)
  await change(program)
  const { code } = (await sending).wire
  const { items } = await app.call('operations.list', { offset: 0, limit: 1 })
  return { code, item: items[0], writes: program.listWrites() }
}

describe('last check before sending', () => {
  test('safety 43: does not send a write that cannot be journaled, and its record says so', async () => {
    const { app, card, listWrites, getOperation } = await startWritableApp()
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Not yet'))
    const allow = refuseEvents(app.dataDir, 'sent')
    const error = await app.callExpectingError('operations.send', { ticket })
    expect(error.wire).toMatchObject({ kind: 'refused', code: 'JOURNAL_FAILED', retryable: true })
    expect(listWrites()).toEqual([])
    const { items } = await app.call('operations.list', { offset: 0, limit: 10 })
    expect(items).toMatchObject([{ state: 'not-sent', verdict: { code: 'nothing-sent' } }])
    const { events } = await getOperation(items[0]?.id ?? '')
    expect(events.map(({ kind }) => kind)).toEqual(['intent', 'read-back', 'failure'])
    expect((await app.callExpectingError('operations.send', { ticket })).wire.code).toBe('TICKET_INVALID')
    allow()
    const preparedAgain = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Now'))
    expect((await app.call('operations.send', { ticket: preparedAgain.ticket })).summary.state).toBe('persisted')
  })

  test('safety 43: does not send a preview that cannot be journaled', async () => {
    const { app, card, listWrites } = await startWritableApp()
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Not yet'))
    const allow = refuseEvents(app.dataDir, 'intent')
    expect((await app.callExpectingError('operations.preview', { ticket })).wire.code).toBe('JOURNAL_FAILED')
    expect(listWrites()).toEqual([])
    allow()
    expect(await app.call('operations.preview', { ticket })).toMatchObject({ refusedAsExpected: true })
  })

  test('safety 40: holds a write back if the profile is locked meanwhile', async () => {
    const { code, item, writes } = await changeDuringReadBefore(({ app, profileId }) =>
      app.call('operations.unlock', { profileId, scope: 'lock' }),
    )
    expect([code, item?.state, writes]).toEqual(['READ_ONLY', 'not-sent', []])
  })

  test('safety 42: holds a write back from both hosts if another is connected meanwhile', async () => {
    const other = await startDemoHost({ nodes: 10 })
    onTestFinished(() => other.close())
    const { code, item, writes } = await changeDuringReadBefore(async ({ app }) => {
      const draft = { name: 'Other', baseUrl: other.baseUrl, auth: DEFAULT_AUTH, readOnly: false }
      const { profile } = await app.call('profiles.save', draft)
      await app.call('vault.set', { profileId: profile.id, token: other.token, remember: false })
      await app.call('connection.connect', { profileId: profile.id })
    })
    expect([code, item?.state, writes]).toEqual(['TICKET_STALE', 'not-sent', []])
    expect(other.log.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test('sends nothing without a connection, and the ticket is used up', async () => {
    const { app, card, listWrites } = await startWritableApp()
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Nobody'))
    await app.call('connection.disconnect', {})
    expect((await app.callExpectingError('operations.send', { ticket })).wire.code).toBe('NOT_CONNECTED')
    expect((await app.callExpectingError('operations.prepare', buildTitleDraft(card.noteid, 'x'))).wire.code).toBe(
      'NOT_CONNECTED',
    )
    expect(listWrites()).toEqual([])
  })
})

test('safety 43: a response that cannot be journaled reaches the page, marked as in memory only', async () => {
  const { app, card, sendDraft, listWrites } = await startWritableApp()
  const allow = refuseEvents(app.dataDir, 'answer')
  const done = await sendDraft(buildTitleDraft(card.noteid, 'Done'))
  expect(done.summary.state).toBe('persisted')
  expect(listWrites()).toHaveLength(1)
  const { notices } = await app.call('app.info', {})
  expect(notices.map(({ code }) => code)).toContain('JOURNAL_UNWRITTEN')
  allow()
  await sendDraft(buildTitleDraft(card.noteid, 'Next'))
  expect((await app.call('journal.info', {})).events).toBe(10)
})

test('safety 43: watching continues if stopping cannot be journaled, and the page learns why', async () => {
  const { app, set, card, sendDraft, getOperation } = await startWritableApp({ host: { settleMs: 60_000 } })
  const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
  const allow = refuseEvents(app.dataDir, 'given-up')
  expect((await app.callExpectingError('operations.stop', { id: summary.id })).wire.code).toBe('JOURNAL_FAILED')
  expect((await getOperation(summary.id)).summary).toMatchObject({ state: 'pending', tracking: 'polling' })
  allow()
  const { summary: stopped } = await app.call('operations.stop', { id: summary.id })
  expect(stopped).toMatchObject({ state: 'given-up', tracking: 'stopped' })
})
