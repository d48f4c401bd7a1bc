import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listedRoutes } from '../../../electron/demo-host/state/capabilities.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { getValueAtPointer } from '../../../shared/json/pointer.ts'
import {
  judgeCallers,
  callerReportSchema,
  type CallerReport,
  type CallerEvidence,
  type PanelJudgement,
} from '../../../shared/panel/caller-report.ts'

const panelRoutes = endpoints
  .filter(({ access }) => access === 'read')
  .map(({ method, path }) => ({ method, path: path.replace(/\{\w+\}/g, '{id}') }))
const evidence: CallerEvidence = {
  capabilities: {
    routes: listedRoutes,
    panelRoutes,
    accessPolicy: { readOnlyRequiresMax: false, writeRequiresMax: true, userDataStillRequiresBearerToken: true },
  },
  template: { plugins: [{ id: 'cards.practice' }] },
  uiState: { state: { immersive: { active: false } } },
}
const empty: CallerEvidence = { capabilities: null, template: null, uiState: null }
const judged: PanelJudgement = {
  allow: { mode: 'host', from: 'capabilities-panel' },
  matchedRoute: null,
  isUnusualPath: false,
  plugin: 'cards.practice',
}
const codes = (side: CallerReport['panel']): string[] => side.reasons.map(({ code }) => code)
/** An actual path of a row. */
const pathOf = (path: string): string => path.replace(/\{\w+\}/g, '1')

describe.each(endpoints.map((row) => [row.id, row] as const))('callers of %s', (_, row) => {
  const namedRoute = panelRoutes.find(
    ({ method, path }) => method === row.method && path === row.path.replace(/\{\w+\}/g, '{id}'),
  )
  const callers = judgeCallers(row.method, pathOf(row.path), evidence, { ...judged, matchedRoute: namedRoute ?? null })

  test('have reasons that quote the host at an existing pointer', () => {
    const { panel, tool } = callerReportSchema.parse(callers)
    const sources = { capabilities: evidence.capabilities, template: evidence.template, 'ui-state': evidence.uiState }
    for (const { quote } of [...panel.reasons, ...tool.reasons]) {
      if (quote) expect(quote.value).toBe(JSON.stringify(getValueAtPointer(sources[quote.from], quote.pointer)))
    }
    expect(callers.endpoint).toBe(row.id)
  })

  test('include a panel only if the list names the route', () => {
    expect(callers.panel.may).toBe(namedRoute ? 'yes' : 'no')
    expect(callers.panel.reasons[0]?.quote?.value ?? null).toBe(namedRoute ? JSON.stringify(namedRoute) : null)
    expect(codes(callers.panel).includes('addon-rewritten')).toBe(row.hasAddon)
    expect(codes(callers.panel).includes('confirm-filled')).toBe(
      row.access !== 'read' && (row.confirm === 'body' || row.confirm === 'query'),
    )
  })

  test('include an external tool under its conditions of token, subscription and approval', () => {
    expect(callers.tool.may).toBe('yes')
    expect(codes(callers.tool)).toContain(row.auth === 'none' ? 'tool-no-token' : 'tool-token')
    const listed = listedRoutes.find(
      ({ method, path }) =>
        method === row.method && path === row.path.replace(/\{\w+\}/g, (name) => (name === '{index}' ? name : '{id}')),
    )
    expect(codes(callers.tool)).toContain(listed?.requiresMax ? 'tool-max' : 'tool-no-max')
    expect(codes(callers.tool).includes('tool-approval')).toBe(row.needsApproval)
  })

  test('are unknown and without quotes if the host reports nothing', () => {
    const silent = judgeCallers(row.method, pathOf(row.path), empty, {
      ...judged,
      allow: { mode: 'host', from: 'nowhere' },
      plugin: null,
    })
    expect([silent.panel.may, silent.tool.may]).toEqual(['unknown', 'unknown'])
    expect([...silent.panel.reasons, ...silent.tool.reasons].filter(({ quote }) => quote !== null)).toEqual([])
  })
})

test.each([
  ['a path that is never passed on', { isUnusualPath: true }, 'no', 'path-strange'],
  ['a list of my own that lacks it', { allow: { mode: 'mine', from: 'template' } }, 'no', 'mine-lacks'],
  ['everything allowed', { allow: { mode: 'all', from: 'template' } }, 'yes', 'mode-all'],
  [
    'no list for panels, and no such route',
    { allow: { mode: 'host', from: 'capabilities-routes' } },
    'no',
    'routes-lack',
  ],
] as const)('judges a panel by %s', (_, changed, may, code) => {
  const { panel } = judgeCallers('GET', '/notes/1/render', evidence, { ...judged, ...changed })
  expect([panel.may, panel.reasons[0]?.code]).toEqual([may, code])
})

test('judgeCallers refuses pairing to a panel, although the host lists the route', () => {
  const capabilities = { routes: [{ method: 'POST', path: '/pair' }] }
  const from = { allow: { mode: 'host', from: 'capabilities-routes' } } as const
  const { panel } = judgeCallers('POST', '/pair', { ...evidence, capabilities }, { ...judged, ...from })
  expect(panel.may).toBe('no')
  expect(panel.reasons[0]).toMatchObject({ code: 'routes-pair', quote: { from: 'capabilities', pointer: '/routes/0' } })
})

test('judgeCallers refuses every panel if the template has no plugins', () => {
  const namedRoute = { method: 'GET', path: '/notes/{id}/render' }
  const { panel } = judgeCallers(
    'GET',
    '/notes/1/render',
    { ...evidence, template: { plugins: [] } },
    { ...judged, matchedRoute: namedRoute },
  )
  expect(panel.may).toBe('no')
  expect(panel.reasons.find(({ code }) => code === 'plugins-none')?.quote).toEqual({
    from: 'template',
    pointer: '/plugins',
    value: '[]',
  })
})

test('judgeCallers returns a valid report for anything that a host sends', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.jsonValue(),
      fc.jsonValue(),
      fc.string(),
      (capabilities, template, uiState, path) => {
        const callers = judgeCallers('POST', `/${path}`, { capabilities, template, uiState }, judged)
        expect(callerReportSchema.safeParse(callers).success).toBe(true)
      },
    ),
  )
})
