import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Deviation } from '../../../shared/contract/deviation.ts'
import type { DeviationList } from '../../../shared/ipc/contract.ts'
import { createRefusedError } from '../../../shared/errors.ts'
import { CoverageCounter } from '../../../shared/panel/coverage.ts'
import DriftView from '../../../renderer/places/contract/DriftView.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { createExchangeRow } from '../../support/vue/exchanges.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

beforeEach(() => {
  // happy-dom has no layout: pretend there are 400 px of room.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1600 })
})
afterEach(() => {
  document.body.innerHTML = ''
  vi.restoreAllMocks()
})

const createDeviation = (changed: Partial<Deviation> = {}): Deviation => ({
  id: 'unknown-member GET /library/study-sets /studySets/*/mood',
  method: 'GET',
  template: '/library/study-sets',
  endpoint: 'studySets.list',
  pointer: '/studySets/*/mood',
  kind: 'unknown-member',
  basis: 'spec',
  expected: '',
  actual: 'string',
  example: '"calm"',
  count: 12,
  exchangeCount: 3,
  firstAt: 1_000,
  lastAt: 2_000,
  firstSeq: 5,
  lastSeq: 7,
  hostVersions: ['4.3.0'],
  hasMoreVersions: false,
  hasUnknownVersion: true,
  sampleSeq: 7,
  sampleId: 'x7',
  muted: null,
  isNew: false,
  ...changed,
})
const createList = (deviations: readonly Deviation[], changed: Partial<DeviationList> = {}): DeviationList => ({
  deviations: [...deviations],
  ungroupedCount: 0,
  markedAt: null,
  judgedExchanges: 4_310,
  unjudgedExchanges: 0,
  skippedExchanges: 0,
  isCurrent: true,
  ...changed,
})
const rows = (input: unknown) => ({
  rows: (input as { seqs: number[] }).seqs.map((seq) => createExchangeRow({ seq, path: '/library/study-sets' })),
})
const getRows = (): string[] =>
  findAllByRole('row', undefined, getByRole('grid', 'Deviations'))
    .slice(1)
    .map(({ textContent }) => textContent.replace(/\s+/g, ' '))

describe('deviations', () => {
  test('are rows with kind, route, pointer, expectation, count and versions', async () => {
    installFakeServiceProcess({
      'contract.deviations': () =>
        createList([
          createDeviation(),
          createDeviation({ id: 'b', kind: 'wrong-type', expected: 'string', pointer: '' }),
        ]),
    })
    const view = mountComponent(DriftView)
    await vi.waitFor(() => expect(getRows()).toHaveLength(2))
    expect(getByRole('grid', 'Deviations').getAttribute('aria-rowcount')).toBe('3')
    expect(getRows()[0]).toContain('unknown member GET /library/study-sets')
    expect(getRows()[0]).toContain('/studySets/*/mood')
    expect(getRows()[0]).toContain('nothing → string12')
    expect(getRows()[0]).toContain('4.3.0, version not known')
    expect(getRows()[1]).toContain('wrong type')
    expect(getRows()[1]).toContain('whole answer')
    expect(view.text()).toContain('2 deviations in 4,310 answers that were judged')
    expect(view.text()).not.toContain('not judged yet')
  })

  test('are none where only differences from another host are hidden, and nothing is filtered', async () => {
    installFakeServiceProcess({ 'contract.deviations': () => createList([createDeviation({ basis: 'observed' })]) })
    const view = mountComponent(DriftView)
    await vi.waitFor(() => expect(view.text()).toContain('Nothing deviates'))
    expect(view.text()).not.toContain('Nothing matches the filter')
  })

  test('say how much is not judged, and judge again with progress, which can be cancelled', async () => {
    const { calls } = installFakeServiceProcess({
      'contract.deviations': () =>
        createList([createDeviation()], { unjudgedExchanges: 120, skippedExchanges: 2, isCurrent: false }),
      'contract.judgeAgain': (input) =>
        (input as { after: number }).after === 0
          ? { judged: 100, lastSeq: 100, left: 300, isWhole: false }
          : new Promise(() => undefined),
    })
    const view = mountComponent(DriftView)
    await vi.waitFor(() => expect(view.text()).toContain('120 recorded answers are not judged yet'))
    expect(view.text()).toContain('2 exchanges were not judged')
    expect(view.text()).toContain('Another version of the contract judged this')
    getByRole('button', 'Judge them').click()
    await vi.waitFor(() => expect(getByRole('progressbar').getAttribute('aria-valuenow')).toBe('100'))
    expect(getByRole('progressbar').getAttribute('aria-valuemax')).toBe('400')
    expect(getRows()).toHaveLength(1)
    getByRole('button', 'Cancel').click()
    await vi.waitFor(() => expect(view.text()).toContain('the list is as it was before'))
    expect(calls.filter(({ method }) => method === 'contract.judgeAgain')).toHaveLength(2)
  })

  test('are filtered by text and kind, and shown although they are muted', async () => {
    installFakeServiceProcess({
      'contract.deviations': () =>
        createList([
          createDeviation(),
          createDeviation({ id: 'b', kind: 'missing', pointer: '/studySets/*/title' }),
          createDeviation({ id: 'c', pointer: '/hush', muted: { reason: 'known', at: 1 } }),
        ]),
    })
    const view = mountComponent(DriftView)
    await vi.waitFor(() => expect(getRows()).toHaveLength(2))
    expect(view.text()).toContain('2 deviations in')
    await view.get('input[type=search]').setValue('TITLE')
    await vi.waitFor(() => expect(getRows()).toHaveLength(1))
    expect(getRows()[0]).toContain('missing')
    await view.get('input[type=search]').setValue('')
    await view.get('select[aria-label=Kind]').setValue('unknown-member')
    await vi.waitFor(() => expect(getRows().join()).not.toContain('missing'))
    getByRole('checkbox', 'Show muted (1)').click()
    await vi.waitFor(() => expect(getRows().some((row) => row.includes('/hush'))).toBe(true))
  })

  test('new ones are counted since the mark, which moves when all are seen', async () => {
    let list = createList([createDeviation({ isNew: true })], { markedAt: new Date(2026, 0, 2).getTime() })
    const { push } = installFakeServiceProcess({
      'contract.deviations': () => list,
      'contract.mark': () => {
        list = createList([createDeviation()], { markedAt: Date.now() })
        return { markedAt: Date.now() }
      },
    })
    const view = mountComponent(DriftView)
    await vi.waitFor(() => expect(view.text()).toMatch(/1 new since Jan 2/))
    getByRole('button', 'Mark all as seen').click()
    await vi.waitFor(() => expect(view.text()).not.toContain('new since'))
    list = createList([createDeviation(), createDeviation({ id: 'b', isNew: true })], { markedAt: Date.now() })
    push({ topic: 'contract.changed', payload: { total: 2, newCount: 1 } })
    await vi.waitFor(() => expect(view.text()).toContain('2 deviations in'))
  })

  test('say whether nothing was recorded or nothing deviates, and why they cannot be read', async () => {
    let list = createList([], { judgedExchanges: 0 })
    let isBroken = false
    const { push } = installFakeServiceProcess({
      'contract.deviations': () => {
        if (isBroken) throw createRefusedError('TRAFFIC_STOPPED', 'It stopped.')
        return list
      },
    })
    const view = mountComponent(DriftView)
    await vi.waitFor(() => expect(view.text()).toContain('Nothing was recorded'))
    list = createList([])
    push({ topic: 'contract.changed', payload: { total: 0, newCount: 0 } })
    await vi.waitFor(() => expect(view.text()).toContain('Nothing deviates'))
    expect(view.text()).toContain('as far as the contract shows their shape')
    isBroken = true
    push({ topic: 'contract.changed', payload: { total: 0, newCount: 0 } })
    await vi.waitFor(() => expect(getByRole('alert').textContent).toContain('The deviations could not be read'))
  })
})

test('the list says how many routes were seen, and asks the host for all reads after saying which', async () => {
  const counter = new CoverageCounter()
  const listing = { endpoint: 'studySets.list', template: '/library/study-sets', path: '/library/study-sets' }
  counter.add(createExchangeRow(listing))
  let holdBack = false
  const { calls, cancelled } = installFakeServiceProcess({
    'contract.deviations': () => createList([]),
    'traffic.coverage': () => ({ routes: counter.list(), counted: 1, lastSeq: 1, isWhole: true }),
    'bridge.read': () =>
      holdBack ? new Promise(() => undefined) : Promise.reject(createRefusedError('TRAFFIC_STOPPED', 'It stopped.')),
  })
  const view = mountComponent(DriftView)
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(view.text()).toMatch(/1 of \d\d routes seen/))
  expect(view.text()).toMatch(/Nothing deviates in 1 of \d\d routes/)
  getByRole('button', 'Ask all reads…').click()
  await vi.waitFor(() => expect(getByRole('dialog').textContent).toContain('GET /library/study-sets'))
  expect(JSON.stringify(calls)).not.toContain('decks.list')
  const earlierCount = calls.length
  getByRole('button', 'Ask').click()
  await vi.waitFor(() => expect(getByRole('dialog').textContent).toMatch(/\d+ reads asked/))
  const laterCalls = calls.slice(earlierCount)
  const reads = laterCalls.filter(({ method }) => method === 'bridge.read').map(({ input }) => JSON.stringify(input))
  expect(new Set(reads).size).toBe(reads.length)

  holdBack = true
  getByRole('button', 'Ask').click()
  await vi.waitFor(() => expect(findAllByRole('progressbar')).not.toHaveLength(0))
  getByRole('button', 'Cancel').click()
  await vi.waitFor(() => expect(getByRole('dialog').textContent).toMatch(/Stopped after \d+ reads/))
  expect(cancelled).toContain(calls.filter(({ method }) => method === 'bridge.read').at(-1)?.id)
})

describe('one deviation', () => {
  test('shows expectation, example, sample and contract, and is muted with a reason', async () => {
    let muted: Deviation['muted'] = null
    const { calls } = installFakeServiceProcess({
      'contract.deviations': () => createList([createDeviation({ muted })]),
      'contract.mute': (input) => {
        const { reason } = input as { reason: string | null }
        muted = reason === null ? null : { reason, at: 1 }
        return {}
      },
      'traffic.rows': rows,
    })
    mountComponent(DriftView, { route: '/contract' })
    await vi.waitFor(() => expect(getRows()).toHaveLength(1))
    findAllByRole('row', undefined, getByRole('grid', 'Deviations'))[1]?.click()
    await vi.waitFor(() => getByRole('region', 'Deviation'))
    const region = (): HTMLElement => getByRole('region', 'Deviation')
    expect(region().textContent).toContain('this one is not among them')
    expect(region().textContent).toContain('"calm"')
    expect(region().textContent).toContain('12 times in 3 exchanges')
    expect(region().textContent).toContain('What the contract shows at /studySets/*')
    await vi.waitFor(() =>
      expect(getByRole('link', /GET \/library\/study-sets/, region()).getAttribute('href')).toBe(
        '/traffic/x7?at=/studySets/*/mood',
      ),
    )
    getByRole('button', 'Mute…', region()).click()
    await vi.waitFor(() => getByRole('textbox', 'Reason', region()))
    const field = getByRole('textbox', 'Reason', region()) as HTMLInputElement
    field.value = 'known to the host team'
    field.dispatchEvent(new Event('input'))
    await vi.waitFor(() => expect(getByRole('button', 'Mute', region()).hasAttribute('disabled')).toBe(false))
    region()
      .querySelector('form')
      ?.dispatchEvent(new Event('submit', { cancelable: true }))
    await vi.waitFor(() => expect(region().textContent).toContain('known to the host team'))
    expect(getRows()).toHaveLength(0)
    expect(calls.find(({ method }) => method === 'contract.mute')?.input).toMatchObject({
      reason: 'known to the host team',
    })
    getByRole('button', 'Unmute', region()).click()
    await vi.waitFor(() => expect(getRows()).toHaveLength(1))
  })

  test('is copied as Markdown', async () => {
    installFakeServiceProcess({
      'contract.deviations': () => createList([createDeviation()]),
      'traffic.rows': rows,
    })
    const copied: string[] = []
    const writeText = (text: string): Promise<void> => Promise.resolve(void copied.push(text))
    vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue({ writeText } as Clipboard)
    mountComponent(DriftView, { route: '/contract' })
    await vi.waitFor(() => expect(getRows()).toHaveLength(1))
    findAllByRole('row', undefined, getByRole('grid', 'Deviations'))[1]?.click()
    await vi.waitFor(() => getByRole('button', 'Copy', getByRole('region', 'Deviation')))
    getByRole('button', 'Copy', getByRole('region', 'Deviation')).click()
    await vi.waitFor(() =>
      expect(copied[0]).toContain('- **unknown member** `GET /library/study-sets` `/studySets/*/mood`'),
    )
    expect(copied[0]).toContain('Example: `"calm"`')
    expect(copied[0]).toContain('spec §')
  })
})
