import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import CoverageView from '../../../renderer/places/contract/CoverageView.vue'
import { createRefusedError } from '../../../shared/errors.ts'
import { useOverrides } from '../../../renderer/stores/overrides.ts'
import { CoverageCounter } from '../../../shared/panel/coverage.ts'
import type { Origin } from '../../../shared/traffic/exchange.ts'
import { createExchangeRow } from '../../support/vue/exchanges.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createPanelState } from '../../support/vue/panel-state.ts'

beforeEach(() => {
  // happy-dom has no layout: pretend there are 400 px of room.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1600 })
})
afterEach(() => {
  document.body.innerHTML = ''
})

const batchGet = { method: 'POST', path: '/notes/batch-get', endpoint: 'notes.batchGet', template: '/notes/batch-get' }
const count = (seqs: readonly number[], origin: Origin = { kind: 'panel', label: 'Practice' }) => {
  const counter = new CoverageCounter()
  for (const seq of seqs) counter.add(createExchangeRow({ ...batchGet, seq, origin }))
  return counter.list()
}
const info = { kind: 'disk', reason: null, paused: false, exchanges: 3, bytes: 1, oldestAt: 1, runStartedAt: 1 }
const services = {
  'panel.get': () => createPanelState(),
  'panel.overrides': () => ({ rules: [], file: '/panel/bridge-overrides.json', problems: [] }),
  'traffic.info': () => ({ ...info, newestAt: 1, droppedBodies: 0, setAside: null }),
} as Parameters<typeof installFakeServiceProcess>[0]
const gridText = (name: string): string => getByRole('grid', name).textContent

test('counts part by part, and names what was never called or received', async () => {
  installFakeServiceProcess({
    ...services,
    'traffic.coverage': (input) => {
      const { after } = input as { after: number }
      return { routes: count(after === 0 ? [1, 2] : [3]), counted: 2, lastSeq: 2, isWhole: after > 0 }
    },
  })
  const view = mountComponent(CoverageView)
  await vi.waitFor(() => expect(gridText('Coverage')).toContain('/notes/batch-get3'))
  expect(gridText('Coverage')).toContain('/notes/{id}/renderNot recorded')
  expect(view.text()).toContain('1 of 2 allowed routes were called')
  expect(gridText('Coverage')).toContain('3× answered')
  expect(gridText('Untested cases')).toContain('No slow answer (2 seconds or more)')
  expect(view.text()).toContain('Failed and slow calls are suggestions')
  expect(view.text()).not.toContain('To add overrides')
  expect(view.text()).toContain('Of what is stored, since')
  expect(findAllByRole('progressbar')).toHaveLength(0)

  await vi.waitFor(() => expect(findAllByRole('button', 'Add override').length).toBeGreaterThan(1))
  findAllByRole('button', 'Add override')[0]?.click()
  expect(useOverrides().draft).toMatchObject({
    match: { method: 'POST', path: '/notes/batch-get' },
    answer: { kind: 'fault', fault: 'offline' },
  })
})

test('can be cancelled, and then says that it is only a part', async () => {
  const { calls } = installFakeServiceProcess({
    ...services,
    'traffic.coverage': (input) =>
      (input as { after: number }).after === 0
        ? { routes: count([1]), counted: 1, lastSeq: 1, isWhole: false }
        : new Promise(() => undefined),
  })
  const view = mountComponent(CoverageView)
  await vi.waitFor(() => expect(calls.filter(({ method }) => method === 'traffic.coverage')).toHaveLength(2))
  expect(getByRole('progressbar').getAttribute('aria-valuenow')).toBe('1')
  getByRole('button', 'Cancel').click()
  await vi.waitFor(() => expect(view.text()).toContain('only a part: 1 of 3 exchanges'))
  expect(findAllByRole('progressbar')).toHaveLength(0)
})

test('does not hold a panel against the allow list of another one', async () => {
  installFakeServiceProcess({
    ...services,
    'panel.get': () => createPanelState({ name: 'Another' }),
    'traffic.coverage': () => ({ routes: count([1]), counted: 1, lastSeq: 1, isWhole: true }),
  })
  const view = mountComponent(CoverageView)
  await vi.waitFor(() => expect(gridText('Coverage')).toContain('/notes/batch-get1'))
  expect(view.text()).toContain('Allowed routes are known only of the panel that is open in the panel lab.')
  expect(gridText('Coverage')).not.toContain('Not recorded')
})

test('an error leaves a part, which says so and cannot be copied', async () => {
  installFakeServiceProcess({
    ...services,
    'traffic.coverage': (input) => {
      if ((input as { after: number }).after > 0) throw createRefusedError('TRAFFIC_STOPPED', 'It stopped.')
      return { routes: count([1]), counted: 1, lastSeq: 1, isWhole: false }
    },
  })
  const view = mountComponent(CoverageView)
  await vi.waitFor(() => expect(view.text()).toContain('only a part: 1 of 3 exchanges'))
  expect(getByRole('button', 'Copy').hasAttribute('disabled')).toBe(true)
})

test('offers no override for a client that none acts on', async () => {
  installFakeServiceProcess({
    ...services,
    'traffic.coverage': () => ({
      routes: count([1], { kind: 'recorded', label: 'agent' }),
      counted: 1,
      lastSeq: 1,
      isWhole: true,
    }),
  })
  const view = mountComponent(CoverageView)
  await vi.waitFor(() => expect(gridText('Untested cases')).toContain('No slow answer'))
  expect(findAllByRole('button', 'Add override')).toHaveLength(0)
  expect(gridText('Untested cases')).not.toContain('Override')
  expect(view.text()).not.toContain('panel lab')
})

test('adds up the openings of a panel, and lets no override act on a closed one', async () => {
  installFakeServiceProcess({
    ...services,
    'traffic.coverage': () => ({
      routes: [
        ...count([1], { kind: 'panel', label: 'Card 1', caller: 'a' }),
        ...count([2], { kind: 'panel', label: 'Card 1', caller: 'b' }),
        ...count([3], { kind: 'panel', label: 'Card 2', caller: 'c' }),
      ],
      counted: 3,
      lastSeq: 3,
      isWhole: true,
    }),
  })
  const view = mountComponent(CoverageView)
  await vi.waitFor(() => expect(gridText('Coverage')).toContain('/notes/batch-get2'))
  const buttons = findAllByRole('button', 'Add override')
  expect(buttons.length).toBeGreaterThan(0)
  expect(buttons.every((button) => button.hasAttribute('disabled'))).toBe(true)
  expect(view.text()).toContain('To add overrides, open this panel in the panel lab.')
  expect(view.text()).toContain('under the last title of its page')
  await view.get('select[aria-label="Client"]').setValue('panels')
  await vi.waitFor(() => expect(gridText('Coverage')).toContain('/notes/batch-get3'))
})

test('counts the calls of the open panel under the title that its page has now', async () => {
  const practice = { kind: 'panel', label: 'practice', caller: 'opening-1' } as const
  installFakeServiceProcess({
    ...services,
    'traffic.coverage': () => ({
      routes: [...count([1], practice), ...count([2])],
      counted: 2,
      lastSeq: 2,
      isWhole: true,
    }),
  })
  const view = mountComponent(CoverageView)
  await vi.waitFor(() => expect(gridText('Coverage')).toContain('/notes/batch-get2'))
  expect(view.text()).toContain('1 of 2 allowed routes')
})
