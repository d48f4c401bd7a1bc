import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Router } from 'vue-router'
import RecordingsPlace from '../../../renderer/places/recordings/RecordingsPlace.vue'
import type { Finding } from '../../../shared/protocol/finding.ts'
import { useRecordings } from '../../../renderer/stores/recordings.ts'
import { createRefusedError } from '../../../shared/errors.ts'
import type { RecordingEntry } from '../../../shared/ipc/recordings.ts'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { createConnectionState } from '../../support/vue/states.ts'
import { createRecordingEntry, createRecordingInfo } from '../../support/vue/recordings.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

beforeEach(() => {
  // happy-dom has no layout: pretend there are 400 px of room.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1400 })
})
afterEach(() => {
  document.body.innerHTML = ''
})

const gridText = (): string => getByRole('grid', 'Recordings').textContent
const clickRow = async (name: string): Promise<void> => {
  const row = findAllByRole('row', undefined, getByRole('grid', 'Recordings')).find(({ textContent }) =>
    textContent.includes(name),
  )
  row?.click()
  await flushPromises()
}

async function chooseMore(name: string): Promise<void> {
  getByRole('button', 'More actions').click()
  await vi.waitFor(() => getByRole('menuitem', name).click())
}

test('without recordings, the page says what one is for', async () => {
  installFakeServiceProcess({ 'recordings.list': () => ({ recordings: [] }) })
  mountComponent(RecordingsPlace)
  await vi.waitFor(() => expect(document.body.textContent).toContain('one file with what was seen'))
  getByRole('button', 'Save recording…')
  getByRole('button', 'Open recording…')
})

test('an address of a recording that is not in the list says so, until the list has it', async () => {
  let recordings: readonly RecordingEntry[] = []
  installFakeServiceProcess({
    'recordings.list': () => ({ recordings }),
    'recordings.info': (input) => createRecordingInfo(createRecordingEntry(input as { id: string })),
  })
  const page = mountComponent(RecordingsPlace, { route: '/recordings/:id?' })
  const { $router: router } = page.vm as unknown as { $router: Router }
  await router.push('/recordings/r2')
  const region = await vi.waitFor(() => getByRole('region', 'Recording'))
  expect(region.textContent).toContain('This recording is not in the list')
  recordings = [createRecordingEntry({ id: 'r2', name: 'Late' })]
  await useRecordings().read()
  await flushPromises()
  expect(region.textContent).toContain('Late')
  expect(region.textContent).not.toContain('not in the list')
  getByRole('button', 'Close', region).click()
  await vi.waitFor(() => expect(findAllByRole('region', 'Recording')).toEqual([]))
})

test('a column of the list is there while it says something of a recording', async () => {
  const lists = [
    [createRecordingEntry({ id: 'r1', fingerprint: null })],
    [
      createRecordingEntry({ id: 'r1', fingerprint: null }),
      createRecordingEntry({ id: 'r2', fingerprint: 'ab12 cd34', isRemoved: true }),
    ],
  ]
  const listHeaders = () => findAllByRole('columnheader').map(({ textContent }) => textContent.trim())
  installFakeServiceProcess({ 'recordings.list': () => ({ recordings: lists[0] }) })
  mountComponent(RecordingsPlace)
  await vi.waitFor(() => expect(gridText()).toContain('Session'))
  expect(listHeaders()).not.toContain('State')
  expect(listHeaders()).not.toContain('Key')
  lists.shift()
  await useRecordings().read()
  await vi.waitFor(() => expect(gridText()).toContain('removed'))
  expect(listHeaders()).toEqual(expect.arrayContaining(['State', 'Key']))
})

test('a recording shows what it holds, and the check names what was changed and what was removed', async () => {
  const counts = { host: 1, bodies: 2, exchanges: 3, overrides: 0 }
  const entry = createRecordingEntry({ id: 'r1', name: 'Retry loop', counts })
  const page = installFakeServiceProcess({
    'recordings.list': () => ({
      recordings: [entry, createRecordingEntry({ id: 'r2', name: 'Gone', isRemoved: true })],
    }),
    'recordings.info': () => createRecordingInfo(entry),
    'recordings.verify': () => ({
      verdict: 'changed',
      ownFingerprint: 'ab12 cd34',
      total: { lines: 3, entries: 4 },
      problems: [{ entry: 'exchanges/0001.ndjson', reason: 'its content is not what was sealed' }],
      seals: [
        {
          ...{ number: 1, createdAt: 1_000, program: 'Bridge Inspector 1.0.0' },
          ...{ fingerprint: 'ab12 cd34', vouched: { lines: 2, entries: 3 } },
        },
      ],
      replaced: [{ entry: 'bodies/000001', count: 1 }],
      removed: ['bodies/000002'],
      hasOnlyTokensClaim: true,
      madeOf: null,
    }),
  })
  mountComponent(RecordingsPlace, { route: '/recordings/:id?' })
  await vi.waitFor(() => expect(gridText()).toContain('Retry loop'))
  expect(gridText()).toContain('removed')
  await clickRow('Retry loop')
  const detail = getByRole('region', 'Recording')
  await vi.waitFor(() => expect(detail.textContent).toContain('I pressed the button.'))
  expect(detail.textContent).toContain('Screenshot 0001.png')
  // A part of a newer version does not take the place of a fact.
  const terms = Array.from(detail.querySelectorAll('dt'), (term) => term.textContent)
  expect(terms).toEqual(['Exchanges', 'Bodies', 'host', 'Size', 'Period', 'Host', 'Redaction', 'Saved', 'Key'])
  expect(detail.querySelector('dl')?.textContent).toMatch(/host1Size4\.1 kB.*Host · 4\.3\.0.*Keyab12 cd34/)
  expect(detail.textContent).toContain('Bodies: 2 (was not stored whole)')
  getByRole('button', 'Verify', detail).click()
  await vi.waitFor(() => expect(detail.textContent).toContain('The file is not what was sealed.'))
  expect(getByRole('list', 'Changed', detail).textContent).toMatch(/exchanges.0001.ndjson.*not what was sealed/)
  const replaced = getByRole('list', 'Replaced or taken out by a redaction', detail)
  const items = Array.from(replaced.children, (item) => Array.from(item.children, (child) => child.textContent.trim()))
  expect(items).toEqual([
    ['bodies/000001', '1'],
    ['bodies/000002', 'taken out'],
  ])
  expect(detail.textContent).toContain('nothing but tokens was removed')
  // Nobody vouches for a file that was changed.
  expect(getByRole('list', 'Signatures', detail).textContent).not.toContain('of 3 lines')
  expect(page.calls.find(({ method }) => method === 'recordings.verify')?.input).toMatchObject({ id: 'r1' })
})

test.each(['redacted', 'unsigned'] as const)('a recording that is %s says who vouches for what', async (verdict) => {
  const entry = createRecordingEntry({ id: 'r1', name: 'Retry loop' })
  const seal = { createdAt: 1_000, program: 'Bridge Inspector 1.0.0', fingerprint: 'ab12 cd34' }
  installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [entry] }),
    'recordings.info': () => createRecordingInfo(entry),
    'recordings.verify': () => ({
      ...{ verdict, ownFingerprint: 'ab12 cd34', total: { lines: 40, entries: 5 }, problems: [] },
      seals: [
        { ...seal, number: 1, vouched: { lines: 37, entries: 3 } },
        {
          ...{ ...seal, number: 2, vouched: { lines: 3, entries: 2 } },
          fingerprint: verdict === 'unsigned' ? null : 'ef56',
        },
      ],
      ...{
        replaced: [{ entry: 'exchanges/0001.ndjson', count: 3 }],
        removed: [],
        hasOnlyTokensClaim: false,
        madeOf: null,
      },
    }),
  })
  mountComponent(RecordingsPlace, { route: '/recordings/:id?' })
  await vi.waitFor(() => expect(gridText()).toContain('Retry loop'))
  await clickRow('Retry loop')
  const detail = getByRole('region', 'Recording')
  getByRole('button', 'Verify', detail).click()
  await vi.waitFor(() => expect(findAllByRole('list', 'Signatures')).toHaveLength(1))
  const signatures = getByRole('list', 'Signatures', detail).textContent
  expect(signatures).toContain('37 of 40 lines and 3 of 5 other entries are as sealed')
  expect(signatures).toContain('3 lines and 2 other entries more, as whoever redacted left them')
  expect(signatures.includes('not signed')).toBe(verdict === 'unsigned')
  expect(findAllByRole('list', 'Changed')).toEqual([])
  expect(detail.textContent).not.toContain('Nothing was changed')
})

test('the report in a recording is rendered without its HTML, and copied as its text', async () => {
  const entry = createRecordingEntry({ id: 'r1', name: 'Retry loop' })
  installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [entry] }),
    'recordings.info': () => createRecordingInfo(entry),
  })
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  mountComponent(RecordingsPlace, { route: '/recordings/:id?' })
  await vi.waitFor(() => expect(gridText()).toContain('Retry loop'))
  await clickRow('Retry loop')
  const section = await vi.waitFor(() => getByRole('region', 'Report'))
  getByRole('button', 'Copy report', section).click()
  await vi.waitFor(() => expect(section.textContent).toContain('Copied'))
  expect(writeText).toHaveBeenCalledWith('# Recording\n\n- <b>')
  getByRole('button', 'Show report', section).click()
  await vi.waitFor(() => expect(section.querySelector('article h1')?.textContent).toBe('Recording'))
  expect(section.querySelector('article li')?.textContent).toBe('<b>')
})

test('an exported archive says what it has no place for', async () => {
  const entry = createRecordingEntry({ id: 'r1', name: 'Retry loop' })
  const page = installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [entry] }),
    'recordings.info': () => createRecordingInfo(entry),
    'recordings.exportArchive': () => ({
      archive: { file: '/home/me/Retry loop.har', entries: 3, leftOut: { operations: 2, steps: 1 } },
    }),
    'recordings.slice': () => ({ meta: { start: 0, total: 2 }, bytes: new TextEncoder().encode('{}').buffer }),
  })
  mountComponent(RecordingsPlace, { route: '/recordings/:id?' })
  await vi.waitFor(() => expect(gridText()).toContain('Retry loop'))
  await clickRow('Retry loop')
  const detail = getByRole('region', 'Recording')
  await chooseMore('Save as HTTP archive…')
  await vi.waitFor(() => expect(detail.textContent).toContain('Retry loop.har'))
  expect(detail.textContent).toContain('An HTTP archive has no place for: Operations 2, Steps 1')
  expect(page.calls.find(({ method }) => method === 'recordings.exportArchive')?.input).toEqual({ id: 'r1' })
})

test.each([
  ['Study host', 'p1'],
  ['work', 'work'],
])('the command that asks the host %s again is copied', async (name, flag) => {
  installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [createRecordingEntry({ id: 'r1', name: 'Retry loop' })] }),
    'recordings.info': () => createRecordingInfo(createRecordingEntry()),
  })
  const copied: string[] = []
  const writeText = (text: string): Promise<void> => Promise.resolve(void copied.push(text))
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue({ writeText } as Clipboard)
  mountComponent(RecordingsPlace, { route: '/recordings/:id?' })
  const state = createConnectionState()
  useConnection().state = { ...state, profile: state.profile && { ...state.profile, id: 'p1', name } }
  await vi.waitFor(() => expect(gridText()).toContain('Retry loop'))
  await clickRow('Retry loop')
  await chooseMore('Copy the command that asks a host again')
  const command = `bridge-inspector check '/data/recordings/Retry loop.birec' --profile ${flag}`
  await vi.waitFor(() => expect(copied).toEqual([command]))
  expect(getByRole('region', 'Recording').textContent).toContain('it writes nothing')
})

test('a recording is saved as a page, and the file is named', async () => {
  const entry = createRecordingEntry({ id: 'r1', name: 'Retry loop' })
  const page = installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [entry] }),
    'recordings.info': () => createRecordingInfo(entry),
    'recordings.exportPage': () => ({ page: { file: '/data/recordings/r1.html', bytes: 700_000 } }),
    'recordings.slice': () => ({ meta: { start: 0, total: 2 }, bytes: new TextEncoder().encode('<p').buffer }),
  })
  mountComponent(RecordingsPlace, { route: '/recordings/:id?' })
  await vi.waitFor(() => expect(gridText()).toContain('Retry loop'))
  await clickRow('Retry loop')
  const detail = getByRole('region', 'Recording')
  await chooseMore('Save as page…')
  await vi.waitFor(() => expect(detail.textContent).toContain('Wrote Retry loop.html, 700 kB.'))
  const slice = page.calls.find(({ method }) => method === 'recordings.slice')
  expect(slice?.input).toMatchObject({ id: 'r1', exported: 'page' })
})

test.each([true, false])(
  'pictures of the panel lead to the calls of their moment if it is open: %s',
  async (isOpen) => {
    const entry = createRecordingEntry({ id: 'r1', name: 'Retry loop' })
    installFakeServiceProcess({
      'recordings.list': () => ({ recordings: [entry] }),
      'recordings.info': () => createRecordingInfo(entry),
      'recordings.current': () => ({ open: isOpen ? { entry, openedAt: 1 } : null }),
    })
    const wrapper = mountComponent(RecordingsPlace, { route: '/:place*' })
    await vi.waitFor(() => expect(gridText()).toContain('Retry loop'))
    await clickRow('Retry loop')
    const pictures = await vi.waitFor(() => getByRole('region', 'Pictures of the panel'))
    const [first, second] = findAllByRole('button', undefined, pictures) as HTMLButtonElement[]
    await flushPromises()
    expect([first?.disabled, second?.disabled]).toEqual([!isOpen, !isOpen])
    second?.click()
    await flushPromises()
    const { path: place, query } = wrapper.vm.$router.currentRoute.value
    expect([place, query]).toEqual(isOpen ? ['/traffic', { from: '1000', to: '3000' }] : [expect.any(String), {}])
  },
)

test('a served recording shows its address and token file, and stops', async () => {
  const entry = createRecordingEntry({ id: 'r1', name: 'Retry loop' })
  let served: RecordingEntry['served'] = null
  const current = (): RecordingEntry => ({ ...entry, served })
  const page = installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [current()] }),
    'recordings.info': () => createRecordingInfo(entry),
    'recordings.serve': () => {
      served = { baseUrl: 'http://127.0.0.1:4711/bridge/v1', tokenFile: '/data/r1.token' }
      page.push({ topic: 'recordings.changed', payload: {} })
      return current()
    },
    'recordings.stopServing': () => {
      served = null
      page.push({ topic: 'recordings.changed', payload: {} })
      return current()
    },
  })
  mountComponent(RecordingsPlace, { route: '/recordings/:id?' })
  await vi.waitFor(() => expect(gridText()).toContain('Retry loop'))
  await clickRow('Retry loop')
  getByRole('button', 'Serve').click()
  await vi.waitFor(() => expect(getByRole('region', 'Served as a host').textContent).toContain('4711'))
  expect(getByRole('region', 'Served as a host').textContent).toContain('/data/r1.token')
  expect(gridText()).toContain('served')
  getByRole('button', 'Stop serving').click()
  await vi.waitFor(() => expect(findAllByRole('region', 'Served as a host')).toEqual([]))
})

const finding: Finding = {
  ...{ id: 'cursor-invented:7', rule: 'cursor-invented', at: 1_000, resource: 'GET /study-sets/T/tree' },
  ...{ origin: { kind: 'panel', label: 'Practice' }, exchanges: [5, 7], params: { cursor: 'made-up' } },
}

test('the smallest case of a finding is written, and says how much was left out', async () => {
  const entry = createRecordingEntry({ id: 'r1', name: 'Retry loop' })
  const reduced = createRecordingEntry({ id: 'r2', name: 'Smallest case of Retry loop' })
  let end: (output: unknown) => void = () => undefined
  const page = installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [entry] }),
    'recordings.info': () =>
      createRecordingInfo(entry, [finding, { ...finding, id: 'unknown-route:3', rule: 'unknown-route' }]),
    'recordings.reduce': () => new Promise((resolve) => (end = resolve)),
  })
  mountComponent(RecordingsPlace, { route: '/recordings/:id?' })
  await vi.waitFor(() => expect(gridText()).toContain('Retry loop'))
  await clickRow('Retry loop')
  const section = getByRole('region', 'Smallest case')
  getByRole('button', 'Smallest case…', section).click()
  await flushPromises()
  const select = section.querySelector('select')
  if (select) select.value = finding.rule + ' ' + finding.resource
  select?.dispatchEvent(new Event('change'))
  await flushPromises()
  const command = `bridge-inspector recording reduce '/data/recordings/Retry loop.birec' -o smallest.birec`
  expect(section.textContent).toContain(`${command} --finding cursor-invented -- npm test`)
  getByRole('button', 'Find it', section).click()
  await flushPromises()
  const { jobId, ...input } = page.calls.find(({ method }) => method === 'recordings.reduce')?.input as Record<
    string,
    unknown
  >
  expect(input).toEqual({
    ...{ id: 'r1', finding: 'cursor-invented GET /study-sets/T/tree', name: 'Smallest case of Retry loop' },
  })
  page.push({ topic: 'recordings.progress', payload: { jobId, done: 14, total: null, smallest: 1 } })
  await flushPromises()
  expect(section.textContent).toContain('14 tries, 1 exchange left')
  const sizes = { before: { exchanges: 214, cards: 90 }, after: { exchanges: 4, cards: 0 } }
  end({ result: { entry: reduced, ...sizes, tries: 20, isMinimal: false, isSteady: false } })
  await flushPromises()
  expect(section.textContent).toContain('Exchanges: 214 before, 4 now. Listed cards: 90 before, 0 now.')
  expect(section.textContent).toContain('There was no time to try everything')
  expect(section.textContent).toContain('did not show each time')
  expect(getByRole('link', 'Show the smallest case', section).getAttribute('href')).toContain('/recordings/r2')
})

test('a finding that exchanges alone do not show leads to the command', async () => {
  const entry = createRecordingEntry({ id: 'r1', name: 'Retry loop' })
  installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [entry] }),
    'recordings.info': () => createRecordingInfo(entry, [finding]),
    'recordings.reduce': () => {
      throw createRefusedError('FINDING_NOT_REPEATED', 'The exchanges alone do not show this finding.')
    },
  })
  mountComponent(RecordingsPlace, { route: '/recordings/:id?' })
  await vi.waitFor(() => expect(gridText()).toContain('Retry loop'))
  await clickRow('Retry loop')
  const section = getByRole('region', 'Smallest case')
  getByRole('button', 'Smallest case…', section).click()
  await flushPromises()
  expect(section.textContent).toContain('Cursor not from the previous page')
  getByRole('button', 'Find it', section).click()
  await flushPromises()
  expect(getByRole('alert', undefined, section).textContent).toContain('how the page made its calls')
  expect(section.textContent).toContain('bridge-inspector recording reduce')
})

test('a recording is removed from the list, with its file only if the user says so', async () => {
  const entry = createRecordingEntry({ id: 'r1', name: 'Retry loop' })
  const page = installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [entry] }),
    'recordings.info': () => createRecordingInfo(entry),
    'recordings.forget': () => ({}),
  })
  mountComponent(RecordingsPlace, { route: '/recordings/:id?' })
  await vi.waitFor(() => expect(gridText()).toContain('Retry loop'))
  await clickRow('Retry loop')
  await chooseMore('Remove…')
  await flushPromises()
  getByRole('button', 'Remove', getByRole('dialog', 'Remove from the list')).click()
  await flushPromises()
  expect(page.calls.find(({ method }) => method === 'recordings.forget')?.input).toEqual({
    id: 'r1',
    removesFile: false,
  })
})
