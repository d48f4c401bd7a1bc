import { expect, test } from 'vitest'
import WaterfallBar from '../../renderer/panes/exchange/WaterfallBar.vue'
import { createExchangeRow } from '../support/vue/exchanges.ts'
import { mountComponent } from '../support/vue/mounting.ts'

test('another scale moves the bar of a row, and changes nothing that is drawn in it', async () => {
  const timing = { queued: 1, connected: null, sent: 3, firstByte: 20, lastByte: 40 }
  const row = createExchangeRow({ startedAt: 1_100, durationMs: 40, timing })
  const scale = { start: 1_000, lengthMs: 400, count: 3, isSelection: false }
  const view = mountComponent(WaterfallBar, { props: { row, scale, currentTime: 0, isHead: false } })
  const drawing = view.get('svg')
  const bars = drawing.element.innerHTML
  expect(drawing.attributes('viewBox')).toBe('-100 0 400 26')
  expect(drawing.get('.receive').attributes()).toMatchObject({ x: '20', width: '20' })
  await view.setProps({ scale: { ...scale, start: 900, lengthMs: 800 } })
  expect(drawing.attributes('viewBox')).toBe('-200 0 800 26')
  expect(drawing.element.innerHTML).toBe(bars)
})

test('the first bar of a scale tells that its label is the time of the width', () => {
  const row = createExchangeRow({ startedAt: 1_000, durationMs: 40 })
  const scale = { start: 1_000, lengthMs: 400, count: 3, isSelection: false }
  const view = mountComponent(WaterfallBar, { props: { row, scale, currentTime: 0, isHead: true } })
  expect(view.get('.label').text()).toBe('↔ 400 ms')
})
