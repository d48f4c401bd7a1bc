/** @module-tag slow */

import { expect, test } from 'vitest'
import {
  buildCommitDraft,
  restartHost,
  startWritableApp,
  buildTitleDraft,
} from '../../../support/program/writable-app.ts'

const saved = { settled: true, outcome: 'saved', persistedSnapshotVerified: true }
const filterReadsAfter = (events: readonly { kind: string }[]) =>
  events.filter((event) => event.kind === 'read-back' && Reflect.get(event, 'when') === 'after')

test('a command that ends by a manual check is also read back', async () => {
  const { app, sendDraft, set, card } = await startWritableApp({
    alter: ({ path }, { body }) =>
      path.endsWith('/pencil-result') ? { status: 200, body: { ...(body as object), ...saved } } : null,
  })
  const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
  const polled = await app.call('operations.look', { id: summary.id })
  expect(polled.summary.state).toBe('settled')
  expect(filterReadsAfter(polled.events)).toHaveLength(1)
})

test('a command that ends while its host goes away is read back once the host returns', async () => {
  let isAway = false
  const { app, sendDraft, getOperation, set, card, profileId } = await startWritableApp({
    alter: ({ path }, { body }) => {
      if (path.endsWith('/pencil-result')) {
        isAway = true
        return { status: 200, body: { ...(body as object), ...saved } }
      }
      const error = { code: 'APP_NOT_RESPONDING', message: 'm' }
      return isAway && path.endsWith('/batch-get') ? { status: 503, body: { error } } : null
    },
  })
  const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
  const fetchReadsAfter = async () => filterReadsAfter((await getOperation(summary.id)).events)
  await expect.poll(async () => (await fetchReadsAfter()).length).toBe(1)
  isAway = false
  await app.call('connection.connect', { profileId })
  await expect.poll(async () => (await fetchReadsAfter()).at(-1)).toMatchObject({ error: null })
})

test('a watched foreign request is read back if the host names its target', async () => {
  const { app, host, set, card } = await startWritableApp({ host: { settleMs: 200 } })
  const target = { topicid: set.topicid, noteid: card.noteid, layerId: '' }
  host.state.writingDesk.commit({ surfaceId: 's', requestId: 'theirs', target })
  const { summary } = await app.call('operations.watch', { requestId: 'theirs' })
  expect(summary).toMatchObject({ noteid: card.noteid, topicid: set.topicid })
  await expect
    .poll(async () => filterReadsAfter((await app.call('operations.get', { id: summary.id })).events).length)
    .toBe(1)
})

test('a refused command is not polled, because its request id belongs to another', async () => {
  const { app, sendDraft, set, card } = await startWritableApp({ host: { settleMs: 0 } })
  await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
  const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1', 'other'))
  expect(summary.state).toBe('conflict')
  expect((await app.callExpectingError('operations.look', { id: summary.id })).wire.code).toBe('NOTHING_TO_LOOK_AT')
})

test('a failed read-back does not clear the mark that a record predates the restart', async () => {
  let isBroken = false
  const error = { code: 'X', message: 'm' }
  const program = await startWritableApp({
    alter: ({ path }) => (isBroken && path.endsWith('/batch-get') ? { status: 400, body: { error } } : null),
  })
  const { app, card, sendDraft, getOperation } = program
  const { summary } = await sendDraft(buildTitleDraft(card.noteid, 'New'))
  await restartHost(program)
  const isEarlier = async () => (await getOperation(summary.id)).summary.beforeRestart
  await expect.poll(isEarlier).toBe(true)
  isBroken = true
  expect(await app.call('operations.readBackAll', {})).toEqual({ read: 0, failed: 1, nothing: 0 })
  expect(await isEarlier()).toBe(true)
  isBroken = false
  expect(await app.call('operations.readBackAll', {})).toEqual({ read: 1, failed: 0, nothing: 0 })
  expect(await isEarlier()).toBe(false)
})

test('a lost commit is not resumed at every connection', async () => {
  const program = await startWritableApp()
  const { app, set, card, sendDraft, getOperation, profileId } = program
  const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
  await restartHost(program)
  await expect.poll(async () => (await getOperation(summary.id)).summary.tracking).toBe('ended')
  await expect.poll(async () => filterReadsAfter((await getOperation(summary.id)).events).length).toBe(1)
  const { events } = await getOperation(summary.id)
  for (let times = 0; times < 2; times += 1) {
    await app.call('connection.disconnect', {})
    await app.call('connection.connect', { profileId })
    await new Promise((resolve) => setTimeout(resolve, 1_200))
  }
  expect((await getOperation(summary.id)).events).toHaveLength(events.length)
})

test('a single check of a stopped command does not start watching', async () => {
  const { app, set, card, sendDraft } = await startWritableApp({ host: { settleMs: 60_000 } })
  const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
  await app.call('operations.stop', { id: summary.id })
  const polled = await app.call('operations.look', { id: summary.id })
  expect([polled.summary.state, polled.summary.tracking]).toEqual(['given-up', 'stopped'])
})
