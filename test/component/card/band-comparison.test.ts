import { afterEach, expect, test } from 'vitest'
import BandComparison from '../../../renderer/panes/bands/BandComparison.vue'
import { parseBandList } from '../../../renderer/model/cards/bands.ts'
import { findAllByRole, getByRole, mountComponent } from '../../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const bands = (...heights: number[]) =>
  parseBandList(heights.map((height, seq) => ({ seq, height, role: 'practice', hasInk: false }))) ?? []
const heightsOf = (list: HTMLElement): number[] =>
  [...list.querySelectorAll('li')].map(({ style }) => Number.parseFloat(style.height))

test('bands before and after a write are drawn to one scale, and what is not confirmed is said', () => {
  const before = { bands: bands(600), source: 'read' as const, timestamp: Date.now() }
  const after = { bands: bands(600, 300), source: 'request' as const, timestamp: null }
  mountComponent(BandComparison, { props: { change: { before, after }, noteid: 'N', isSent: false } })
  const region = getByRole('region', 'Bands before and after')
  const [left, right] = [getByRole('list', 'Bands before', region), getByRole('list', 'Bands after', region)]
  expect(heightsOf(left)).toHaveLength(1)
  expect(heightsOf(right)[0]).toBe(heightsOf(left)[0])
  expect(heightsOf(right)[1]).toBeCloseTo((heightsOf(left)[0] ?? 0) / 2)
  expect(region.textContent).toContain('as the request asks, not confirmed')
  expect(region.textContent).not.toContain('old since the write')
  expect(findAllByRole('img', /added$/, right)).toHaveLength(1)
  expect(findAllByRole('button', /./, region)).toEqual([])
})

test('after the write the state before is called old, and an unlisted state is not called empty', () => {
  const before = { bands: null, source: 'read' as const, timestamp: Date.now() }
  const after = { bands: bands(100), source: 'response' as const, timestamp: Date.now() }
  mountComponent(BandComparison, { props: { change: { before, after }, noteid: 'N', isSent: true } })
  const text = getByRole('region', 'Bands before and after').textContent
  expect(text).toMatch(/read just now, old since the write/)
  expect(text).toContain('The host sends no list of bands with the card.')
  expect(text).toMatch(/as the host answered just now, not read back/)
})

test('nothing is called new if the bands were not read before', () => {
  const after = { bands: bands(100), source: 'read' as const, timestamp: Date.now() }
  mountComponent(BandComparison, { props: { change: { before: null, after }, noteid: 'N', isSent: true } })
  expect(document.body.textContent).toContain('Not read before the write.')
  expect(findAllByRole('img', /added/)).toEqual([])
})
