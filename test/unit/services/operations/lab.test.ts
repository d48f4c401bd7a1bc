import { describe, expect, test } from 'vitest'
import type { AlterResponse } from '../../../support/hosts/altering-host.ts'
import { restartHost, startWritableApp } from '../../../support/program/writable-app.ts'

describe('the protocol lab', () => {
  test('writes to a host that is not the demo only after its plan was shown, and never under the lock', async () => {
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

  test('runs exactly what was shown, once, and on the connection it was shown for', async () => {
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
    const again = await app.call('lab.plan', input)
    await restartHost({ app, host, profileId })
    expect((await app.callExpectingError('lab.run', { ...input, plan: again.plan })).wire.code).toBe('LAB_NOT_PLANNED')
    expect(listWrites()).toHaveLength(2)
  })

  test('runs the plan of this page, whatever another one was shown meanwhile', async () => {
    const alter: AlterResponse = ({ path }) =>
      path === '/context' ? { status: 200, body: { selectedNotes: [] } } : null
    const { app, set, host, sendDraft } = await startWritableApp({ alter })
    const [one, two] = set.cards.map(({ noteid }) => noteid)
    const focus = (noteid = '') => sendDraft({ endpoint: 'notes.focus', params: { noteid }, query: {}, body: {} })
    const input = {
      probe: 'band-without-selection',
      target: { noteid: null, topicid: null, surfaceId: null, commentId: null },
    } as const
    await focus(one)
    const mine = await app.call('lab.plan', input)
    await focus(two)
    await app.call('lab.plan', input)
    const run = await app.call('lab.run', { ...input, plan: mine.plan })
    expect(run.steps[0]?.path).toBe(`/notes/${one ?? ''}/blank-bands`)
    expect(host.log.filter(({ path }) => path.includes(`${two ?? ''}/blank-bands`))).toEqual([])
  })

  test('a probe without a card is skipped, and says why', async () => {
    const { app, host } = await startWritableApp()
    host.state.openState.noteid = null
    const plan = await app.call('lab.plan', {
      probe: 'missing-confirm',
      target: { noteid: null, topicid: null, surfaceId: null, commentId: null },
    })
    expect(plan).toMatchObject({ result: 'skipped', reason: 'no-card' })
  })
})
