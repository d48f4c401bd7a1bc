import { readFileSync } from 'node:fs'
import path from 'node:path'
import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import RecordedCallList from '../../../renderer/recording-page/RecordedCallList.vue'
import RecordedChanges from '../../../renderer/recording-page/RecordedChanges.vue'
import RecordedCall from '../../../renderer/recording-page/RecordedCall.vue'
import RecordingPage from '../../../renderer/recording-page/RecordingPage.vue'
import { readRecordedPage } from '../../../renderer/recording-page/recorded-page.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'
import type { OperationEvent } from '../../../shared/operations/operation-events.ts'
import { BY_HAND_MARK } from '../../../shared/panel/breakpoints.ts'
import type { OverrideRule } from '../../../shared/panel/overrides.ts'
import type { Finding } from '../../../shared/protocol/finding.ts'
import type { ManifestFacts, SnapshotLine } from '../../../shared/recordings/recording.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import {
  createRecordedDeviation,
  createRecordedExchange,
  createRecordedPanelNote,
  createRecordingSource,
  createManifestFacts,
  createSnapshotInfo,
  getBodyName,
} from '../../support/data/recordings.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { getByRole, mountComponent } from '../../support/vue/mounting.ts'
import { createOperation } from '../../support/vue/operations.ts'

beforeEach(() => {
  // happy-dom has no layout: pretend there are 4,000 px of room.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 4_000 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1_400 })
})
afterEach(() => {
  document.body.innerHTML = ''
  location.hash = ''
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

type Lines = NonNullable<Parameters<typeof createRecordingSource>[1]>['lines']

/** Writes a recording of these calls, and returns its path. */
async function saveRecording(
  rows: readonly Partial<ExchangeRow>[],
  lines: Lines = {},
  facts: Partial<ManifestFacts> = {},
): Promise<string> {
  const file = path.join(createTempDir(), 'bug.birec')
  const exchanges = rows.map((row, index) => createRecordedExchange(index + 1, '{}', { row: { origin, ...row } }))
  const describe = (): ManifestFacts => createManifestFacts(facts)
  await writeRecording(file, createRecordingSource(['{}'], { describe, lines: { exchanges, ...lines } }))
  return file
}

test('the filter of the page is that of Traffic, without what needs bodies', async () => {
  const file = await saveRecording(
    [
      { method: 'GET', path: '/bridge/v1/status', template: '/status' },
      { method: 'GET', path: '/bridge/v1/statuss', status: 404, errorCode: 'NOT_FOUND', durationMs: 2_000 },
      { method: 'POST', path: '/bridge/v1/notes/N/title', origin: { kind: 'heartbeat', label: null } },
      { method: 'GET', path: '/bridge/v1/decks', status: 503 },
    ],
    { findings: [createFinding(2), createFinding(4, { rule: 'batch-of-one', withdrawnAt: 1_000_100 })] },
  )
  const page = await readRecordedPage(new Uint8Array(readFileSync(file)))
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
  // Counted from the end of the recording, however long ago that was.
  expect(await filter('last:1h')).toHaveLength(4)
  expect(await filter('-last:1h')).toHaveLength(0)

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

async function mountPage(file: string) {
  const page = mountComponent(RecordingPage, { props: { source: readFileSync(file).toString('base64') } })
  await vi.waitFor(() => expect(page.text()).toContain('Not signed in full'))
  return page
}

test('the same finding stands once, with its count and all calls', async () => {
  const rows = Array.from({ length: 61 }, (): Partial<ExchangeRow> => ({ path: '/bridge/v1/statuss', status: 404 }))
  const findings = [
    ...rows.map((_, index) => createFinding(index + 1)),
    createFinding(61, { id: 'other', resource: 'GET /other', params: { path: '/other' } }),
    createFinding(3, { id: 'withdrawn', withdrawnAt: 1_000_100 }),
  ]
  const page = await mountPage(await saveRecording([...rows, { path: '/bridge/v1/status' }], { findings }))
  const entries = page.findAll('[data-testid="finding"]')
  expect(entries).toHaveLength(3)
  expect(getByRole('heading', 'Findings 3')).toBeTruthy()
  const entry = entries.find((candidate) => candidate.text().includes('61 times since'))
  // The sentence comes first, the name of the rule is secondary.
  expect(entry?.find('strong').text()).toContain('is no route of the contract')
  expect(entry?.text()).toContain('Unknown route')
  expect(entry?.findAll('a').map((link) => link.text())).toEqual([1, 2, 3, 4, 5].map((seq) => `Call ${seq}`))

  getByRole('button', 'All 61 calls').click()
  await flushPromises()
  const list = getByRole('region', 'Exchanges')
  expect(list.textContent).toContain('61 exchanges')
  expect(list.textContent).toContain('Only the calls of “Unknown route” are listed.')
  getByRole('button', 'List all').click()
  await flushPromises()
  expect(list.textContent).toContain('62 exchanges')
  expect(list.textContent).not.toContain('Only the calls')
})

test('a call is copied as cURL with the body that was sent', async () => {
  const body = '{"text":"It\'s new"}'
  const hash = getBodyName(body)
  const exchange = createRecordedExchange(1, '{}', {
    row: { method: 'POST', path: '/notes/N/title', origin },
    request: { total: body.length, kept: body.length, missing: null, hash, mediaType: 'application/json' },
  })
  const file = path.join(createTempDir(), 'bug.birec')
  await writeRecording(file, createRecordingSource(['{}', body], { lines: { exchanges: [exchange] } }))
  const page = await readRecordedPage(new Uint8Array(readFileSync(file)))
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  mountComponent(RecordedCall, { props: { page, seq: 1 } })
  getByRole('button', 'Copy as cURL').click()
  await vi.waitFor(() => expect(writeText).toHaveBeenCalled())
  const [command = ''] = writeText.mock.calls[0] ?? []
  expect(command).toContain("'http://127.0.0.1:42340/bridge/v1/notes/N/title'")
  expect(command).toContain(String.raw`'{"text":"It'\''s new"}'`)
  expect(command).not.toContain('[redacted]')
})

test('an operation stands with its outcome, its states and its events', async () => {
  const response: OperationEvent = {
    kind: 'answer',
    at: 1_020,
    status: 200,
    body: { persisted: true },
    cut: false,
    durationMs: 20,
    exchangeId: 'exchange-1',
    instanceNonce: null,
  }
  const events: OperationEvent[] = [{ kind: 'sent', at: 1_000 }, response]
  const transitions: Operation['transitions'] = [
    { state: 'sent', at: 1_000, event: 0 },
    { state: 'persisted', at: 1_020, event: 1 },
  ]
  const operation = { ...createOperation({}, { events, transitions }), instanceNonce: null }
  const page = await mountPage(await saveRecording([{}], { operations: [operation] }))
  const part = page.get('[aria-label="Operations"]')
  expect(part.get('h2').text()).toBe('Operations 1')
  expect(part.get('li summary').text()).toContain('POST /notes/N/title')
  for (const text of ['Saved and verified.', '+20 ms', 'Response 200', '"persisted": true'])
    expect(part.text()).toContain(text)
})

test('the console of the panel is folded, in order, bounded, and opened by its address', async () => {
  const notes = [
    createRecordedPanelNote(1, { kind: 'load', text: 'opened' }),
    createRecordedPanelNote(2, { kind: 'error', level: 'error', text: 'TypeError: note is undefined' }),
    createRecordedPanelNote(3, { kind: 'refused', level: 'warning', what: 'window', text: 'https://example.org' }),
    createRecordedPanelNote(4, { kind: 'click', text: 'button' }),
    ...Array.from({ length: 400 }, (_, index) => createRecordedPanelNote(index + 5)),
  ]
  location.hash = '#console'
  const page = await mountPage(await saveRecording([{}], { console: notes }))
  const part = page.get<HTMLDetailsElement>('[aria-label="Console lines"]')
  // A click is a cause, not output.
  expect(part.get('h2').text()).toBe('Console lines 403')
  expect(part.element.open).toBe(true)
  await vi.waitFor(() => expect(part.findAll('li')).toHaveLength(300))
  const [load, failure, refusal, first] = part.findAll('li').map((line) => line.text())
  expect(load).toContain('Loaded')
  expect(failure).toMatch(/Uncaught.*TypeError: note is undefined.*main\.js:2:3/)
  expect(refusal).toContain('https://example.org')
  expect(first).toContain('Line 5')
  part.findAll('button').at(-1)?.element.click()
  await vi.waitFor(() => expect(part.findAll('li')).toHaveLength(403))

  location.hash = ''
  const closed = await mountPage(await saveRecording([{}], { console: notes.slice(0, 1) }))
  expect(closed.get<HTMLDetailsElement>('[aria-label="Console lines"]').element.open).toBe(false)
  for (const name of ['Operations', 'Overrides', 'Deviations'])
    expect(closed.find(`[aria-label="${name}"]`).exists()).toBe(false)
})

test('a call that the host did not answer says so, in the list, in its detail and among the overrides', async () => {
  const rule: OverrideRule = {
    id: 'rule-1',
    name: 'Decks are down',
    on: true,
    match: { method: 'GET', path: '/decks', nth: 2 },
    answer: { kind: 'canned', status: 503, headers: [], body: '', base64: false },
    delayMs: 200,
  }
  const rows: Partial<ExchangeRow>[] = [
    { path: '/bridge/v1/decks', status: 503, rule: rule.name },
    { path: '/bridge/v1/decks', status: 403, rule: 'not-allowed' },
    { path: '/bridge/v1/decks', status: 502, rule: BY_HAND_MARK },
    { path: '/bridge/v1/decks' },
  ]
  const page = await mountPage(await saveRecording(rows, { overrides: [rule] }))
  const [part] = page.findAll('[aria-label="Overrides"]')
  expect(part?.get('h2').text()).toBe('Overrides 1')
  expect(part?.get('p').text()).toContain('as they were when the recording was saved')
  expect(part?.get('li').text()).toMatch(/Decks are down\s*GET \/decks, only no\. 2 → answers 503 after 200 ms/)
  const sentences = [
    'Answered by the rule “Decks are down”',
    'Answered by the panel’s gate; the host was not asked',
    'Answered or ended by hand; the host was not asked',
  ]
  await vi.waitFor(() =>
    expect(page.findAll('[role="gridcell"] [role="img"]').map((mark) => mark.attributes('aria-label'))).toEqual(
      sentences,
    ),
  )
  const recorded = await readRecordedPage(new Uint8Array(readFileSync(await saveRecording(rows))))
  const details = rows.map((_, index) => mountComponent(RecordedCall, { props: { page: recorded, seq: index + 1 } }))
  expect(details.map((call) => call.findAll('.notice-bar').map((note) => note.text())[0])).toEqual([
    ...sentences,
    undefined,
  ])
})

test('only deviations that bind the host are listed, each with what the contract says and its call', async () => {
  const deviations = [
    createRecordedDeviation(),
    createRecordedDeviation({ kind: 'missing', lastSeq: 90, muted: { reason: 'Known since May', at: 1_000_000 } }),
    createRecordedDeviation({ kind: 'unknown-member', basis: 'observed' }),
  ]
  const page = await mountPage(await saveRecording([{}, {}], { deviations }))
  const part = page.get('[aria-label="Deviations"]')
  expect(part.get('h2').text()).toBe('Deviations 2')
  const [wrongType, missing] = part.findAll('li')
  for (const text of ['wrong type', 'GET /status /app', 'another JSON type', 'string → number', 'Call 2'])
    expect(wrongType?.text()).toContain(text)
  expect(missing?.text()).toContain('Known since May')
  // Its last call is not in the recording.
  expect(missing?.get('a').attributes('href')).toBe('#call-1')
  await missing?.get('a').trigger('click')
  expect(getByRole('region', 'Call 1')).toBeTruthy()
})

test('a moment without its picture says why, and still leads to its calls', async () => {
  const moments = [{ at: 1_000_003, exchange: 2, screenshot: null }]
  const page = await mountPage(await saveRecording([{}, {}, { startedAt: 2_000_000 }], { moments }))
  const moment = page.get('[aria-label="Pictures of the panel"] button')
  expect(moment.text()).toContain('No picture: it was larger than 256 KB, or left out.')
  await moment.trigger('click')
  expect(getByRole('region', 'Call 2')).toBeTruthy()
  expect(getByRole('region', 'Exchanges').textContent).toContain('2 exchanges')
})

/** Snapshots of a card with these titles. */
const listSnapshots = (...titles: readonly string[]): SnapshotLine[] =>
  titles.flatMap((title, index) => [
    { snapshot: createSnapshotInfo(1_000_000 + index * 100) },
    { noteid: 'N1', parent: null, title },
  ])

test('a change that no call in the recording explains is held against nobody', async () => {
  const page = await mountPage(await saveRecording([{}], { snapshots: listSnapshots('Old', 'New') }))
  const changes = page.get('[aria-label="What changed in the library"]')
  await vi.waitFor(() => expect(changes.get('h2').text()).toBe('What changed in the library 1'))
  await vi.waitFor(() => expect(changes.get('[role="treeitem"]').text()).toContain('no call in this recording'))
  await changes.get('[role="treeitem"]').trigger('click')
  expect(changes.text()).toContain(
    'No call in this recording explains it. The host itself changed the card, or a call that this recording does not hold.',
  )
  expect(changes.text()).not.toMatch(/nobody|not recorded/i)
})

test('a redacted recording whose texts became alike does not say that nothing changed', async () => {
  const findChanges = async (redaction: ManifestFacts['redaction']) => {
    const snapshots = listSnapshots('xxx', 'xxx')
    const page = await mountPage(await saveRecording([{}], { snapshots }, { redaction }))
    const changes = page.get('[aria-label="What changed in the library"]')
    await vi.waitFor(() => expect(changes.get('h2').text()).toBe('What changed in the library 0'))
    return changes.text()
  }
  expect(await findChanges(null)).toContain('No differences in 1 card')
  expect(await findChanges({ texts: 'keep', ids: 'map', pictures: 'grey' })).toContain('No differences in 1 card')
  const redacted = await findChanges({ texts: 'placeholder', ids: 'keep', pictures: 'grey' })
  expect(redacted).toContain('where two texts became alike, what changed in them is not shown')
  expect(redacted).not.toContain('No differences in')
})

test('the step that was chosen last is shown, also when an earlier one takes longer', async () => {
  const file = await saveRecording([{}], { snapshots: listSnapshots('Old', 'Old', 'New') })
  const page = await readRecordedPage(new Uint8Array(readFileSync(file)))
  const { reader } = page
  const slowRead = Promise.withResolvers<undefined>()
  let [readCount, endedCount] = [0, 0]
  const readLines: typeof reader.readLines = async function* (part) {
    readCount += 1
    // The list of the snapshots is read first, then the oldest and the newest.
    if (readCount === 2) await slowRead.promise
    yield* reader.readLines(part)
    endedCount += 1
  }
  const changes = mountComponent(RecordedChanges, { props: { page: { ...page, reader: { ...reader, readLines } } } })
  await vi.waitFor(() => expect(changes.findAll('option')).toHaveLength(3))
  await changes.get('select').setValue('1')
  await vi.waitFor(() => expect(changes.get('h2').text()).toBe('What changed in the library 0'))
  slowRead.resolve(undefined)
  await vi.waitFor(() => expect(endedCount).toBe(3))
  // The comparison of what was read takes some turns of the event loop.
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(changes.get('h2').text()).toBe('What changed in the library 0')
})

test('one snapshot of each study set is compared with nothing', async () => {
  const page = await mountPage(await saveRecording([{}], { snapshots: listSnapshots('Old', 'New').slice(0, 2) }))
  const changes = page.get('[aria-label="What changed in the library"]')
  await vi.waitFor(() => expect(changes.text()).toContain('nothing with which to compare it'))
  expect(changes.findAll('[role="treeitem"], select')).toHaveLength(0)
})

test('the first row of a burst stands out, as in Traffic', async () => {
  const seconds = (count: number): number => 1_000_000 + count * 1_000
  const file = await saveRecording([
    { startedAt: seconds(0), durationMs: 20 },
    { startedAt: seconds(0) + 30, durationMs: 20 },
    { startedAt: seconds(600), durationMs: 20 },
    { startedAt: seconds(600) + 30, durationMs: 20 },
  ])
  const page = await readRecordedPage(new Uint8Array(readFileSync(file)))
  mountComponent(RecordedCallList, { props: { page, selected: null } })
  await vi.waitFor(() => expect(document.querySelectorAll('.cell.answered')).toHaveLength(4))
  expect(document.querySelectorAll('.cell.head')).toHaveLength(1)
})
