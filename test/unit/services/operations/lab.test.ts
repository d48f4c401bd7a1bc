import { describe, expect, test } from 'vitest'
import type { Alter } from '../../../support/altering-host.ts'
import { restarted, running } from '../../../support/writing.ts'

describe('the protocol lab', () => {
  const probes = [
    'same-request-id-again',
    'same-id-other-target',
    'second-unfinished-commit',
    'stale-expected-revision',
    'wrong-study-set',
    'missing-confirm',
  ] as const

  test.each(probes)('%s: the host does what the contract says', async (probe) => {
    const { app, set, card } = await running()
    const target = { topicid: set.topicid, noteid: card.noteid }
    const plan = await app.call('lab.plan', { probe, target })
    expect(plan.steps.every(({ result, actual }) => result === 'planned' && actual === null)).toBe(true)
    const run = await app.call('lab.run', { probe, target, plan: plan.plan })
    expect(run.steps.map(({ result }) => result)).toEqual(plan.steps.map(() => 'as-expected'))
  })

  test('writes to a host other than the demo only after its plan was shown, and never under the lock', async () => {
    const { app, set, card, profileId, writes } = await running()
    const input = { probe: 'same-request-id-again', target: { topicid: set.topicid, noteid: card.noteid } } as const
    expect((await app.failure('lab.run', { ...input, plan: null })).wire.code).toBe('LAB_NOT_PLANNED')
    const { plan } = await app.call('lab.plan', input)
    await app.call('operations.unlock', { profileId, scope: 'lock' })
    expect((await app.failure('lab.run', { ...input, plan })).wire.code).toBe('READ_ONLY')
    expect(writes()).toEqual([])
  })

  test('runs exactly what was shown, once, and on the connection it was shown for', async () => {
    const { app, set, card, host, profileId, writes } = await running()
    const input = { probe: 'same-request-id-again', target: { topicid: set.topicid, noteid: card.noteid } } as const
    const { plan, steps } = await app.call('lab.plan', input)
    const run = await app.call('lab.run', { ...input, plan })
    expect(run.steps.map(({ body }) => body)).toEqual(steps.map(({ body }) => body))
    expect(writes()).toHaveLength(2)
    expect((await app.failure('lab.run', { ...input, plan })).wire.code).toBe('LAB_NOT_PLANNED')
    const again = await app.call('lab.plan', input)
    await restarted({ app, host, profileId })
    expect((await app.failure('lab.run', { ...input, plan: again.plan })).wire.code).toBe('LAB_NOT_PLANNED')
    expect(writes()).toHaveLength(2)
  })

  test('runs the plan of this page, whatever another one was shown meanwhile', async () => {
    const { app, set, host, sendOf } = await running()
    const [one, two] = set.cards.map(({ noteid }) => noteid)
    const focus = (noteid = '') => sendOf({ endpoint: 'notes.focus', params: { noteid }, query: {}, body: {} })
    const input = { probe: 'band-without-selection', target: { noteid: null, topicid: null } } as const
    await focus(one)
    const mine = await app.call('lab.plan', input)
    await focus(two)
    await app.call('lab.plan', input)
    const run = await app.call('lab.run', { ...input, plan: mine.plan })
    expect(run.steps[0]?.path).toBe(`/notes/${one ?? ''}/blank-bands`)
    expect(host.log.filter(({ path }) => path.includes(`${two ?? ''}/blank-bands`))).toEqual([])
  })

  const runAgainst = async (probe: (typeof probes)[number], alter: Alter) => {
    const { app, set, card } = await running({ alter })
    const input = { probe, target: { topicid: set.topicid, noteid: card.noteid } }
    const { plan } = await app.call('lab.plan', input)
    return app.call('lab.run', { ...input, plan })
  }

  test('a refusal before the rule is checked is no proof of it, and what follows is not sent', async () => {
    const error = { code: 'MAX_REQUIRED', message: 'm' }
    const refuses: Alter = ({ path }, { status }) =>
      /pencil-commit|practice-verdict/.test(path) && status !== 200 ? { status: 403, body: { error } } : null
    const stale = await runAgainst('stale-expected-revision', refuses)
    expect(stale).toMatchObject({ result: 'failed', steps: [{ result: 'failed', reason: 'says-nothing' }] })
    const second = await runAgainst('second-unfinished-commit', refuses)
    expect(second.steps).toMatchObject([
      { result: 'failed', reason: 'says-nothing' },
      { result: 'skipped', reason: 'went-otherwise', actual: null, operationId: null },
    ])
  })

  test('a refusal of a second commit proves the rule, whatever its code', async () => {
    const error = { code: 'WINDOW_BUSY', message: 'm' }
    const run = await runAgainst('second-unfinished-commit', (_, { status }) =>
      status === 409 ? { status, body: { error } } : null,
    )
    expect(run.steps.map(({ result }) => result)).toEqual(['as-expected', 'as-expected'])
  })

  test('a second answer that is not the original one differs', async () => {
    let answers = 0
    const run = await runAgainst('same-request-id-again', ({ path }, { status, body }) =>
      path.endsWith('/pencil-commit') ? { status, body: { ...(body as object), receipt: (answers += 1) } } : null,
    )
    expect(run.steps.map(({ result }) => result)).toEqual(['as-expected', 'differs'])
  })

  test('an id conflict is not a refusal of a second commit', async () => {
    const error = { code: 'REQUEST_CONFLICT', message: 'm' }
    let answers = 0
    const run = await runAgainst('second-unfinished-commit', ({ path }) =>
      path.endsWith('/pencil-commit') && (answers += 1) === 2 ? { status: 409, body: { error } } : null,
    )
    expect(run.steps.map(({ result }) => result)).toEqual(['as-expected', 'differs'])
  })

  test('a probe without a card is skipped, and says why', async () => {
    const { app, host } = await running()
    host.state.open.noteid = null
    const plan = await app.call('lab.plan', { probe: 'missing-confirm', target: { topicid: null, noteid: null } })
    expect(plan).toMatchObject({ result: 'skipped', reason: 'no-card' })
  })
})
