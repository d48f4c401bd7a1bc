import { readFileSync } from 'node:fs'
import path from 'node:path'
import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import RecordedCallList from '../../../renderer/recording-page/RecordedCallList.vue'
import { readRecordedPage, type RecordedPage } from '../../../renderer/recording-page/recorded-page.ts'
import type { Finding } from '../../../shared/protocol/finding.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { createRecordedExchange, createRecordingSource } from '../../support/data/recordings.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { getByRole, mountComponent } from '../../support/vue/mounting.ts'

beforeEach(() => {
  // happy-dom has no layout: pretend there are 4,000 px of room.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 4_000 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1_400 })
})
afterEach(() => {
  document.body.innerHTML = ''
})

const origin = { kind: 'panel', label: 'Practice', caller: 'panel-1', load: 1 } as const
const createFinding = (seq: number, changed: Partial<Finding> = {}): Finding => ({
  id: `unknown-route:${seq}`,
  rule: 'unknown-route',
  at: 1_000_000 + seq,
  origin,
  resource: 'GET /statuss',
  exchanges: [seq],
  params: { path: '/statuss' },
  ...changed,
})

/** Opens a recording of these calls as its page does. */
async function openPage(
  rows: readonly Partial<ExchangeRow>[],
  lines: Parameters<typeof createRecordingSource>[1] extends { lines?: infer Lines } | undefined ? Lines : never = {},
): Promise<RecordedPage> {
  const file = path.join(createTempDir(), 'bug.birec')
  const exchanges = rows.map((row, index) => createRecordedExchange(index + 1, '{}', { row: { origin, ...row } }))
  await writeRecording(file, createRecordingSource(['{}'], { lines: { exchanges, ...lines } }))
  return readRecordedPage(new Uint8Array(readFileSync(file)))
}

test('the filter of the page is that of Traffic, without what needs bodies', async () => {
  const page = await openPage(
    [
      { method: 'GET', path: '/bridge/v1/status', template: '/status' },
      { method: 'GET', path: '/bridge/v1/statuss', status: 404, errorCode: 'NOT_FOUND', durationMs: 2_000 },
      { method: 'POST', path: '/bridge/v1/notes/N/title', origin: { kind: 'heartbeat', label: null } },
      { method: 'GET', path: '/bridge/v1/decks', status: 503 },
    ],
    { findings: [createFinding(2), createFinding(4, { rule: 'batch-of-one', withdrawnAt: 1_000_100 })] },
  )
  const list = mountComponent(RecordedCallList, { props: { page, selected: null } })
  const field = getByRole('searchbox') as HTMLInputElement
  async function filter(text: string): Promise<string[]> {
    field.value = text
    field.dispatchEvent(new Event('input'))
    await flushPromises()
    return list.findAll('[role="gridcell"] .gap-1 > .truncate').map((cell) => cell.text().replace('/bridge/v1', ''))
  }
  expect(await filter('')).toEqual(['/status', '/statuss', '/notes/N/title', '/decks'])
  expect(await filter('status:4xx status:503')).toEqual(['/statuss', '/decks'])
  expect(await filter('-method:POST -route:/status')).toEqual(['/statuss', '/decks'])
  expect(await filter('has:finding')).toEqual(['/statuss'])
  expect(await filter('slower:1s not_found')).toEqual(['/statuss'])
  expect(await filter('origin:panel decks')).toEqual(['/decks'])

  expect(await filter('id:N method:POST')).toEqual(['/notes/N/title'])
  expect(list.text()).toContain('The filter does not take id:N.')
  // Half a token says nothing until it is left.
  getByRole('searchbox').dispatchEvent(new FocusEvent('focusin', { bubbles: true }))
  expect(await filter('status:9')).toHaveLength(4)
  expect(list.text()).not.toContain('does not take')
  getByRole('searchbox').dispatchEvent(new FocusEvent('focusout', { bubbles: true }))
  await flushPromises()
  expect(list.text()).toContain('The filter does not take status:9.')
})
