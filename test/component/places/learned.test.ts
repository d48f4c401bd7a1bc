import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { compatibilityRuleIds, differenceConsequences } from '../../../shared/contract/compatibility-rules.ts'
import type { JsonSchema, ResponseCount } from '../../../shared/contract/json-schema.ts'
import type { SchemaDifference } from '../../../shared/contract/schema-difference.ts'
import ComparePlace from '../../../renderer/places/contract/ComparePlace.vue'
import ExportDialog from '../../../renderer/places/contract/ExportDialog.vue'
import LearnedView from '../../../renderer/places/contract/LearnedView.vue'
import ShapeTree from '../../../renderer/places/contract/ShapeTree.vue'
import { EMPTY_LEARNED_FILTER } from '../../../renderer/stores/learned-schemas.ts'
import { useNotices } from '../../../renderer/stores/notices.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createTestTranslator } from '../../support/vue/translator.ts'
import { list, object, text } from '../../unit/contract/model-builders.ts'

beforeEach(() => {
  // happy-dom has no layout: pretend there are 400 px of room.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1600 })
})
afterEach(() => {
  document.body.innerHTML = ''
  vi.restoreAllMocks()
})

const exactly = (count: number): ResponseCount => ({ count, isExact: true })
const learned = {
  routes: [
    {
      method: 'GET',
      template: '/decks',
      endpoint: 'decks.list',
      successes: { count: 40, isExact: false },
      errors: exactly(2),
    },
    { method: 'GET', template: '/library/tags', endpoint: null, successes: exactly(1), errors: exactly(0) },
  ],
  hosts: ['http://127.0.0.1:1'],
  versions: ['0.91', '1.0'],
  days: { first: '2026-11-01', last: '2026-11-26' },
}
const success: JsonSchema = object({
  decks: list(
    object({
      'mood?': text({ 'x-formats': ['uuid'], 'x-recorded': { responses: 3, range: { min: 36, max: 36 } } }),
    }),
    { 'x-recorded': { responses: 40, range: { min: 0, max: 7 } } },
  ),
})
const texts = (role: string): readonly string[] =>
  findAllByRole(role).map(({ textContent }) => textContent.replace(/\s+/g, ' ').trim())

describe('what was learned', () => {
  test('is a tree of each route, beside what the contract shows', async () => {
    const { calls } = installFakeServiceProcess({
      'contract.learned': () => learned,
      'contract.learnedShape': () => ({ success, error: null }),
    })
    const view = mountComponent(LearnedView, { route: '/contract' })
    await vi.waitFor(() => expect(texts('treeitem')).toHaveLength(5))
    const [, first, second] = findAllByRole('row')
    expect(first?.textContent).toContain('GET /decksabout 40×2×')
    expect(second?.textContent).toContain('not shown')
    const items = texts('treeitem').join('\n')
    expect(items).toMatch(/bridgeApiVersion: not recorded.*contract: string/)
    expect(items).toMatch(/decks: list, 0–7 entries \(40×\).*not shown/)
    expect(items).toMatch(/mood: string \(uuid\), 36 characters \(3×\).*optional · not shown/)

    await view.get('select[aria-label="Host version"]').setValue('1.0')
    await vi.waitFor(() =>
      expect(calls.filter(({ method }) => method === 'contract.learned').at(-1)?.input).toEqual({
        filter: { ...EMPTY_LEARNED_FILTER, version: '1.0' },
      }),
    )
  })

  test('keeps the selected place when more is recorded', async () => {
    const props = { label: 'Shape', name: 'answer', contract: null }
    const view = mountComponent(ShapeTree, { props: { ...props, recorded: object({ b: text() }) } })
    await vi.waitFor(() => expect(texts('treeitem')).toHaveLength(2))
    const [, member] = findAllByRole('treeitem')
    member?.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))
    member?.click()
    const selectedName = (): string | null | undefined =>
      findAllByRole('treeitem').find((item) => item.getAttribute('aria-selected') === 'true')?.textContent
    await vi.waitFor(() => expect(selectedName()).toContain('b: string'))
    await view.setProps({ recorded: object({ a: text(), b: text() }) } as never)
    await vi.waitFor(() => expect(texts('treeitem')).toHaveLength(3))
    expect(selectedName()).toContain('b: string')
  })

  test('says if nothing was recorded', async () => {
    installFakeServiceProcess({
      'contract.learned': () => ({ routes: [], hosts: [], versions: [], days: null }),
    })
    const view = mountComponent(LearnedView, { route: '/contract' })
    await vi.waitFor(() => expect(view.text()).toContain('Nothing was recorded'))
  })
})

test('a comparison lists differences with what they mean for a caller', async () => {
  const createDifference = (changed: Partial<SchemaDifference>): SchemaDifference => ({
    ...{ method: 'GET', template: '/decks', part: 'response', pointer: '/decks/*/mood', variant: null },
    ...{ rule: 'response-member-added', before: '', after: 'string', isBreaking: false, consequence: 'more-data' },
    ...changed,
  })
  installFakeServiceProcess({
    'contract.learned': () => learned,
    'contract.compare': () => ({
      differences: [
        createDifference({
          rule: 'response-type-changed',
          isBreaking: true,
          before: 'number',
          consequence: 'wrong-type',
        }),
        createDifference({}),
      ],
      moreDifferences: 3,
    }),
  })
  const view = mountComponent(ComparePlace, { route: '/contract/compare' })
  const rows = (): readonly string[] => texts('row').slice(1)
  await vi.waitFor(() => expect(rows()).toHaveLength(2))
  expect(rows()[0]).toContain('breakinganother type')
  expect(rows()[0]).toContain('number → string')
  expect(rows()[0]).toContain('it reads another type')
  expect(rows()[1]).toContain('nothing → string')
  expect(view.text()).toContain('2 differences · 1 of them breaking · 3 more are not listed')
  getByRole('checkbox', 'Only breaking').click()
  await vi.waitFor(() => expect(rows()).toHaveLength(1))
})

test('a comparison with a side of which nothing was recorded does not say that both are the same', async () => {
  let routes: readonly unknown[] = []
  installFakeServiceProcess({
    'contract.learned': () => ({ ...learned, routes }),
    'contract.compare': () => ({ differences: [], moreDifferences: 0 }),
  })
  const view = mountComponent(ComparePlace, { route: '/contract/compare' })
  await vi.waitFor(() => expect(view.text()).toContain('Nothing was recorded to compare'))
  expect(view.text()).not.toContain('the same shapes')
  view.unmount()
  routes = learned.routes
  const other = mountComponent(ComparePlace, { route: '/contract/compare' })
  await vi.waitFor(() => expect(other.text()).toContain('Both describe the same shapes.'))
})

test('each rule and consequence of a difference has a text', () => {
  const { te } = createTestTranslator('en').global
  const names = [
    ...compatibilityRuleIds.map((rule) => `rule.${rule.replace(/^(?:request|response)-/, '')}`),
    ...differenceConsequences.map((consequence) => `consequence.${consequence}`),
  ]
  expect(names.filter((name) => !te(`contractPlace.compare.${name}`))).toEqual([])
})

describe('an export', () => {
  const saveExport = async (filter: typeof EMPTY_LEARNED_FILTER | null): Promise<unknown> => {
    const { calls } = installFakeServiceProcess({
      'contract.learned': () => learned,
      'contract.export': () => ({ text: '{}', fileName: 'bridge.openapi.json', mediaType: 'application/json' }),
    })
    const saved: Blob[] = []
    vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => (saved.push(blob as Blob), 'blob:x'))
    const view = mountComponent(ExportDialog, { props: { filter } })
    await vi.waitFor(() => getByRole('dialog', 'Export'))
    expect(document.body.textContent).toContain(
      filter ? 'No values of the library leave with it' : 'nothing that was recorded',
    )
    document.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true }))
    await vi.waitFor(() => expect(saved).toHaveLength(1))
    expect(view.emitted('close')).toHaveLength(1)
    expect(useNotices().list.map(({ code, params }) => [code, params])).toEqual([
      ['FILE_SAVED', { file: 'bridge.openapi.json' }],
    ])
    return calls.find(({ method }) => method === 'contract.export')?.input
  }

  test('holds the contract alone by default', async () => {
    expect(await saveExport(null)).toEqual({ format: 'dts', side: { kind: 'contract' }, examples: false })
  })

  test('of what was learned has no examples unless they are asked for', async () => {
    const filter = { ...EMPTY_LEARNED_FILTER, version: '1.0' }
    expect(await saveExport(filter)).toEqual({
      format: 'openapi',
      side: { kind: 'combined', filter },
      examples: false,
    })
  })
})
