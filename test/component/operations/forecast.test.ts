import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test } from 'vitest'
import WriteForecast from '../../../renderer/panes/write/WriteForecast.vue'
import RecordChanges from '../../../renderer/places/operations/RecordChanges.vue'
import type { SnapshotForecast } from '../../../shared/ipc/snapshots.ts'
import type { SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import { createOperation } from '../../support/vue/operations.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const basis: SnapshotInfo = {
  ...{ id: 1, topicid: 'T', host: 'http://127.0.0.1:1/bridge/v1', startedAt: 0, endedAt: 1000, seenAt: 1000 },
  ...{ excerpts: null, palette: null },
  ...{ origin: { kind: 'place', label: null }, isRequested: false, cards: 5, detailed: 0, pages: 1, hostCount: 5 },
  ...{ gaps: [], isInTreeOrder: true, members: ['title'], bytes: 10 },
  anomalies: { duplicates: 0, orphans: 0, circles: 0 },
}
type Full = Extract<SnapshotForecast, { outcome: 'forecast' }>
const place = { before: { noteid: 'A', title: 'Heart' }, after: { noteid: '', title: '' } }
const forecast: Full = {
  ...{ outcome: 'forecast', basis, cardCount: 2, unchanged: 0, missing: 1, check: null },
  cards: [
    { noteid: 'B', title: 'Valves', kinds: ['removed'], below: 3, place, members: [] },
    {
      ...{ noteid: 'C', title: '', kinds: ['renamed'], below: 0, place: null },
      members: [{ name: 'title', change: 'set', before: '', after: 'New' }],
    },
  ],
}
const write = { host: basis.host, endpoint: 'notes.delete', path: '/notes/delete', body: '{"noteIds":["B"]}' }
const span = { startedAt: 2000, endedAt: 3000 }

async function show(result: SnapshotForecast, props: object = {}): Promise<string> {
  const page = installFakeServiceProcess({ 'snapshots.forecast': () => result })
  mountComponent(WriteForecast, { props: { ...write, ...props } })
  await flushPromises()
  expect(page.calls.at(-1)).toMatchObject({ method: 'snapshots.forecast', input: write })
  return document.body.textContent.replace(/\s+/g, ' ')
}

test('says what a write is going to change, and on what that is based', async () => {
  const text = await show(forecast)
  expect(getByRole('region', 'Forecast')).toBeTruthy()
  expect(text).toContain('removed · 3 cards directly below go to the top level')
  expect(text).toContain('title: “” → “New”')
  expect(text).toContain('1 card is not in the snapshot · From the snapshot of')
  expect(text).toContain('the host may do otherwise')
  expect(text).not.toContain('compared')
})

test.each([
  [{ outcome: 'silent' }, 'No forecast: the contract does not say what it changes.'],
  [{ outcome: 'noSnapshot' }, 'No forecast: no snapshot has the card.'],
] as const)(
  'says briefly why there is no forecast before the write, and nothing afterwards',
  async (result, expected) => {
    expect(await show(result)).toContain(expected)
    document.body.innerHTML = ''
    expect(await show(result, { span })).not.toContain('No forecast')
  },
)

test('a write that is not about cards has no section', async () => {
  await show({ outcome: 'none' })
  expect(findAllByRole('region', 'Forecast')).toEqual([])
})

test('afterwards says whether it came so', async () => {
  expect(await show(forecast, { span })).toContain('Not compared yet')
  const check = { snapshot: basis, differences: [], differenceCount: 0, confirmed: 2, unchecked: 0 }
  expect(await show({ ...forecast, check }, { span })).toContain('As forecast, by the snapshot of')
  expect(await show({ ...forecast, check: { ...check, unchecked: 1 } }, { span })).toContain(
    'as far as it was compared',
  )
  const unread = { ...check, confirmed: 0, unchecked: 1 }
  expect(await show({ ...forecast, check: unread }, { span })).toContain('Not compared: the snapshot of')
  const difference = { kind: 'place', noteid: 'D', title: 'Atrium', member: '', actual: '' } as const
  const otherwise = { ...check, differences: [difference], differenceCount: 3 }
  const text = await show({ ...forecast, check: otherwise }, { span })
  expect(text).toContain('not everything is as forecast; others may have changed it')
  expect(text).toMatch(/Atrium ?is in top level/)
  expect(text).toContain('2 more')
})

test.each([
  ['persisted', 1],
  ['refused', 0],
] as const)('the record of a write that is %s has %i forecasts', async (state, count) => {
  const page = installFakeServiceProcess({ 'snapshots.forecast': () => forecast })
  const record = createOperation({ state }, { transitions: [{ state, at: 5, event: 0 }] })
  mountComponent(RecordChanges, { props: { record } })
  await flushPromises()
  expect(findAllByRole('region', 'Forecast')).toHaveLength(count)
  expect(page.calls.filter(({ method }) => method === 'snapshots.forecast')).toHaveLength(count)
})
