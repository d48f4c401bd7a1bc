/** @module-tag slow */

import { describe, expect, test } from 'vitest'
import { toRouteShape } from '../../../../shared/bridge/capabilities.ts'
import { makeStaleRevision } from '../../../../electron/services/operations/lab/probes.ts'
import type { LabProbe, LabResultReason, LabRun, LabTarget } from '../../../../shared/ipc/lab.ts'
import type { AlterResponse } from '../../../support/hosts/altering-host.ts'
import { startWritableApp } from '../../../support/program/writable-app.ts'

type Result = LabRun['result']
const nothingSelected: AlterResponse = ({ path }, { status, body }) =>
  path === '/context' ? { status, body: { ...(body as object), selectedNotes: [] } } : null

/**
 * Runs a probe against a demo host whose responses are altered on the way. A commit settles after
 * `settleMs`; without it, the first of two commits settles as soon as the second one was refused.
 */
async function runProbe(probe: LabProbe, alter: AlterResponse = () => null, settleMs?: number): Promise<LabRun> {
  let wasRefused = false
  const settlesByRefusal = settleMs === undefined && probe === 'second-unfinished-commit'
  const { app, host, set, card } = await startWritableApp({
    host: { settleMs: settleMs ?? (settlesByRefusal ? 3_600_000 : 300) },
    alter(request, response) {
      const altered = nothingSelected(request, response) ?? alter(request, response)
      const { status } = altered !== null && 'status' in altered ? altered : response
      if (request.path.endsWith('/pencil-commit') && status >= 400) wasRefused = true
      // Later commits settle as soon as their result is read.
      if (settlesByRefusal && wasRefused) host.state.writingDesk.finishCommits()
      return altered
    },
  })
  const target = { topicid: set.topicid, noteid: card.noteid, surfaceId: null, commentId: 'c-1' }
  const { plan, steps } = await app.call('lab.plan', { probe, target })
  expect(steps.length).toBeGreaterThan(0)
  return app.call('lab.run', { probe, target, plan })
}

const createError = (code: string, message = 'm') => ({ error: { code, message } })
const alterPath =
  (pattern: RegExp, status: number, body: unknown): AlterResponse =>
  ({ path }, response) =>
    pattern.test(path) && (response.status >= 400 || status >= 400) ? { status, body } : null

const ack = { schemaVersion: 1, state: 'pending', settled: false, persisted: true }
/** Alters the responses to commits, beginning with the given one. */
const alterCommits = (firstIndex: number, status: number, body: unknown): AlterResponse => {
  let count = 0
  return ({ path }) => (path.endsWith('/pencil-commit') && (count += 1) >= firstIndex ? { status, body } : null)
}
/** Refuses every commit to another layer, whatever its request id is. */
const refuseOtherLayer: AlterResponse = ({ path, body }) =>
  path.endsWith('/pencil-commit') && JSON.stringify(body).includes('lab-other')
    ? { status: 422, body: createError('LAYER_UNKNOWN') }
    : null
/**
 * Refuses a band although the demo host creates one, and removes it from all cards that are
 * read.
 */
const refuseBand =
  (status: number, body: unknown): AlterResponse =>
  (request, response) => {
    if (request.path !== '/notes/batch-get') return alterPath(/blank-bands$/, status, body)(request, response)
    const { items } = response.body as { items: object[] }
    return {
      ...response,
      body: { items: items.map((item) => ({ ...item, texts: [], bands: [], commentsRevision: '1' })) },
    }
  }
const parameterMissing = createError('PARAMETER_MISSING', 'windowId is missing')

interface ProbeCase {
  readonly probe: LabProbe
  readonly host: string
  readonly alter?: AlterResponse
  readonly settleMs?: number
  readonly result: Result
  readonly reason?: LabResultReason
}

const compliantCases: readonly ProbeCase[] = [
  { probe: 'same-request-id-again', host: 'the demo host', result: 'as-expected' },
  { probe: 'same-id-other-target', host: 'the demo host', result: 'as-expected' },
  { probe: 'second-unfinished-commit', host: 'the demo host', result: 'as-expected' },
  { probe: 'stale-expected-revision', host: 'the demo host', result: 'as-expected' },
  { probe: 'wrong-study-set', host: 'the demo host', result: 'as-expected' },
  {
    probe: 'band-without-selection',
    host: '409 with a reason',
    alter: refuseBand(409, createError('NO_SELECTION')),
    result: 'as-expected',
  },
  { probe: 'missing-confirm', host: 'the demo host', result: 'as-expected' },
  // The word "conflict" in a code proves nothing. The control request with another id or at a
  // later time does.
  {
    probe: 'same-id-other-target',
    host: 'a conflict without the word',
    alter: ({ path }, { status }) =>
      path.endsWith('-commit') && status === 409 ? { status, body: createError('E7') } : null,
    result: 'as-expected',
  },
  {
    probe: 'second-unfinished-commit',
    host: 'an unfinished commit under the name of a conflict',
    alter: ({ path }, { status }) =>
      path.endsWith('-commit') && status === 409 ? { status, body: createError('REQUEST_CONFLICT') } : null,
    result: 'as-expected',
  },
  ...([429, 409, 403, 404, 503] as const).flatMap((status): ProbeCase[] => [
    {
      probe: 'second-unfinished-commit',
      host: `an unfinished commit as ${status} WINDOW_BUSY`,
      alter: ({ path }, response) =>
        path.endsWith('-commit') && response.status === 409 ? { status, body: createError('WINDOW_BUSY') } : null,
      result: 'as-expected',
    },
    {
      probe: 'same-id-other-target',
      host: `a conflict as ${status}`,
      alter: ({ path }, response) =>
        path.endsWith('-commit') && response.status === 409 ? { status, body: createError('ID_TAKEN') } : null,
      result: 'as-expected',
    },
  ]),
  {
    probe: 'stale-expected-revision',
    host: 'a code of its own',
    alter: alterPath(/verdict$/, 412, createError('E9', 'expectedRevision is not the present one')),
    result: 'as-expected',
  },
]

const violatingCases: readonly ProbeCase[] = [
  {
    probe: 'same-request-id-again',
    host: 'answers anew',
    alter: alterCommits(2, 202, { ...ack, requestId: 'another' }),
    result: 'differs',
  },
  {
    probe: 'same-request-id-again',
    host: 'calls it a conflict',
    alter: alterCommits(2, 409, createError('CONFLICT')),
    result: 'differs',
  },
  { probe: 'same-id-other-target', host: 'takes it', alter: alterCommits(2, 202, ack), result: 'differs' },
  {
    probe: 'second-unfinished-commit',
    host: 'takes it',
    alter: alterCommits(2, 202, ack),
    settleMs: 60_000,
    result: 'differs',
  },
  {
    probe: 'wrong-study-set',
    host: 'writes it',
    alter: alterPath(/verdict$/, 200, { persisted: true }),
    result: 'differs',
  },
  {
    probe: 'band-without-selection',
    host: 'calls it done without a band',
    alter: ({ path }) => (path.endsWith('/blank-bands') ? { status: 200, body: { persisted: false } } : null),
    result: 'differs',
  },
  { probe: 'band-without-selection', host: 'no reason', alter: refuseBand(409, { error: {} }), result: 'differs' },
  {
    probe: 'band-without-selection',
    host: 'another status',
    alter: refuseBand(422, createError('NO_SELECTION')),
    result: 'differs',
  },
  {
    probe: 'band-without-selection',
    host: 'refuses it and makes it all the same',
    alter: alterPath(/blank-bands$/, 409, createError('NO_SELECTION')),
    result: 'differs',
    reason: 'changed',
  },
]

const inconclusiveCases: readonly ProbeCase[] = [
  // Spec §4 does not say that a verdict with an old revision, or a write without `confirm`, is
  // refused.
  {
    probe: 'stale-expected-revision',
    host: 'writes it',
    alter: alterPath(/verdict$/, 200, { persisted: true }),
    result: 'says-nothing',
    reason: 'left-open',
  },
  {
    probe: 'missing-confirm',
    host: 'executes it',
    alter: alterPath(/title$/, 200, { persisted: true }),
    result: 'says-nothing',
    reason: 'left-open',
  },
  {
    probe: 'second-unfinished-commit',
    host: 'has lost its token',
    alter: alterCommits(2, 401, createError('UNAUTHORIZED')),
    result: 'says-nothing',
    reason: 'other-reason',
  },
  ...(['same-request-id-again', 'same-id-other-target', 'second-unfinished-commit'] as const).map(
    (probe): ProbeCase => {
      return {
        probe,
        host: 'wants another member',
        alter: alterCommits(1, 422, parameterMissing),
        result: 'says-nothing',
        reason: 'other-reason',
      }
    },
  ),
  {
    probe: 'same-request-id-again',
    host: 'is busy',
    alter: alterCommits(2, 429, createError('BUSY')),
    result: 'says-nothing',
    reason: 'other-reason',
  },
  {
    probe: 'same-id-other-target',
    host: 'knows no such layer',
    alter: refuseOtherLayer,
    result: 'says-nothing',
    reason: 'control-too',
  },
  {
    probe: 'second-unfinished-commit',
    host: 'refuses it later as well',
    alter: alterCommits(2, 409, createError('EDITOR_OPEN')),
    result: 'says-nothing',
    reason: 'control-too',
  },
  {
    probe: 'second-unfinished-commit',
    host: 'had finished the first',
    settleMs: 0,
    result: 'says-nothing',
    reason: 'settled-too-soon',
  },
  {
    probe: 'stale-expected-revision',
    host: 'misses the comment',
    alter: alterPath(/verdict$/, 422, createError('PARAMETER_MISSING', 'commentId is missing')),
    result: 'says-nothing',
    reason: 'other-reason',
  },
  {
    probe: 'stale-expected-revision',
    host: 'dislikes its form',
    alter: alterPath(/verdict$/, 422, createError('INVALID_REVISION', 'expectedRevision must be a number')),
    result: 'says-nothing',
    reason: 'other-reason',
  },
  {
    probe: 'stale-expected-revision',
    host: 'has another study set open',
    alter: alterPath(/verdict$/, 409, createError('PRACTICE_TOPIC_CHANGED', 'not of this revision')),
    result: 'says-nothing',
    reason: 'other-reason',
  },
  {
    probe: 'wrong-study-set',
    host: 'has no configuration',
    alter: alterPath(/verdict$/, 422, createError('PRACTICE_CONFIG_UNAVAILABLE')),
    result: 'says-nothing',
    reason: 'other-reason',
  },
  { probe: 'band-without-selection', host: 'can make it', result: 'says-nothing', reason: 'could-be-made' },
  {
    probe: 'band-without-selection',
    host: 'has the study set in use',
    alter: refuseBand(409, createError('STUDY_SET_IN_USE')),
    result: 'says-nothing',
    reason: 'other-reason',
  },
  {
    probe: 'missing-confirm',
    host: 'wants a subscription',
    alter: alterPath(/title$/, 403, createError('MAX_REQUIRED')),
    result: 'says-nothing',
    reason: 'other-reason',
  },
  {
    probe: 'missing-confirm',
    host: 'misses another member',
    alter: alterPath(/title$/, 422, createError('BODY_INVALID', 'markdown is missing')),
    result: 'says-nothing',
    reason: 'other-reason',
  },
]

describe.each([
  ['keeps the rule', compliantCases],
  ['breaks the rule', violatingCases],
  ['refuses for another reason', inconclusiveCases],
] as const)('probe of a host that %s', (_, cases) => {
  test.each(cases)('$probe: $host → $result', async ({ probe, alter, settleMs, result, reason }) => {
    const run = await runProbe(probe, alter, settleMs)
    expect(run.result, JSON.stringify(run.steps, null, 1)).toBe(result)
    if (reason) expect(run.steps.map((step) => step.reason)).toContain(reason)
    // The result of a refusal for another reason is never "as expected", and its later steps
    // are not sent.
    if (result === 'says-nothing') {
      expect(run.steps.at(-1)?.result, JSON.stringify(run.steps, null, 1)).not.toBe('as-expected')
    }
  })
})

describe('target of a probe', () => {
  const nobody: LabTarget = { topicid: null, noteid: null, surfaceId: null, commentId: null }
  const createPlan = async (probe: LabProbe, alter: AlterResponse, target = nobody) => {
    const { app, set, card, host, listWrites } = await startWritableApp({ alter })
    host.state.openState.noteid = card.noteid
    const plan = await app.call('lab.plan', { probe, target })
    expect(listWrites()).toEqual([])
    return { plan, set, card }
  }

  test('comes from the host: the canvas, a comment, another study set', async () => {
    const alter: AlterResponse = ({ path }, { status, body }) => {
      if (path === '/writing/context') return { status: 200, body: { surfaces: [{ id: 'S-1', active: true }] } }
      if (path !== '/notes/batch-get') return null
      const { items } = body as { items: object[] }
      return { status, body: { items: items.map((item) => ({ ...item, comments: [{ commentId: 'C-1' }] })) } }
    }
    const commit = await createPlan('same-request-id-again', alter)
    expect(JSON.parse(commit.plan.steps[0]?.body ?? '')).toMatchObject({
      surfaceId: 'S-1',
      target: { noteid: commit.card.noteid, topicid: commit.set.topicid },
    })
    const unnamed = await createPlan('same-request-id-again', changeCard({ topicid: undefined }))
    expect(JSON.parse(unnamed.plan.steps[0]?.body ?? '')).toMatchObject({
      target: { topicid: expect.stringMatching(/./) },
    })
    const verdict = await createPlan('wrong-study-set', alter)
    const body = JSON.parse(verdict.plan.steps[0]?.body ?? '') as { practice: { topic: string } }
    expect(body).toMatchObject({ commentId: 'C-1', expectedRevision: expect.any(String) as string })
    expect(body.practice.topic).not.toBe(verdict.set.topicid)
    expect(body.practice.topic).toMatch(/^[0-9A-F-]{36}$/)
  })

  test('can be named by a person before the host is asked', async () => {
    const namedTarget = { ...nobody, surfaceId: 'mine' }
    const alter: AlterResponse = ({ path }) =>
      path === '/writing/context' ? { status: 404, body: createError('NOT_FOUND') } : null
    const { plan } = await createPlan('same-request-id-again', alter, namedTarget)
    expect(JSON.parse(plan.steps[0]?.body ?? '')).toMatchObject({ surfaceId: 'mine' })
  })

  test.each<[LabProbe, string, AlterResponse]>([
    ['same-id-other-target', 'no-surface', alterPath(/writing\/context$/, 404, createError('ROUTE_NOT_FOUND'))],
    ['missing-confirm', 'card-not-read', alterPath(/ui-state$/, 404, createError('ROUTE_NOT_FOUND'))],
    ['missing-confirm', 'card-not-read', sendAnything(/ui-state$/)],
    ['missing-confirm', 'card-not-read', unlist('GET', '/ui-state')],
    ['missing-confirm', 'card-not-read', sendAnything(/batch-get$/)],
    ['missing-confirm', 'set-not-read', changeCard({ topicid: undefined })],
    ['missing-confirm', 'title-not-read', changeCard({ title: undefined })],
    ['missing-confirm', 'title-not-read', changeCard({ title: { plain: 'a' } })],
    ['missing-confirm', 'not-listed', unlist('POST', '/notes/{noteid}/title')],
    ['same-request-id-again', 'not-listed', unlist('POST', '/writing/pencil-result')],
    ['wrong-study-set', 'not-listed', unlist('POST', '/notes/{noteid}/practice-verdict')],
    ['stale-expected-revision', 'no-comment', withoutComments],
    ['stale-expected-revision', 'no-revision', withoutRevision],
    ['wrong-study-set', 'no-other-set', withoutOthers],
    [
      'band-without-selection',
      'has-selection',
      ({ path }) => (path === '/context' ? { status: 200, body: { selectedNotes: [{ noteid: 'N' }] } } : null),
    ],
  ])('is never invented: %s is skipped with %s', async (probe, reason, alter) => {
    const { plan } = await createPlan(probe, alter)
    expect(plan).toMatchObject({ result: 'skipped', reason, steps: [], plan: null })
  })

  test.each([
    [4, 3],
    ['4', '3'],
    ['0', '1'],
    ['1f3a', '1f3b'],
    ['rev-9', 'rev-0'],
  ])('a stale revision has the same form: %s', (revision, stale) => {
    expect(makeStaleRevision(revision)).toBe(stale)
  })
})

function sendAnything(pattern: RegExp): AlterResponse {
  return ({ path }) => (pattern.test(path) ? { status: 200, body: { anything: 1 } } : null)
}

function changeCard(members: object): AlterResponse {
  return ({ path }, { status, body }) => {
    if (path !== '/notes/batch-get') return null
    const { items } = body as { items: object[] }
    return { status, body: { items: items.map((item) => ({ ...item, ...members })) } }
  }
}

/** Serves all routes, and leaves one of them out of the list. */
function unlist(method: string, routePath: string): AlterResponse {
  return ({ path }, { status, body }) => {
    if (path !== '/capabilities') return null
    const { routes } = body as { routes: { method: string; path: string }[] }
    const listedRoutes = routes.filter(
      (route) => toRouteShape(route.method, route.path) !== toRouteShape(method, routePath),
    )
    expect(listedRoutes).toHaveLength(routes.length - 1)
    return { status, body: { ...(body as object), routes: listedRoutes } }
  }
}

function withoutComments({ path }: Parameters<AlterResponse>[0], { status, body }: Parameters<AlterResponse>[1]) {
  if (path !== '/notes/batch-get') return null
  const [item] = (body as { items: Record<string, unknown>[] }).items
  return { status, body: { items: [{ ...item, texts: [], bands: [], practice: [], comments: [] }] } }
}
function withoutOthers({ path }: Parameters<AlterResponse>[0], { status, body }: Parameters<AlterResponse>[1]) {
  if (path === '/library/study-sets') return { status, body: { studySets: [] } }
  if (path !== '/notes/batch-get') return null
  const [item] = (body as { items: Record<string, unknown>[] }).items
  return { status, body: { items: [{ ...item, comments: ['c'] }] } }
}
function withoutRevision({ path }: Parameters<AlterResponse>[0], { status, body }: Parameters<AlterResponse>[1]) {
  if (path !== '/notes/batch-get') return null
  const [item] = (body as { items: Record<string, unknown>[] }).items
  return { status, body: { items: [{ ...item, comments: ['c'], commentsRevision: undefined }] } }
}
