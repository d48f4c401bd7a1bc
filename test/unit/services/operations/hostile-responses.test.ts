/** @module-tag slow */

import { describe, expect, test } from 'vitest'
import { buildCommitDraft, startWritableApp, buildTitleDraft } from '../../../support/program/writable-app.ts'

const saved = { settled: true, outcome: 'saved', persistedSnapshotVerified: true, snapshotCurrent: true }
const long = 'x'.repeat(250_000)

describe('hostile response', () => {
  test('has no effect with a revision that is neither text nor number', async () => {
    const oddRevision = { toString: 1 }
    const { app, card, set, sendDraft } = await startWritableApp({
      alter: ({ path }, { status, body }) => {
        if (path.endsWith('/practice-verdict'))
          return { status: 200, body: { persisted: true, commentsRevision: oddRevision } }
        if (!path.endsWith('/batch-get')) return null
        const items = (body as { items: object[] }).items.map((item) => ({ ...item, commentsRevision: oddRevision }))
        return { status, body: { ...(body as object), items } }
      },
    })
    const body = { expectedRevision: '1', practice: { topic: set.topicid }, self: 'again', reason: 'careless' }
    const params = { noteid: card.noteid }
    const { summary } = await sendDraft({ endpoint: 'notes.practiceVerdict', params, query: {}, body })
    expect(summary.verdict.code).toBe('saved-unverified')
    expect((await app.call('operations.list', { offset: 0, limit: 10 })).total).toBe(1)
  })

  test('ends a command by an error beside the outcome, whatever its code is', async () => {
    const error = { code: 'LAYER_NOT_FOUND', message: 'm' }
    const failed = { settled: true, outcome: 'failed', persistedSnapshotVerified: false, error }
    const { sendDraft, getOperation, set, card } = await startWritableApp({
      alter: ({ path }) => (path.endsWith('/pencil-result') ? { status: 200, body: failed } : null),
    })
    const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    await expect.poll(async () => (await getOperation(summary.id)).summary.state).toBe('settled')
    expect((await getOperation(summary.id)).summary).toMatchObject({
      errorCode: 'LAYER_NOT_FOUND',
      verdict: { code: 'settled-not-saved' },
    })
  })

  test('is judged completely and stored in part if it is a long result', async () => {
    const { sendDraft, getOperation, set, card } = await startWritableApp({
      alter: ({ path }, { body }) =>
        path.endsWith('/pencil-result')
          ? { status: 200, body: { receipt: long, ...(body as object), ...saved, more: { of: [long] } } }
          : null,
    })
    const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    await expect.poll(async () => (await getOperation(summary.id)).summary.state).toBe('settled')
    const { events, summary: current } = await getOperation(summary.id)
    expect(current.verdict.code).toBe('saved-and-verified')
    const pollEvent = events.find((event) => event.kind === 'observation')
    expect(pollEvent).toMatchObject({ cut: true, body: { settled: true } })
    expect(JSON.stringify(pollEvent).length).toBeLessThan(30_000)
  })

  test('keeps its meaning if it is a long response or refusal', async () => {
    const error = { code: 'CONFIRM_REQUIRED', message: 'm', details: { cards: long } }
    const { app, card, sendDraft } = await startWritableApp({
      alter: ({ path }, { status, body }) => {
        if (!path.endsWith('/title')) return null
        return status === 422 ? { status, body: { error } } : { status, body: { ...(body as object), note: long } }
      },
    })
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'New'))
    expect(await app.call('operations.preview', { ticket })).toMatchObject({ refusedAsExpected: true, spent: false })
    const { summary } = await sendDraft(buildTitleDraft(card.noteid, 'New'))
    expect(summary).toMatchObject({ state: 'persisted', verdict: { persisted: true } })
  })

  test('is stored in part if it is an error of a read-back', async () => {
    const error = { code: 'ODD', message: 'm', details: { x: 'x'.repeat(3_000_000) } }
    const { card, sendDraft } = await startWritableApp({
      alter: ({ path }) => (path.endsWith('/batch-get') ? { status: 422, body: { error } } : null),
    })
    const { events } = await sendDraft(buildTitleDraft(card.noteid, 'New'))
    const sizes = events.filter(({ kind }) => kind === 'read-back').map((event) => JSON.stringify(event).length)
    expect(sizes).toHaveLength(2)
    expect(Math.max(...sizes)).toBeLessThan(30_000)
  })

  test('does not turn an unanswered commit that is given up into an accepted one', async () => {
    const { app, sendDraft, set, card } = await startWritableApp({
      alter: ({ path }) => (/pencil-(commit|result)$/.test(path) ? { status: 502, body: 'bad gateway' } : null),
    })
    const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    expect(summary.state).toBe('unknown-no-answer')
    const { summary: current } = await app.call('operations.stop', { id: summary.id })
    expect([current.state, current.verdict.code]).toEqual(['given-up', 'unknown-not-read-back'])
  })

  test.each([
    ['a text', 'nothing was written: '.repeat(150)],
    ['a list', Array.from({ length: 300 }, () => 'failed')],
    ['an object', { code: 'X', message: 'm'.repeat(9_000) }],
  ])('is an error in a long response if the error is %s', async (_, error) => {
    const fill = Object.fromEntries(Array.from({ length: 12 }, (__, n) => [`f${n}`, 'x'.repeat(20_000)]))
    const { card, sendDraft } = await startWritableApp({
      alter: ({ path }) =>
        path.endsWith('/title') ? { status: 200, body: { ...fill, persisted: true, error } } : null,
    })
    const { summary } = await sendDraft(buildTitleDraft(card.noteid, 'New'))
    expect([summary.state, summary.verdict.code]).toEqual(['refused', 'refused-changed'])
  })

  test('keeps the record of a preview with an unknown outcome, whatever its code is', async () => {
    const error = { code: 'CONFIRM_REQUIRED_BY_PROXY', message: 'm' }
    const { app, card } = await startWritableApp({
      alter: ({ path }) => (path.endsWith('/title') ? { status: 500, body: { error } } : null),
    })
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'New'))
    const preview = await app.call('operations.preview', { ticket })
    expect(preview).toMatchObject({ spent: true, refusedAsExpected: false })
    expect((await app.call('operations.get', { id: preview.operationId ?? '' })).summary.state).toBe(
      'unknown-no-answer',
    )
  })
})
