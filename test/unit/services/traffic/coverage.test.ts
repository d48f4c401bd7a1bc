import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../electron/services/traffic/memory-store.ts'
import { listUncalledRoutes, listUntestedCases } from '../../../../renderer/model/traffic/untested-cases.ts'
import { BY_HAND_MARK, HELD_MARK } from '../../../../shared/panel/breakpoints.ts'
import { overrideRuleSchema } from '../../../../shared/panel/overrides.ts'
import { CoverageCounter, type RouteCoverage } from '../../../../shared/panel/coverage.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { addAll, createEntry, openDiskStore } from '../../../support/services/traffic.ts'

const panel = { kind: 'panel' as const, label: 'Practice' }
const tree = {
  method: 'GET',
  path: '/study-sets/S/tree?limit=5&limit=6&__proto__=1',
  endpoint: 'studySets.tree',
  template: '/study-sets/{topicid}/tree',
  origin: panel,
}
const entries = [
  createEntry({ row: { ...tree, status: 200, bytes: 20_000, durationMs: 30 } }),
  createEntry({ row: { ...tree, status: 404, errorCode: 'TOPIC_NOT_FOUND', bytes: 90, rule: 'Gone', durationMs: 5 } }),
  createEntry({
    row: { ...tree, state: 'failed', status: null, errorCode: 'ECONNRESET', bytes: 0, durationMs: 2_500 },
  }),
  createEntry({ row: { ...tree, origin: { kind: 'place', label: null }, status: 200, bytes: 0, durationMs: 1 } }),
]
const ofPanel = (routes: readonly RouteCoverage[]): RouteCoverage | undefined =>
  routes.find(({ client }) => client.kind === 'panel')

test.each(['disk', 'memory'] as const)('counts what each client was recorded with (%s)', async (kind) => {
  const opened = kind === 'disk' ? openDiskStore(createTempDir()) : null
  const memory = createMemoryStore({ reason: 'TRAFFIC_STOPPED', onChange: () => undefined })
  if (opened) addAll(opened, entries)
  else for (const entry of entries) memory.add(entry)
  const { routes, ...facts } = await (opened?.store.reader ?? memory).countCoverage(0)
  expect(facts).toMatchObject({ counted: 4, isWhole: true })
  expect(routes).toHaveLength(2)
  expect(ofPanel(routes)).toMatchObject({
    endpoint: 'studySets.tree',
    calls: 3,
    responders: { override: 1 },
    parameters: { limit: 3 },
    statuses: { 200: 1, 404: 1 },
    errorCodes: { TOPIC_NOT_FOUND: 1, ECONNRESET: 1 },
    madeErrorCodes: { TOPIC_NOT_FOUND: 1 },
    sizes: { medium: 1, small: 1 },
    states: { answered: 2, failed: 1 },
    slowestMs: 2_500,
  })
  const { routes: laterRoutes, counted } = await (opened?.store.reader ?? memory).countCoverage(facts.lastSeq)
  expect([laterRoutes, counted]).toEqual([[], 0])
  opened?.store.close()
})

test('an opening of a panel is one client under the newest title of its page, over parts too', async () => {
  const titles = ['my-panel', 'Card 1', 'Card 2', 'my-panel', 'Other']
  const callers = ['opening-1', 'opening-1', 'opening-1', 'opening-2', 'opening-2']
  const exchanges = titles.map((label, index) =>
    createEntry({ row: { ...tree, origin: { kind: 'panel', label, caller: callers[index] ?? '' } } }),
  )
  const opened = openDiskStore(createTempDir())
  addAll(opened, exchanges)
  const { routes } = await opened.store.reader.countCoverage(0)
  opened.store.close()
  const merged = new CoverageCounter()
  for (const { row } of exchanges) {
    const part = new CoverageCounter()
    part.add(row)
    merged.merge(part.list())
  }
  for (const counted of [routes, merged.list()])
    expect(counted.map(({ client, calls }) => [client.label, client.caller, calls])).toEqual([
      ['Card 2', 'opening-1', 3],
      ['Other', 'opening-2', 2],
    ])
})

test('parts are merged to what counting in one go gives', () => {
  const exchanges = entries.map(({ row }) => row)
  const total = new CoverageCounter()
  const merged = new CoverageCounter()
  for (const exchange of exchanges) {
    total.add(exchange)
    const part = new CoverageCounter()
    part.add(exchange)
    merged.merge(part.list())
  }
  expect(merged.list()).toEqual(total.list())
})

test('only what neither a breakpoint nor the gate did is counted for an override', () => {
  const counter = new CoverageCounter()
  for (const rule of [null, HELD_MARK, BY_HAND_MARK, 'not-allowed', 'write-refused', 'not-sent', 'Gone'])
    counter.add(createEntry({ row: { ...tree, rule, errorCode: rule === null ? 'SCAN_BUSY' : 'X' } }).row)
  expect(counter.list()[0]).toMatchObject({
    calls: 7,
    responders: { 'by-hand': 1, gate: 3, override: 1 },
    errorCodes: { SCAN_BUSY: 1, X: 6 },
    madeErrorCodes: { X: 5 },
  })
})

test('an error whose status no document tells gets no override', () => {
  const counter = new CoverageCounter()
  counter.add(createEntry({ row: { ...tree, endpoint: 'notes.practiceVerdict' } }).row)
  const untested = listUntestedCases(counter.list(), []).find(({ name }) => name === 'PRACTICE_KEY_INVALID')
  expect(untested).toMatchObject({ kind: 'code', override: null })
})

test('lists what the contract allows and was never recorded, with the override that makes it', () => {
  const counter = new CoverageCounter()
  for (const { row } of entries.slice(0, 2)) counter.add(row)
  const allowed = [
    { method: 'GET', path: '/study-sets/{id}/tree' },
    { method: 'GET', path: '/status' },
  ]
  expect(listUncalledRoutes(counter.list(), allowed)).toEqual([{ method: 'GET', path: '/status' }])
  const cases = listUntestedCases(counter.list(), allowed)
  const names = cases.map(({ kind, name, override }) => [kind, name, override !== null])
  expect(names).toContainEqual(['route', '', false])
  expect(names).toContainEqual(['fails', '', true])
  expect(names).toContainEqual(['slow', '', true])
  expect(names).toContainEqual(['parameter', 'cursor', false])
  expect(names).not.toContainEqual(['parameter', 'limit', false])
  expect(names).not.toContainEqual(['code', 'TOPIC_NOT_FOUND', true])
  for (const { method, template, override } of cases) {
    if (override === null) continue
    const rule = { id: 'r', name: 'r', on: true, match: { method, path: template }, ...override }
    expect(overrideRuleSchema.safeParse(rule).success).toBe(true)
  }
})

test('an error of the contract that was never received can be made by an override', () => {
  const counter = new CoverageCounter()
  const [entry] = entries
  if (entry) counter.add(entry.row)
  const missing = listUntestedCases(counter.list(), []).find(({ name }) => name === 'TOPIC_NOT_FOUND')
  expect(missing?.override?.answer).toMatchObject({ kind: 'canned', status: 404 })
})
