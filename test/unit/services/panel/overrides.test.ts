/** @module-tag slow */

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { formatOverrides } from '../../../../electron/services/panel/overrides/overrides-text.ts'
import { OVERRIDES_FILE, type OverrideRule } from '../../../../shared/panel/overrides.ts'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import { startComposedApp, type ComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'

const createRule = (id: string, match: OverrideRule['match'], action: OverrideRule['answer']): OverrideRule => ({
  ...{ id, name: `Rule ${id}`, on: true, match, answer: action, delayMs: 0 },
})
const createCannedAction = (body: string): OverrideRule['answer'] => ({
  kind: 'canned',
  status: 203,
  headers: [['Content-Type', 'application/json']],
  body,
  base64: false,
})

/** Opens a panel, and returns a function that requests a path as its page does. */
async function openPanel(flags: string[] = []) {
  const folder = path.join(createTempDir(), 'panel')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'index.html'), '<title>Mine</title>')
  const composed = await startComposedApp(createTempDir(), flags)
  let id = ''
  composed.app.panel.setListener({
    getOrigin(originId) {
      id = originId
      return 'http://panel.test'
    },
    frameAncestors: "'none'",
  })
  await composed.call('panel.open', { source: { kind: 'folder', path: folder } })
  await composed.call('panel.get', {})
  const requestPath = async (pathWithQuery: string, init?: RequestInit): Promise<Response> => {
    const originServer = composed.app.panel.findOriginServer(id)
    if (!originServer) throw new Error('no panel')
    return originServer.serve(new Request(`http://panel.test/bridge/v1${pathWithQuery}`, init))
  }
  const saveRules = (...rules: OverrideRule[]) => composed.call('panel.saveOverrides', { rules })
  return { composed, ask: requestPath, save: saveRules, folder }
}

/** Returns the exchanges of the panel once there are this many, newest first. */
async function waitForRows({ call }: ComposedApp, count: number): Promise<readonly ExchangeRow[]> {
  return vi.waitFor(async () => {
    const filter = { origins: ['panel' as const] }
    const { bytes } = await call('traffic.find', { filter, sort: { by: 'time', descending: true } })
    const { rows } = await call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })
    expect(rows).toHaveLength(count)
    return rows
  })
}

test('a panel with rules for everything runs without a host, and each response names its rule', async () => {
  const { composed, ask, save } = await openPanel()
  expect((await ask('/notes/N1')).status).toBe(403)
  await save(
    createRule('note', { method: 'GET', path: '/notes/{noteid}' }, createCannedAction('{"title":"Mine"}')),
    createRule('pair', { method: '*', path: '/pair*' }, createCannedAction('{}')),
    createRule('cut', { method: 'GET', path: '/cut' }, { kind: 'fault', fault: 'cut' }),
    createRule('rest', { method: '*', path: '*' }, { kind: 'fault', fault: 'rate-limit', retryAfterSeconds: 3 }),
  )
  const note = await ask('/notes/N1')
  expect([note.status, await note.text()]).toEqual([203, '{"title":"Mine"}'])
  const limited = await ask('/anything', { method: 'POST', body: '{}' })
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '3'])
  expect(await limited.json()).toMatchObject({ error: { code: 'RATE_LIMITED', retryAfterSeconds: 3 } })
  await expect((await ask('/cut')).text()).rejects.toThrow()
  // A route that returns a token is on no list, whatever the rules are.
  expect((await ask('/pair', { method: 'POST', body: '{}' })).status).toBe(403)
  const rows = await waitForRows(composed, 5)
  expect(
    rows.map(({ path: callPath, rule: ruleName, status, errorCode }) => [callPath, ruleName, status, errorCode]),
  ).toEqual([
    ['/pair', 'not-allowed', 403, 'IN_PROCESS_NOT_ALLOWED'],
    ['/cut', 'Rule cut', 200, 'CUT_BY_RULE'],
    ['/anything', 'Rule rest', 429, 'RATE_LIMITED'],
    ['/notes/N1', 'Rule note', 203, null],
    ['/notes/N1', 'not-allowed', 403, 'IN_PROCESS_NOT_ALLOWED'],
  ])
  const { call } = await composed.call('panel.call', { exchangeId: rows[3]?.id ?? '' })
  expect(call).toMatchObject({
    decision: 'override',
    reason: { code: 'overridden', params: { rule: 'Rule note' } },
    answer: { body: '{"title":"Mine"}' },
  })
})

test('a hanging call is shown in traffic, and ends when the page aborts it', async () => {
  const { composed, ask, save } = await openPanel()
  await save(createRule('hang', { method: '*', path: '*' }, { kind: 'fault', fault: 'hang' }))
  const abort = new AbortController()
  const pendingResponse = ask('/notes/N1', { signal: abort.signal })
  await vi.waitFor(() => {
    const pushed = composed.events.findLast(({ topic }) => topic === 'traffic.changed')
    expect(pushed?.payload).toMatchObject({ pending: [{ path: '/notes/N1', rule: 'Rule hang' }] })
  })
  abort.abort()
  expect((await pendingResponse).type).toBe('error')
  expect(await waitForRows(composed, 1)).toMatchObject([{ state: 'cancelled', rule: 'Rule hang' }])
})

test('a rule applies after the allow list, changes the host’s response, and repeats a recorded exchange', async () => {
  const { composed, ask, save } = await openPanel(['--demo', '--demo-nodes', '10'])
  await vi.waitFor(async () => {
    const { allow } = await composed.call('panel.get', {})
    expect(allow.from).not.toBe('nowhere')
  })
  const plain = await ask('/library/study-sets')
  const body = await plain.text()
  expect(plain.status).toBe(200)
  const [row] = await waitForRows(composed, 1)
  if (!row) throw new Error('no exchange')

  await save(
    createRule('secret', { method: 'GET', path: '/no/such/route' }, createCannedAction('{}')),
    createRule(
      'change',
      { method: 'GET', path: '/library/study-sets' },
      {
        kind: 'change',
        changes: [
          { do: 'set', at: '/studySets', value: [] },
          { do: 'set', at: '/bridgeApiVersion/deep', value: 1 },
          { do: 'remove', at: '/not/there' },
        ],
      },
    ),
  )
  expect((await ask('/no/such/route')).status).toBe(403)
  const changed = await ask('/library/study-sets')
  expect(await changed.json()).toEqual({ ...(JSON.parse(body) as object), studySets: [] })
  const [second] = await waitForRows(composed, 3)
  expect(second).toMatchObject({ rule: 'Rule change', status: 200, bytes: Buffer.byteLength(body) })
  const { call } = await composed.call('panel.call', { exchangeId: second?.id ?? '' })
  expect(call?.reason.params).toEqual({ rule: 'Rule change' })
  expect(call?.changes).toMatchObject([
    { member: '/studySets', to: '[]', why: 'override' },
    { member: '/bridgeApiVersion/deep', why: 'override-missed' },
  ])

  await save(await composed.call('panel.ruleFrom', { seq: row.seq }))
  await composed.call('connection.disconnect', {})
  const repeated = await ask('/library/study-sets')
  expect([repeated.status, await repeated.text()]).toEqual([200, body])
})

test('one rule with nth answers only one call of each load, and a member of the body selects calls', async () => {
  const { ask, save } = await openPanel()
  await save(
    createRule('first', { method: 'GET', path: '/notes/{noteid}', nth: 1 }, createCannedAction('first')),
    createRule('rest', { method: 'GET', path: '/notes/{noteid}' }, createCannedAction('later')),
    createRule(
      'practice',
      { method: 'POST', path: '*', body: [{ at: '/target/noteid', equals: 'N1' }] },
      createCannedAction('N1'),
    ),
    createRule('all', { method: 'POST', path: '*' }, createCannedAction('other')),
  )
  const askText = async (path: string, init?: RequestInit): Promise<string> => (await ask(path, init)).text()
  expect([await askText('/notes/A'), await askText('/notes/B')]).toEqual(['first', 'later'])
  const post = (body: string): Promise<string> => askText('/writing', { method: 'POST', body })
  expect([await post('{"target":{"noteid":"N1"}}'), await post('{"target":{}}'), await post('no JSON')]).toEqual([
    'N1',
    'other',
    'other',
  ])
})

test('rules with nth 1, 2 and 3 answer a sequence of calls', async () => {
  const { ask, save } = await openPanel()
  const createNth = (nth: number) =>
    createRule(`rule ${nth}`, { method: 'GET', path: '/notes/{noteid}', nth }, createCannedAction(String(nth)))
  await save(createNth(1), createNth(2), createNth(3))
  const texts: string[] = []
  for (let count = 0; count < 3; count += 1) texts.push(await (await ask('/notes/A')).text())
  expect(texts).toEqual(['1', '2', '3'])
})

test('an edit of the file by another program is applied', async () => {
  const { composed, ask, save, folder } = await openPanel()
  await save(createRule('mine', { method: '*', path: '*' }, createCannedAction('1')))
  expect(await composed.call('panel.get', {})).toMatchObject({ overrides: { on: 1, all: 1 } })
  const disabledRule = { ...createRule('off', { method: '*', path: '*' }, createCannedAction('2')), on: false }
  const otherRule = createRule('theirs', { method: '*', path: '*' }, createCannedAction('3'))
  writeFileSync(path.join(folder, OVERRIDES_FILE), formatOverrides(null, [disabledRule, otherRule], []))
  await vi.waitFor(() => {
    const pushed = composed.events.findLast(({ topic }) => topic === 'panel.overridesChanged')
    expect(pushed?.payload).toMatchObject({ rules: [{ id: 'off' }, { id: 'theirs' }] })
  })
  expect(await (await ask('/notes/N')).text()).toBe('3')
  expect(await composed.call('panel.get', {})).toMatchObject({ overrides: { on: 1, all: 2 } })
})

test('a delay is a part of the call: its start, its duration and its place', async () => {
  const DELAY_MS = 300
  const { composed, ask, save } = await openPanel(['--demo', '--demo-nodes', '10'])
  await vi.waitFor(async () => expect((await composed.call('panel.get', {})).allow.from).not.toBe('nowhere'))
  const match = { method: 'GET', path: '/ui-state' }
  await save({ ...createRule('slow', match, { kind: 'change', changes: [] }), delayMs: DELAY_MS })
  const waitForPendingCall = () =>
    vi.waitFor(() => {
      const pushed = composed.events.findLast(({ topic }) => topic === 'traffic.changed')
      expect(pushed?.payload).toMatchObject({ pending: [{ path: '/ui-state' }] })
    })
  const slow = ask('/ui-state')
  await waitForPendingCall()
  await (await ask('/library/study-sets')).text()
  await (await slow).text()
  const [fast, delayed] = await waitForRows(composed, 2)
  expect([fast?.path, delayed?.path]).toEqual(['/library/study-sets', '/ui-state'])
  expect(delayed?.durationMs).toBeGreaterThanOrEqual(DELAY_MS - 5)
  expect(delayed?.timing.queued).toBeGreaterThanOrEqual(DELAY_MS - 5)
  const { calls } = await composed.call('panel.calls', { exchangeIds: [delayed?.id ?? '', fast?.id ?? ''] })
  expect(calls[0]?.durationMs).toBeGreaterThanOrEqual(DELAY_MS - 5)
  expect(calls[0]?.at).toBeLessThanOrEqual(calls[1]?.at ?? 0)
  const { call } = await composed.call('panel.call', { exchangeId: delayed?.id ?? '' })
  expect(call).toMatchObject({ reason: { code: 'override-applied', params: { rule: 'Rule slow' } }, changes: [] })

  // A call that is aborted during its delay never reaches the host.
  await save({ ...createRule('slow', match, { kind: 'change', changes: [] }), delayMs: 60_000 })
  const abort = new AbortController()
  const aborted = ask('/ui-state', { signal: abort.signal })
  await waitForPendingCall()
  abort.abort()
  expect((await aborted).type).toBe('error')
  expect((await waitForRows(composed, 3))[0]).toMatchObject({ state: 'cancelled', timing: { queued: null } })
})

test('a write that an override delays stands in the order of its start', async () => {
  const { composed, ask, save } = await openPanel(['--demo', '--demo-nodes', '10'])
  await vi.waitFor(async () => expect((await composed.call('panel.get', {})).allow.from).not.toBe('nowhere'))
  const profileId = (await composed.call('connection.get', {})).profile?.id ?? ''
  await composed.call('operations.unlock', { profileId, scope: 'session' })
  await composed.call('panel.configure', { writes: 'let-through', allowMode: 'all' })
  const match = { method: 'POST', path: '/notes/{noteid}/title' }
  await save({ ...createRule('slow', match, { kind: 'change', changes: [] }), delayMs: 300 })
  const headers = { 'content-type': 'application/json' }
  const delayedWrite = ask('/notes/N/title', { method: 'POST', headers, body: '{"text":"T"}' })
  // The page's next call is made while the first one waits.
  await new Promise((resolve) => setTimeout(resolve, 50))
  await (await ask('/library/study-sets')).text()
  await (await delayedWrite).text()
  const [fast, delayed] = await waitForRows(composed, 2)
  expect([fast?.path, delayed?.path]).toEqual(['/library/study-sets', '/notes/N/title'])
  expect(delayed?.startedAt).toBeLessThanOrEqual(fast?.startedAt ?? 0)
  expect(delayed?.durationMs).toBeGreaterThanOrEqual(295)
})

test('a sample runs as its own plugin if the host’s template lists it', async () => {
  const { composed } = await openPanel(['--demo', '--demo-nodes', '10'])
  for (const [name, id, title] of [
    ['practice', 'app.demo.practice', 'Practice'],
    ['practice-mistake', 'app.demo.practice', 'Practice with a mistake'],
    ['rule-breaker', 'app.demo.rule-breaker', 'Rule breaker'],
  ] as const) {
    // Its first calls come before its page has told the title.
    expect((await composed.call('panel.open', { source: { kind: 'sample', name } })).name).toBe(title)
    await vi.waitFor(async () =>
      expect((await composed.call('panel.get', {})).plugin).toMatchObject({ id, from: 'template' }),
    )
  }
})
