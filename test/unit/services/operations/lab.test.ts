/** @module-tag slow */

import { describe, expect, test } from 'vitest'
import type { AlterResponse } from '../../../support/hosts/altering-host.ts'
import { restartHost, startWritableApp } from '../../../support/program/writable-app.ts'

describe('protocol lab', () => {
  test('writes to a real host only after its plan was shown, and never while the profile is locked', async () => {
    const { app, set, card, profileId, listWrites } = await startWritableApp()
    const input = {
      probe: 'same-request-id-again',
      target: { topicid: set.topicid, noteid: card.noteid, surfaceId: 'main', commentId: 'c-1' },
    } as const
    expect((await app.callExpectingError('lab.run', { ...input, plan: null })).wire.code).toBe('LAB_NOT_PLANNED')
    const { plan } = await app.call('lab.plan', input)
    await app.call('operations.unlock', { profileId, scope: 'lock' })
    expect((await app.callExpectingError('lab.run', { ...input, plan })).wire.code).toBe('READ_ONLY')
    expect(listWrites()).toEqual([])
  })

  test('runs exactly the plan that was shown, once, on the same connection', async () => {
    const { app, set, card, host, profileId, listWrites } = await startWritableApp()
    const input = {
      probe: 'same-request-id-again',
      target: { topicid: set.topicid, noteid: card.noteid, surfaceId: 'main', commentId: 'c-1' },
    } as const
    const { plan, steps } = await app.call('lab.plan', input)
    const run = await app.call('lab.run', { ...input, plan })
    expect(run.steps.map(({ body }) => body)).toEqual(steps.map(({ body }) => body))
    expect(listWrites()).toHaveLength(2)
    const [id = ''] = run.steps.map(({ operationId }) => operationId ?? '')
    expect((await app.call('operations.get', { id })).summary.caller).toBe('lab')
    expect((await app.callExpectingError('lab.run', { ...input, plan })).wire.code).toBe('LAB_NOT_PLANNED')
    const secondPlan = await app.call('lab.plan', input)
    await restartHost({ app, host, profileId })
    expect((await app.callExpectingError('lab.run', { ...input, plan: secondPlan.plan })).wire.code).toBe(
      'LAB_NOT_PLANNED',
    )
    expect(listWrites()).toHaveLength(2)
  })

  test('runs the plan of this page, whatever another page was shown meanwhile', async () => {
    const alter: AlterResponse = ({ path }) =>
      path === '/context' ? { status: 200, body: { selectedNotes: [] } } : null
    const { app, set, host, sendDraft } = await startWritableApp({ alter })
    const [first, second] = set.cards.map(({ noteid }) => noteid)
    const focusCard = (noteid = '') => sendDraft({ endpoint: 'notes.focus', params: { noteid }, query: {}, body: {} })
    const input = {
      probe: 'band-without-selection',
      target: { noteid: null, topicid: null, surfaceId: null, commentId: null },
    } as const
    await focusCard(first)
    const ownPlan = await app.call('lab.plan', input)
    await focusCard(second)
    await app.call('lab.plan', input)
    const run = await app.call('lab.run', { ...input, plan: ownPlan.plan })
    expect(run.steps[0]?.path).toBe(`/notes/${first ?? ''}/blank-bands`)
    expect(host.log.filter(({ path }) => path.includes(`${second ?? ''}/blank-bands`))).toEqual([])
  })

  test('skips a probe without a card, and says why', async () => {
    const { app, host } = await startWritableApp()
    host.state.openState.noteid = null
    const plan = await app.call('lab.plan', {
      probe: 'missing-confirm',
      target: { noteid: null, topicid: null, surfaceId: null, commentId: null },
    })
    expect(plan).toMatchObject({ result: 'skipped', reason: 'no-card' })
  })
})
