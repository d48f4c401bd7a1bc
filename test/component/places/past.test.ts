import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useRouter } from 'vue-router'
import { defineComponent, h } from 'vue'
import { createRefusedError } from '../../../shared/errors.ts'
import type { IpcOutput } from '../../../shared/ipc/index.ts'
import PastPlace from '../../../renderer/places/contract/PastPlace.vue'
import { toPastLocation } from '../../../renderer/panes/contract/past-location.ts'
import { createExchangeDetail, createExchangeRow } from '../../support/vue/exchanges.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

beforeEach(() => {
  // happy-dom has no layout: pretend there are 400 px of room.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1600 })
})
afterEach(() => {
  document.body.innerHTML = ''
})

const host = 'http://127.0.0.1:1'
const createPart = (changed: Partial<IpcOutput<'contract.ask'>> = {}): IpcOutput<'contract.ask'> => ({
  counts: [{ host, version: '4.2.0', day: '2026-11-24', held: 5, broken: 0, undecided: 1 }],
  transitions: [],
  moreTransitions: 0,
  examples: { held: { seq: 1, startedAt: 1_000, actual: '[]' }, broken: null },
  lastOutcomes: [{ host, outcome: 'held', seq: 5, version: '4.2.0' }],
  asked: 6,
  lastSeq: 6,
  left: 3,
  isWhole: false,
  ...changed,
})
const laterPart = createPart({
  counts: [
    { host, version: '4.2.0', day: '2026-11-24', held: 1, broken: 0, undecided: 0 },
    { host, version: '4.3.0', day: '2026-11-25', held: 0, broken: 2, undecided: 0 },
  ],
  transitions: [
    { host, becomes: 'broken', lastSeq: 7, lastVersion: '4.2.0', firstSeq: 8, firstVersion: '4.3.0', at: 9_000 },
  ],
  examples: { held: null, broken: { seq: 8, startedAt: 9_000, actual: '{}' } },
  asked: 3,
  lastSeq: 9,
  left: 0,
  isWhole: true,
})
const traffic = {
  'traffic.rows': (input) => ({
    rows: (input as { seqs: number[] }).seqs.map((seq) => createExchangeRow({ seq, path: `/decks?n=${seq}` })),
  }),
  'traffic.exchange': (input) => createExchangeDetail({ row: { seq: (input as { seq: number }).seq } }),
  'traffic.body': (input) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ decks: (input as { seq: number }).seq === 7 ? [] : {} }))
    return { meta: { start: 0, kept: bytes.byteLength }, bytes: bytes.buffer }
  },
} as Parameters<typeof installFakeServiceProcess>[0]

/** Mounts the place at the address of a question. */
function open(question: Parameters<typeof toPastLocation>[0]) {
  const Opened = defineComponent(() => {
    const router = useRouter()
    const opening = router.replace(toPastLocation(question))
    void opening
    return () => h(PastPlace)
  })
  return mountComponent(Opened, { route: '/contract/past' })
}

const isList = { kind: 'type', pointer: '/decks', type: 'array' } as const
const decks = { method: 'GET', template: '/decks', assertion: isList } as const

test('asks part by part, and tells since when it does not hold, with both exchanges side by side', async () => {
  const { calls } = installFakeServiceProcess({
    ...traffic,
    'contract.ask': (input) => ((input as { after: number }).after === 0 ? createPart() : laterPart),
  })
  const view = open(decks)
  await vi.waitFor(() => expect(view.text()).toContain('Held in 6 of 8 answers that tell · 1 undecided'))
  expect(view.text()).toContain('/decks is of type list')
  expect(view.text()).toMatch(/Does not hold since .*: between version 4\.2\.0 and 4\.3\.0/)
  const grid = getByRole('grid', 'By version and day')
  expect(
    findAllByRole('row', undefined, grid).map(({ textContent }) => textContent.replace(/\s+/g, ' ').trim()),
  ).toEqual([expect.stringContaining('Host version'), '4.2.02026-11-24601', '4.3.02026-11-25020'])
  expect(getByRole('link', 'First that did not').getAttribute('href')).toBe('/traffic/8?at=/decks')
  await vi.waitFor(() => expect(getByRole('region', 'Comparison').textContent).toContain('decks: [] → {}'))
  const inputs = calls.filter(({ method }) => method === 'contract.ask').map(({ input }) => input)
  expect(inputs[1]).toEqual({
    method: 'GET',
    template: '/decks',
    question: { kind: 'assertion', assertion: isList },
    after: 6,
    lastOutcomes: createPart().lastOutcomes,
  })
})

test('can be cancelled, and then says that it is only a part', async () => {
  installFakeServiceProcess({
    ...traffic,
    'contract.ask': (input) => ((input as { after: number }).after === 0 ? createPart() : new Promise(() => undefined)),
  })
  const view = open(decks)
  await vi.waitFor(() => expect(getByRole('progressbar').getAttribute('aria-valuenow')).toBe('6'))
  getByRole('button', 'Cancel').click()
  await vi.waitFor(() => expect(view.text()).toContain('only a part: 6 of 9 exchanges'))
  expect(view.text()).not.toContain('It always held')
})

test('says that it always held, that nothing tells, or that nothing is recorded', async () => {
  let part = createPart({ isWhole: true, left: 0 })
  installFakeServiceProcess({ ...traffic, 'contract.ask': () => part })
  const view = open(decks)
  await vi.waitFor(() => expect(view.text()).toContain('It always held, as far as the answers tell.'))
  const ask = (): void =>
    void view.get('form').element.dispatchEvent(new Event('submit', { cancelable: true, bubbles: true }))
  part = createPart({
    isWhole: true,
    counts: [{ host, version: null, day: '2026-11-24', held: 4, broken: 0, undecided: 0 }],
  })
  ask()
  await vi.waitFor(() => expect(view.text()).toContain('It always held.'))
  part = createPart({
    isWhole: true,
    counts: [{ host, version: null, day: '2026-11-24', held: 0, broken: 0, undecided: 4 }],
  })
  ask()
  await vi.waitFor(() => expect(view.text()).toContain('No recorded answer tells'))
  part = createPart({ isWhole: true, counts: [], asked: 0, left: 0 })
  ask()
  await vi.waitFor(() => expect(view.text()).toContain('No exchange of this route is recorded'))
})

test('asks about a deviation, and says if it is not known any more', async () => {
  const { calls } = installFakeServiceProcess({
    ...traffic,
    'contract.deviations': () => ({
      deviations: [],
      ungroupedCount: 0,
      markedAt: null,
      judgedExchanges: 1,
      unjudgedExchanges: 0,
      skippedExchanges: 0,
      isCurrent: true,
    }),
    'contract.ask': () => {
      throw createRefusedError('TRAFFIC_STOPPED', 'It stopped.')
    },
  })
  const view = open({ deviation: 'missing GET /decks /decks' })
  await vi.waitFor(() => expect(view.text()).toContain('This deviation is not known any more'))
  expect(calls.filter(({ method }) => method === 'contract.ask')).toHaveLength(0)
})
