import { afterEach, expect, test } from 'vitest'
import SyncLanes from '../../../renderer/places/host/SyncLanes.vue'
import SyncTimeline from '../../../renderer/places/host/SyncTimeline.vue'
import { findAllByRole, getByRole, mountComponent } from '../../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const events = [
  { sequence: 1, kind: 'push', at: '2026-10-30T08:00:00Z' },
  { sequence: 3, kind: 'pull', at: '2026-10-30T10:00:00Z' },
  { sequence: 2, kind: 'push', at: '2026-10-30T09:00:00Z' },
]

test('events are drawn over time, and the last one is named with its time', () => {
  const page = mountComponent(SyncTimeline, { props: { events: [...events, { sequence: 4, kind: 'odd' }] } })
  expect(getByRole('img').getAttribute('aria-label')).toMatch(/^3 events from .* to .*$/)
  expect([...document.querySelectorAll('code')].map(({ textContent }) => textContent)).toEqual(['pull', 'pull', 'push'])
  expect(page.text()).toMatch(/^Last event: pull/)
  expect(page.text()).toContain('1 event without a time')
})

test.each([
  [
    'without times',
    [
      { sequence: 1, kind: 'push' },
      { at: null, sequence: 'x' },
    ],
  ],
  ['of no length', []],
])('events %s draw nothing', (_case, list) => {
  expect(mountComponent(SyncTimeline, { props: { events: list } }).text()).toBe('')
})

test('each part of the status shows every member, and its times also as relative times', () => {
  const lastSyncAt = new Date(Date.now() - 7_200_000).toISOString()
  mountComponent(SyncLanes, {
    props: {
      status: {
        cloudKit: { state: 'idle', pending: 0, fromTheFuture: 'x', lastSyncAt },
        documents: null,
        bridgeApiVersion: '1',
      },
    },
  })
  expect(findAllByRole('region').map((region) => region.getAttribute('aria-label'))).toEqual(['cloudKit'])
  const text = getByRole('region', 'cloudKit').textContent
  for (const part of ['pending', '0', 'fromTheFuture', lastSyncAt, '2 hours ago']) expect(text).toContain(part)
})
