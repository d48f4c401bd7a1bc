import { afterEach, describe, expect, test } from 'vitest'
import { nextTick } from 'vue'
import BarCount from '../../renderer/components/charts/BarCount.vue'
import DensityStrip from '../../renderer/places/excerpts/DensityStrip.vue'
import SparkLine from '../../renderer/components/charts/SparkLine.vue'
import { createBarScale } from '../../renderer/components/charts/bar-scale.ts'
import HighlightedText from '../../renderer/places/search/HighlightedText.vue'
import PracticeHistory from '../../renderer/panes/card/PracticeHistory.vue'
import LatencyLine from '../../renderer/panes/LatencyLine.vue'
import SyncTable from '../../renderer/places/host/SyncTable.vue'
import EventList from '../../renderer/places/operations/EventList.vue'
import { toSyncEventRows } from '../../renderer/places/host/sync-events.ts'
import { useConnection } from '../../renderer/stores/connection.ts'
import { respond, intent, sentEvent } from '../support/services/operation-events.ts'
import { getByRole, mountComponent } from '../support/vue/mounting.ts'
import { createConnectionState } from '../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

describe('bar chart', () => {
  test('scales counts: none for zero, full width for the largest, in order, and every count visible', () => {
    const lengthOf = createBarScale([0, 1, 30, 200_000, undefined, null])
    expect([lengthOf(0), lengthOf(undefined), lengthOf(null), lengthOf(200_000)]).toEqual([0, 0, 0, 1])
    expect(lengthOf(1)).toBeGreaterThanOrEqual(0.02)
    expect(lengthOf(100_000)).toBe(0.5)
    expect(createBarScale([])(5)).toBe(0)
  })

  test('is drawn beside the number', () => {
    mountComponent(BarCount, { props: { length: 0.5, text: '1,200' } })
    expect(document.querySelector<HTMLElement>('.bar')?.style.inlineSize).toBe('50%')
    expect(document.body.textContent.trim()).toBe('1,200')
  })
})

describe('document strip', () => {
  const strip = (counts: readonly number[], page: number | null = null) =>
    mountComponent(DensityStrip, {
      props: { counts, page, label: 'L', getTip: (from: number, to: number, n: number) => `${from}-${to}: ${n}` },
    })

  test('has a bar per page, marks the chosen one, and emits the page that is pressed', () => {
    const wrapper = strip([1, 0, 4], 3)
    const bins = wrapper.findAll('.bin')
    expect(bins.map((bin) => bin.classes().includes('here'))).toEqual([false, false, true])
    void bins[2]?.trigger('click')
    void bins[1]?.trigger('click')
    expect(wrapper.emitted('pick')).toEqual([[3, 3]])
    getByRole('img', 'L')
  })

  test('combines pages into one bar where there are many, and loses none', () => {
    const wrapper = strip(Array.from({ length: 1_000 }, () => 1))
    const bins = wrapper.findAll('.bin')
    expect(bins.length).toBeLessThanOrEqual(240)
    void bins.at(-1)?.trigger('click')
    expect(wrapper.emitted<[number, number]>('pick')?.[0]?.[1]).toBe(1_000)
  })
})

describe('latency chart', () => {
  test('is a line that breaks where the host did not respond, with a rule at each marked time', () => {
    const points = [
      { timestamp: 0, value: 4 },
      { timestamp: 10, value: 8 },
      { timestamp: 20, value: null },
      { timestamp: 30, value: 2 },
    ]
    mountComponent(SparkLine, { props: { points, markTimestamps: [20, 99], label: 'L' } })
    expect(document.querySelector('path')?.getAttribute('d')?.match(/M/g)).toHaveLength(2)
    expect(document.querySelectorAll('.rule')).toHaveLength(1)
  })

  test('describes its range and the restarts in words, and starts over for another host', async () => {
    mountComponent(LatencyLine)
    const store = useConnection()
    const timestamp = new Date(2026, 10, 3, 14, 3, 20).getTime()
    const beat = async (n: number, more: Parameters<typeof createConnectionState>[0] = {}): Promise<void> => {
      store.state = createConnectionState({ lastSeenAt: timestamp + n * 5_000, latencyMs: 10 + n, ...more })
      await nextTick()
    }
    await beat(0)
    await beat(1)
    await beat(2, { phase: 'offline', latencyMs: null })
    await beat(3, { changes: [{ at: timestamp + 15_000, restarted: true, facts: [] }] })
    const text = getByRole('img').getAttribute('aria-label')
    expect(text).toBe('Latency of the last 3 heartbeats: 10 to 13 ms. Restarts of the host: 14:03:35.')
    const { profile } = createConnectionState()
    await beat(9, { profile: profile && { ...profile, id: 'other' } })
    expect(getByRole('img').getAttribute('aria-label')).toBe('Latency of 1 heartbeat: 19 to 19 ms.')
  })
})

test('practice history is a dot chart with a lane for each verdict, and has a description in words', () => {
  const entry = { reason: null, reasonLabel: null, addon: null, topic: null, card: null, isFromWriteResponse: false }
  const day = (n: number): string => `2026-10-0${n}T08:00:00Z`
  const entries = [
    { ...entry, timestamp: day(5), self: 'good' },
    { ...entry, timestamp: 'some day', self: 'good' },
    { ...entry, timestamp: day(3), self: 'again' },
    { ...entry, timestamp: day(1), self: 'good' },
  ]
  mountComponent(PracticeHistory, { props: { noteid: 'N', entries } })
  expect(getByRole('img').getAttribute('aria-label')).toBe(
    'Practice from Oct 1, 2026 to Oct 5, 2026: good: 2, again: 1',
  )
  const lefts = [...document.querySelectorAll<HTMLElement>('.mark')].map(({ style }) => style.insetInlineStart)
  expect(lefts).toEqual(['50%', '0%', '100%'])
  expect(document.querySelectorAll('li')).toHaveLength(4)
})

test('events of an operation show the time since its start', () => {
  const events = [
    { ...intent, at: 1_000 },
    { ...sentEvent, at: 1_100 },
    { ...respond({}), at: 2_000 },
    { kind: 'read-back', at: 90_000, when: 'asked', facts: {}, error: null, instanceNonce: null } as const,
  ]
  mountComponent(EventList, { props: { events } })
  expect([...document.querySelectorAll('.since')].map(({ textContent }) => textContent)).toEqual([
    '',
    '+100 ms',
    '+1 s',
    '+1.5 min',
  ])
})

test('sync events become table rows under any member names, and keep their other members', () => {
  const events = [
    { sequence: 7, type: 'pull', timestamp: 1_790_000_000, pages: 3 },
    { kind: 'push', at: '2026-10-30T08:00:00Z', operationId: 'OP' },
    { sequence: 'odd' },
  ]
  const rows = toSyncEventRows(events)
  expect(rows).toEqual([
    {
      position: 0,
      sequence: 7,
      timestamp: 1_790_000_000_000,
      kind: 'pull',
      operationId: '',
      otherMembers: '{"pages":3}',
    },
    {
      position: 1,
      sequence: null,
      timestamp: Date.parse('2026-10-30T08:00:00Z'),
      kind: 'push',
      operationId: 'OP',
      otherMembers: '',
    },
    { position: 2, sequence: null, timestamp: null, kind: '', operationId: '', otherMembers: '' },
  ])
  mountComponent(SyncTable, { props: { events } })
  expect(getByRole('grid', 'Sync events').getAttribute('aria-rowcount')).toBe('4')
})

test.each([
  ['The thesis', 'the', 'The'],
  ['a thesis', 'THESIS on', 'thesis'],
  ['nothing here', 'xyz', undefined],
  ['<b>bold</b>', '<B>', '<b>'],
])('in %j, %j highlights %j', (text, query, marked) => {
  const wrapper = mountComponent(HighlightedText, { props: { text, query } })
  expect(wrapper.find('mark').exists() ? wrapper.get('mark').text() : undefined).toBe(marked)
  expect(wrapper.text()).toBe(text)
})
