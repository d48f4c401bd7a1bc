import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import FindingsView from '../../../renderer/panes/findings/FindingsView.vue'
import FindingList from '../../../renderer/panes/findings/FindingList.vue'
import {
  findingRuleIds,
  findingSchema,
  type FindingClass,
  type LocatedFinding,
} from '../../../shared/protocol/finding.ts'
import { createExchangeRow } from '../../support/vue/exchanges.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createPanelState } from '../../support/vue/panel-state.ts'
import { createTestTranslator } from '../../support/vue/translator.ts'

beforeEach(() => {
  // happy-dom has no layout: pretend there are 400 px of room.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1200 })
})
afterEach(() => {
  document.body.innerHTML = ''
})

const finding = (changed: Partial<LocatedFinding> = {}): LocatedFinding => ({
  id: 'retry-too-early GET /search',
  rule: 'retry-too-early',
  at: 1_000,
  origin: { kind: 'recorded', label: 'curl' },
  exchanges: [5, 7],
  resource: 'GET /search',
  shownAt: [7],
  count: 1,
  firstAt: 1_000,
  origins: [{ kind: 'recorded', label: 'curl' }],
  params: { seconds: '2', waited: '0.3' },
  initiator: null,
  ...changed,
})
/** The reply to `findings.list`, whose rows are all of one class. */
const list = (findings: LocatedFinding[], listedClass: FindingClass = 'findings', muted: object[] = []) => ({
  findings,
  total: findings.length,
  totals: { findings: 0, advice: 0, withdrawn: 0, [listedClass]: findings.length },
  muted,
})
const rows = (input: unknown) => ({
  rows: (input as { seqs: number[] }).seqs.map((seq) => createExchangeRow({ seq, path: `/search?q=${seq}` })),
})
const gridText = (): string =>
  findAllByRole('row', undefined, getByRole('grid', 'Findings'))
    .map(({ textContent }) => textContent)
    .join('\n')

test('each finding is a row with rule, origin and exchange, and advice what to do instead', async () => {
  installFakeServiceProcess({
    'findings.list': () => list([finding()]),
    'traffic.rows': rows,
  })
  mountComponent(FindingsView)
  await vi.waitFor(() => expect(gridText()).toContain('Retry before its time'))
  await vi.waitFor(() => expect(gridText()).toContain('/search?q=7'))
  expect(gridText()).toContain('recorded: curl')
})

test('a row counts its findings and names their callers; the list can be filtered by one load of the panel, and cleared', async () => {
  const panel = { kind: 'panel' as const, label: 'Practice', caller: 'opening-1', load: 2 }
  const client = { kind: 'recorded' as const, label: 'curl', caller: 'client-1', load: 1 }
  const page = installFakeServiceProcess({
    'panel.get': () => createPanelState({ pageLoad: 2 }),
    'findings.list': (input) => {
      const { scope } = input as { scope?: { caller?: string; load?: number } }
      if (scope?.caller === 'opening-1') return list([])
      return list([finding({ count: 4, origins: [client, panel] })])
    },
    'findings.clear': () => ({}),
    'traffic.rows': rows,
  })
  mountComponent(FindingsView)
  await vi.waitFor(() => expect(gridText()).toContain('4×'))
  expect(gridText()).toContain('recorded: curl, panel: Practice')
  const callerFilter = document.querySelector<HTMLSelectElement>('select[aria-label="Whose findings"]')
  await vi.waitFor(() =>
    expect([...(callerFilter?.options ?? [])].map(({ text }) => text.trim())).toEqual([
      'Everybody',
      'This load of the panel',
      'panel: Practice',
      'recorded: curl',
    ]),
  )
  if (!callerFilter) throw new Error('there is no choice')
  callerFilter.value = 'opening-1 2'
  callerFilter.dispatchEvent(new Event('change'))
  const scopes = (): unknown[] =>
    page.calls.flatMap(({ method, input }) => (method === 'findings.list' ? [(input as { scope?: object }).scope] : []))
  await vi.waitFor(() => expect(scopes()).toContainEqual({ caller: 'opening-1', load: 2 }))
  await vi.waitFor(() => expect(document.body.textContent).toContain('no findings'))
  getByRole('button', 'All tools').click()
  await vi.waitFor(() => getByRole('button', 'Clear findings').click())
  await vi.waitFor(() => expect(page.calls.map(({ method }) => method)).toContain('findings.clear'))
})

test('findings have a severity, and are copied as Markdown and exported as JSON, with the line of code', async () => {
  const initiator = { file: '/src/search `all`.ts', line: 40, column: 7, functionName: 'search' }
  installFakeServiceProcess({
    'findings.list': () =>
      list([finding({ count: 3, initiator }), finding({ id: 'b', rule: 'session-not-confirmed' })]),
    'traffic.rows': rows,
  })
  const copied: string[] = []
  const writeText = (text: string): Promise<void> => Promise.resolve(void copied.push(text))
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue({ writeText } as Clipboard)
  const saved: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => (saved.push(blob as Blob), 'blob:x'))
  mountComponent(FindingsView)
  await vi.waitFor(() => expect(gridText()).toContain('/search?q=7'))
  expect(gridText()).toMatch(/asked to wait 2 s\..*all`\.ts:40.*3×.*warning.*Retry before its time/)
  getByRole('button', 'Copy as Markdown').click()
  await vi.waitFor(() => expect(copied[0]).toContain('- **Retry before its time** (warning, 3×, recorded: curl)'))
  expect(copied[0]).toContain('`GET /search?q=7`\n  `` /src/search `all`.ts:40:7 `` `search`\n')
  getByRole('button', 'Export JSON').click()
  const [file] = saved
  const exported = JSON.parse((await file?.text()) ?? '{}') as {
    total: number
    findings: { rule: string; severity: string; initiator: unknown }[]
  }
  expect([exported.total, exported.findings.map(({ rule, severity }) => `${rule} ${severity}`)]).toEqual([
    2,
    ['retry-too-early warning', 'session-not-confirmed warning'],
  ])
  expect(exported.findings.map((entry) => entry.initiator)).toEqual([initiator, null])
  vi.restoreAllMocks()
})

test('the empty list describes what is checked, and muted rules can be enabled again', async () => {
  const page = installFakeServiceProcess({
    'findings.list': () => list([], 'findings', [{ rule: 'read-burst', reason: 'known', at: 1 }]),
    'findings.unmute': () => ({ muted: [] }),
    'traffic.rows': rows,
  })
  mountComponent(FindingsView)
  await vi.waitFor(() => expect(document.body.textContent).toContain('Watched for'))
  expect(getByRole('list', 'Muted rules').textContent).toContain('known')
  getByRole('button', 'Report again: The same read in a burst').click()
  await flushPromises()
  expect(page.calls.map(({ method }) => method)).toContain('findings.unmute')
})

test('exchanges of earlier runs are checked when they are shown, and skipped ones are reported', async () => {
  const page = installFakeServiceProcess({
    'findings.list': () => list([]),
    'findings.judge': () => ({ judged: 20_000, left: 1_200 }),
    'traffic.rows': rows,
  })
  mountComponent(FindingsView)
  await vi.waitFor(() => expect(document.body.textContent).toContain('1,200 older exchanges were not looked through'))
  expect(page.calls.filter(({ method }) => method === 'findings.judge')).toHaveLength(1)
})

test('advice and what was withdrawn are listed apart, and say when they were decided', async () => {
  const advice = finding({ id: 'a', rule: 'read-burst', params: { n: '5', seconds: '0.4' } })
  const late = { afterMs: 25_200, because: 'ended' } as const
  const withdrawn = finding({ id: 'w', rule: 'commit-not-polled', late, withdrawnAt: 62_000 })
  const totals = { findings: 1, advice: 1, withdrawn: 1 }
  installFakeServiceProcess({
    'findings.list': (input) => {
      const { class: listedClass } = input as { class?: FindingClass }
      const listedFindings = { findings: [finding()], advice: [advice], withdrawn: [withdrawn] }[
        listedClass ?? 'findings'
      ]
      return { findings: listedFindings, total: 1, totals, muted: [] }
    },
    'traffic.rows': rows,
  })
  mountComponent(FindingsView)
  await vi.waitFor(() => expect(gridText()).toContain('Retry before its time'))
  expect(gridText()).not.toContain('in a burst')
  getByRole('radio', 'Advice 1').click()
  await vi.waitFor(() => expect(gridText()).toMatch(/advice.*The same read in a burst/))
  expect(gridText()).not.toContain('Retry before its time')
  // Advice is not counted.
  expect(document.querySelector('[role=status]')?.textContent).toBe('1 finding')
  getByRole('radio', 'Withdrawn 1').click()
  await vi.waitFor(() => expect(gridText()).toContain('Commit never followed to its end'))
  findAllByRole('row', undefined, getByRole('grid', 'Findings'))[1]?.click()
  await vi.waitFor(() => expect(document.body.textContent).toContain('25.2 s after the last exchange, when the caller'))
  expect(document.body.textContent).toContain('Withdrawn at')
})

test('an exchange lists its findings', async () => {
  installFakeServiceProcess({
    'findings.list': () => list([finding()]),
    'findings.of': (input) => ({
      findings: (input as { seq: number }).seq === 5 ? [findingSchema.strip().parse(finding())] : [],
    }),
  })
  mountComponent(FindingList, { props: { seq: 5 } })
  await vi.waitFor(() => expect(getByRole('list', 'Findings').textContent).toContain('had asked to wait 2 s'))
})

test('a long cursor in a finding of an exchange is cut in the middle, and the badge stands apart', async () => {
  const cursor = 'WzEwMDAs'.repeat(8)
  const paging = finding({ rule: 'paging-stopped', params: { topicid: 'T1', cursor } })
  installFakeServiceProcess({
    'findings.list': () => list([paging]),
    'findings.of': () => ({ findings: [findingSchema.strip().parse(paging)] }),
  })
  mountComponent(FindingList, { props: { seq: 5 } })
  await vi.waitFor(() => expect(getByRole('list', 'Findings').textContent).toContain(`next page (${cursor})`))
  expect(document.querySelector(`[title="${cursor}"] .tail`)?.textContent).toBe(cursor.slice(-6))
  expect(getByRole('list', 'Findings').textContent).toMatch(/before the end\s+advice/)
})

test.each(findingRuleIds)('%s has texts in both languages', (rule) => {
  for (const locale of ['en', 'zh-CN'] as const) {
    const { te } = createTestTranslator(locale).global
    for (const part of ['title', 'what', 'why', 'instead']) {
      expect([locale, part, te(`protocol.rule.${rule}.${part}`, locale)]).toEqual([locale, part, true])
    }
  }
})
