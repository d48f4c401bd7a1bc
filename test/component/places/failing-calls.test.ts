import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import FailingCalls from '../../../renderer/places/recordings/FailingCalls.vue'
import { useApp } from '../../../renderer/stores/app.ts'
import type { AppInfo } from '../../../shared/ipc/app.ts'
import { createExchangeRow } from '../../support/vue/exchanges.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createRecordingEntry } from '../../support/vue/recordings.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const TITLE = 'Calls with a finding or an error'

/** Shows the recording `id` while `open` is open; without `hasFinding`, calls show errors only. */
async function show(id: string, open: string, hasFinding = false) {
  const rows = [createExchangeRow({ seq: 7, status: 422 }), createExchangeRow({ seq: 9, status: 404 })]
  const page = installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [] }),
    'recordings.current': () => ({ open: { entry: createRecordingEntry({ id: open }), openedAt: 1 } }),
    'findings.list': () => ({ findings: [], total: 0, totals: { findings: 0, advice: 0, withdrawn: 0 }, muted: [] }),
    'findings.of': () => ({ findings: [] }),
    'traffic.head': (input) => ({
      rows: (input as { filter: object }).filter.hasOwnProperty('hasFinding') && !hasFinding ? [] : rows,
      newest: 9,
      isWhole: true,
    }),
  })
  const Later = { components: { FailingCalls }, data: () => ({ id, isShown: false }) }
  const view = mountComponent({ ...Later, template: '<FailingCalls v-if="isShown" :id />' })
  useApp().info = { recording: { title: 'Day', startedAt: 1 } } as AppInfo
  await view.setData({ isShown: true })
  await flushPromises()
  return page
}
const listFilters = (page: Awaited<ReturnType<typeof show>>) =>
  page.calls.filter(({ method }) => method === 'traffic.head').map(({ input }) => (input as { filter: object }).filter)

test('the report of an open recording selects the call that failed first, and shows the findings of the selected one', async () => {
  const page = await show('r1', 'r1')
  await vi.waitFor(() => getByRole('region', TITLE))
  const listButtons = () => findAllByRole('button', undefined, getByRole('region', TITLE))
  const listPressed = () => listButtons().map((button) => button.getAttribute('aria-pressed'))
  expect(listPressed()).toEqual(['true', 'false'])
  expect(getByRole('link', 'Show the call in Traffic').getAttribute('href')).toBe('/traffic/7')
  listButtons()[1]?.click()
  await flushPromises()
  expect(listPressed()).toEqual(['false', 'true'])
  expect(page.calls.findLast(({ method }) => method === 'findings.of')?.input).toEqual({ seq: 9 })
  expect(listFilters(page)).toContainEqual({ statuses: ['4', '5'] })
})

test('errors are listed only if no call shows a finding', async () => {
  const page = await show('r1', 'r1', true)
  await vi.waitFor(() => getByRole('region', TITLE))
  expect(listFilters(page)).not.toContainEqual({ statuses: ['4', '5'] })
})

test('a recording that is not open lists no calls', async () => {
  const page = await show('r2', 'r1')
  expect(page.calls.map(({ method }) => method)).toContain('recordings.current')
  expect(findAllByRole('region', TITLE)).toEqual([])
  expect(listFilters(page)).toEqual([])
})
