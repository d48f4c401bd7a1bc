import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import PanelWriteDialog from '../../../renderer/panes/panel/PanelWriteDialog.vue'
import PanelPlace from '../../../renderer/places/panel/PanelPlace.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { usePanel } from '../../../renderer/stores/panel.ts'
import { AppError } from '../../../shared/errors.ts'
import { HELD_MARK } from '../../../shared/panel/breakpoints.ts'
import type { PanelState } from '../../../shared/panel/panel.ts'
import { createExchangeRow } from '../../support/vue/exchanges.ts'
import {
  findAllByRole,
  getByRole,
  installFakeServiceProcess,
  mountComponent,
  type FakeServiceProcess,
} from '../../support/vue/mounting.ts'
import { createPanelCall, createPanelNote, createPanelState } from '../../support/vue/panel-state.ts'
import { createConnectionState, preparedTitleWrite } from '../../support/vue/states.ts'

beforeEach(() => {
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 700 })
  Object.defineProperty(HTMLElement.prototype, 'offsetHeight', { configurable: true, value: 400 })
})
afterEach(() => {
  document.body.innerHTML = ''
})

const info = {
  kind: 'disk',
  reason: null,
  paused: false,
  exchanges: 0,
  bytes: 0,
  oldestAt: null,
  runStartedAt: 1,
  droppedBodies: 0,
  setAside: null,
}
type Answers = Parameters<typeof installFakeServiceProcess>[0]

/** The place over a service process whose panel is in this state. */
async function place(state: PanelState, more: Answers = {}): Promise<FakeServiceProcess> {
  const page = installFakeServiceProcess({
    'panel.get': () => state,
    'panel.notes': () => ({ notes: [], dropped: 0 }),
    'panel.recent': () => ({ sources: [] }),
    'panel.calls': () => ({ calls: [] }),
    'traffic.info': () => info,
    'traffic.find': () => ({
      meta: { total: 0, newest: 0, incomplete: false, scattered: false },
      bytes: new ArrayBuffer(0),
    }),
    'traffic.rows': () => ({ rows: [] }),
    ...more,
  })
  mountComponent(PanelPlace)
  await flushPromises()
  await nextTick()
  return page
}
const listInputs = (page: FakeServiceProcess, method: string): unknown[] =>
  page.calls.filter((call) => call.method === method).map(({ input }) => input)
const click = async (element: HTMLElement): Promise<void> => {
  element.click()
  await flushPromises()
}

describe('the panel place without a running panel', () => {
  test('opens a sample, a server or a recent panel, and forgets a recent one', async () => {
    const recent = { kind: 'folder' as const, path: '/home/me/panel' }
    const page = await place(createPanelState({ phase: 'none', source: null, url: null }), {
      'panel.recent': () => ({ sources: [recent] }),
      'panel.open': () => createPanelState({ phase: 'none', source: null }),
      'panel.forget': () => ({}),
    })
    await click(getByRole('button', 'Practice'))
    const address = getByRole('textbox', 'Address of the server') as HTMLInputElement
    address.value = '5173'
    address.dispatchEvent(new Event('input'))
    await nextTick()
    await click(getByRole('button', 'Open server'))
    await click(getByRole('button', '/home/me/panel'))
    expect(listInputs(page, 'panel.open')).toEqual([
      { source: { kind: 'sample', name: 'practice' } },
      { source: { kind: 'server', url: 'http://127.0.0.1:5173/' } },
      { source: recent },
    ])
    await click(getByRole('button', 'Forget /home/me/panel'))
    expect(listInputs(page, 'panel.forget')).toEqual([{ source: recent }])
  })

  test('opens what another place asked for, once', async () => {
    const source = { kind: 'sample' as const, name: 'practice-mistake' as const }
    const page = await place(createPanelState({ phase: 'none', source: null, url: null }), {
      'panel.open': () => createPanelState({ source }),
    })
    usePanel().requestOpening({ source, shouldShowFailure: true })
    await flushPromises()
    expect(listInputs(page, 'panel.open')).toEqual([{ source }])
    expect(usePanel().openingRequest).toBeNull()
    expect(usePanel().isFailureAwaited).toBe(true)
  })

  test('reports what is wrong with a folder, and keeps the choice', async () => {
    await place(createPanelState({ phase: 'none', source: null }), {
      'panel.open': () => {
        throw new AppError({ kind: 'refused', code: 'PANEL_NO_INDEX', message: 'No index.html.', retryable: false })
      },
    })
    await click(getByRole('button', 'Practice'))
    expect(getByRole('alert').textContent).toContain('The panel could not be opened')
    expect(getByRole('button', 'Rule breaker')).toBeTruthy()
  })
})

describe('the panel place with a running panel', () => {
  test('shows the panel in a frame that Stop removes', async () => {
    const page = await place(createPanelState(), {
      'panel.stop': () => createPanelState({ phase: 'stopped', url: null }),
    })
    const frame = document.querySelector('iframe')
    expect(frame?.getAttribute('sandbox')).toBe('allow-scripts allow-same-origin allow-forms')
    expect(frame?.getAttribute('src')).toBe('about:blank')
    expect(getByRole('region', 'Panel').contains(frame)).toBe(true)
    await click(getByRole('button', 'Stop'))
    expect(listInputs(page, 'panel.stop')).toHaveLength(1)
    expect(document.querySelector('iframe')).toBeNull()
    expect(getByRole('region', 'Panel').textContent).toContain('Open again')
    await click(getByRole('button', 'Open another panel', getByRole('region', 'Panel')))
    expect(getByRole('region', 'A sample panel').checkVisibility()).toBe(true)
  })

  test('leads to another panel from one that could not be opened', async () => {
    await place(createPanelState({ phase: 'failed', url: null }))
    await click(getByRole('button', 'Open another panel', getByRole('region', 'Panel')))
    expect(getByRole('region', 'A sample panel').checkVisibility()).toBe(true)
  })

  test('keeps the panel running while another one is being chosen, and while another place is shown', async () => {
    installFakeServiceProcess({ 'panel.get': () => createPanelState(), 'panel.recent': () => ({ sources: [] }) })
    const view = mountComponent(PanelPlace)
    await flushPromises()
    const frame = document.querySelector('iframe')
    await click(getByRole('button', 'Open another panel'))
    expect(getByRole('button', 'Practice')).toBeTruthy()
    expect(document.querySelector('iframe')).toBe(frame)
    await click(getByRole('button', 'Back to the panel'))
    await click(getByRole('tab', 'Allowed'))
    await click(getByRole('button', 'Edit my list'))
    expect(getByRole('dialog')).toBeTruthy()
    await view.setProps({ isShown: false })
    expect(document.querySelector('[role="dialog"]')).toBeNull()
    expect(document.querySelector('iframe')).toBe(frame)
  })

  test('replaces the frame with each load', async () => {
    const page = await place(createPanelState())
    const before = document.querySelector('iframe')
    page.push({ topic: 'panel.changed', payload: createPanelState({ load: 2, loadedBecause: 'changed' }) })
    await nextTick()
    expect(document.querySelector('iframe')).not.toBe(before)
    expect(getByRole('region', 'Panel').textContent).toContain('A file changed')
  })

  test('shows the memory of the panel where the app knows it', async () => {
    const page = await place(createPanelState({ ownProcess: true }), { 'panel.memory': () => ({ bytes: 93_400_000 }) })
    await vi.waitFor(() => expect(getByRole('region', 'Panel').textContent).toContain('93.4 MB of memory'))
    // A screen reader would announce each measurement.
    const quiet = document.querySelector('[role="status"] > [aria-live="off"]')
    expect(quiet?.textContent).toContain('93.4 MB of memory')
    expect(findAllByRole('button', 'Developer tools')).toEqual([])
    page.push({ topic: 'panel.changed', payload: createPanelState({ ownProcess: true, devTools: true }) })
    await nextTick()
    expect(getByRole('button', 'Developer tools')).toBeTruthy()
    expect(listInputs(page, 'panel.memory').length).toBeGreaterThan(0)
  })

  test('asks for the unlock before it lets writes through', async () => {
    const page = await place(createPanelState(), {
      'panel.configure': () => {
        throw new AppError({ kind: 'refused', code: 'READ_ONLY', message: 'Read-only.', retryable: false })
      },
    })
    const [, , through] = findAllByRole('radio', undefined, getByRole('radiogroup', 'Writes'))
    await click(through as HTMLElement)
    expect(listInputs(page, 'panel.configure')).toEqual([{ writes: 'let-through' }])
    expect(getByRole('dialog').textContent).toContain('Let writes through')
  })

  test('shows beside the page, not above the toolbar, that writes are let through, and what failed', async () => {
    await place(createPanelState({ writes: 'let-through' }), {
      'panel.configure': () => {
        throw new AppError({ kind: 'refused', code: 'BAD_INPUT', message: 'Not now.', retryable: false })
      },
    })
    expect(getByRole('note').textContent).toContain('without asking')
    await click(getByRole('button', 'Ask instead'))
    expect(getByRole('alert').textContent).toContain('Not now.')
    for (const message of [getByRole('note'), getByRole('alert')])
      expect(getByRole('region', 'Panel').contains(message)).toBe(true)
  })

  test('has no column of the gate in a load without calls, also after one in which the gate refused', async () => {
    const state = createPanelState()
    await place(state, {
      'traffic.find': (input) => {
        const { load } = (input as { filter: { load?: number } }).filter
        const total = load === state.pageLoad ? 1 : 0
        return {
          meta: { total, newest: 1, incomplete: false, scattered: false },
          bytes: Uint32Array.from({ length: total }, () => 1).buffer,
        }
      },
      'traffic.rows': () => ({ rows: [createExchangeRow({ seq: 1, id: 'id-1' })] }),
      'panel.calls': () => ({
        calls: [
          {
            ...{ exchangeId: 'id-1', at: 1, durationMs: 3, via: 'host.api', decision: 'not-allowed' },
            ...{ onlyOutside: false, pageId: null, frame: null, loader: null },
          },
        ],
      }),
    })
    await vi.waitFor(() => getByRole('columnheader', 'Gate'))
    usePanel().state = { ...state, pageLoad: state.pageLoad + 1 }
    await vi.waitFor(() => expect(findAllByRole('columnheader', 'Gate')).toEqual([]))
  })

  test('lists the calls with the decision of the gate, and shows both sides of a call', async () => {
    const row = createExchangeRow({
      seq: 1,
      id: 'id-1',
      path: '/notes/N1',
      origin: { kind: 'panel', label: 'Practice' },
    })
    const call = createPanelCall({
      changes: [
        { where: 'body', member: '/addon', from: '"x"', to: '"y"', why: 'addon-rewritten' },
        { where: 'header', member: 'Origin', from: 'http://p', to: null, why: 'header-removed' },
      ],
      onlyOutside: true,
    })
    const finding = {
      ...{ id: 'f', rule: 'read-burst', at: 1, origin: row.origin, resource: 'GET /x', exchanges: [1], params: {} },
      ...{ count: 1, firstAt: 1, origins: [row.origin], shownAt: [1] },
    }
    await place(createPanelState(), {
      'traffic.find': () => ({
        meta: { total: 1, newest: 1, incomplete: false, scattered: false },
        bytes: Uint32Array.from([1]).buffer,
      }),
      'traffic.rows': () => ({ rows: [row] }),
      'panel.calls': () => ({
        calls: [
          {
            ...{ exchangeId: 'id-1', at: 1, durationMs: 3_210, via: 'host.api', decision: 'passed', onlyOutside: true },
            ...{ pageId: null, frame: null, loader: null },
          },
        ],
      }),
      'panel.call': () => ({ call }),
      'findings.list': (input) => {
        // Others did more: the number beside the panel is that of its own load.
        const { scope } = input as { scope?: object }
        const total = scope === undefined ? 7 : 1
        return { findings: [finding], total, totals: { findings: total, advice: 0, withdrawn: 0 }, muted: [] }
      },
    })
    await flushPromises()
    await vi.waitFor(() => expect(getByRole('grid', 'Calls').textContent).toContain('Only outside'))
    expect(getByRole('grid', 'Calls').textContent).toContain('3,210 ms')
    expect(getByRole('img', '1 finding', getByRole('grid', 'Calls'))).toBeTruthy()
    expect(getByRole('link', '1 finding').getAttribute('href')).toContain('/findings?caller=opening-1&load=1')
    const [, first] = findAllByRole('row', undefined, getByRole('grid', 'Calls'))
    await click(first as HTMLElement)
    expect(getByRole('region', 'Call').textContent).toContain('A panel inside the host would not have met this')
    await click(getByRole('tab', /^Gate/))
    expect(getByRole('region', 'Call').textContent).toContain(
      'The page sent “addon”: "x". No effect; the host’s “addon” is "y".',
    )
    expect(getByRole('region', 'Call').textContent).toContain('http://p. It was not passed on.')
    expect(getByRole('region', 'Call').textContent).toContain('The allow-list names it.')
  })

  test.each([
    ['passed', 'listed', true],
    ['override', 'overridden', false],
    ['not-allowed', 'outside-list', false],
  ] as const)('shows for a call with the decision %s whether the gate changed it', async (decision, code, isSaid) => {
    const row = createExchangeRow({ seq: 1, id: 'id-1', origin: { kind: 'panel', label: 'Practice' } })
    await place(createPanelState(), {
      'traffic.find': () => ({
        meta: { total: 1, newest: 1, incomplete: false, scattered: false },
        bytes: Uint32Array.from([1]).buffer,
      }),
      'traffic.rows': () => ({ rows: [row] }),
      'panel.call': () => ({ call: createPanelCall({ decision, reason: { code, params: { rule: 'Mine' } } }) }),
    })
    await vi.waitFor(() => expect(findAllByRole('row', undefined, getByRole('grid', 'Calls'))).toHaveLength(2))
    const [, first] = findAllByRole('row', undefined, getByRole('grid', 'Calls'))
    await click(first as HTMLElement)
    await click(getByRole('tab', /^Gate/))
    expect(getByRole('region', 'Call').textContent.includes('The gate changed nothing')).toBe(isSaid)
  })

  test('filters the calls by tokens, also from the menu of a call', async () => {
    const row = createExchangeRow({ status: 404, origin: { kind: 'panel', label: 'Practice' } })
    const page = await place(createPanelState(), {
      'traffic.find': () => ({
        meta: { total: 1, newest: 1, incomplete: false, scattered: false },
        bytes: Uint32Array.from([1]).buffer,
      }),
      'traffic.rows': () => ({ rows: [row] }),
    })
    await vi.waitFor(() => expect(getByRole('grid', 'Calls').textContent).toContain('404'))
    const waitForFilter = (filter: object): Promise<void> =>
      vi.waitFor(() => expect(listInputs(page, 'traffic.find').at(-1)).toMatchObject({ filter }))
    const field = getByRole('searchbox', 'Search calls') as HTMLInputElement
    field.value = 'status:2xx study'
    field.dispatchEvent(new Event('input'))
    await waitForFilter({ statuses: ['2'], text: 'study', origins: ['panel'] })
    const [, first] = findAllByRole('row', undefined, getByRole('grid', 'Calls'))
    first?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }))
    await flushPromises()
    expect(findAllByRole('menuitem', 'Only from this origin')).toEqual([])
    await click(getByRole('menuitem', 'Only this status'))
    await waitForFilter({ statuses: ['404'], text: 'study', origins: ['panel'] })
    expect(field.value).toBe('study')
    await click(getByRole('button', 'Remove status:404'))
    await vi.waitFor(() =>
      expect(listInputs(page, 'traffic.find').at(-1)).not.toMatchObject({ filter: { statuses: ['404'] } }),
    )
  })

  test.each([
    ['held', HELD_MARK, 1],
    ['answered by an override', 'Mine', 0],
  ])('marks a call that was %s only if its time was spent at a breakpoint', async (_, rule, count) => {
    const row = createExchangeRow({ rule, durationMs: 52_800, origin: { kind: 'panel', label: 'Practice' } })
    await place(createPanelState(), {
      'traffic.find': () => ({
        meta: { total: 1, newest: 1, incomplete: false, scattered: false },
        bytes: Uint32Array.from([1]).buffer,
      }),
      'traffic.rows': () => ({ rows: [row] }),
    })
    const grid = getByRole('grid', 'Calls')
    await vi.waitFor(() => expect(grid.textContent).toContain('52.8 s'))
    expect(findAllByRole('img', 'A breakpoint applied to this call', grid)).toHaveLength(count)
    expect(grid.querySelectorAll('[title^="Includes the time"]')).toHaveLength(count)
  })

  test('shows the original line of a call as soon as its source map is read, also after its end', async () => {
    const row = createExchangeRow({ seq: 1, id: 'id-1', origin: { kind: 'panel', label: 'Practice' } })
    const frame = { functionName: 'read', isAsync: false, isLibrary: false, isWrapper: false }
    const built = { ...frame, file: '/built.js', line: 8, column: 1, original: null }
    let frames = [built]
    const summarize = (): object => ({
      ...{ exchangeId: 'id-1', at: 1, durationMs: 1, via: 'host.api', decision: 'passed', onlyOutside: false },
      ...{ pageId: null, frame: frames[0], loader: null },
    })
    const page = await place(createPanelState(), {
      'traffic.find': () => ({
        meta: { total: 1, newest: 1, incomplete: false, scattered: false },
        bytes: Uint32Array.from([1]).buffer,
      }),
      'traffic.rows': () => ({ rows: [row] }),
      'panel.calls': () => ({ calls: [summarize()] }),
      'panel.call': () => ({ call: createPanelCall({ frames }) }),
    })
    await vi.waitFor(() => expect(findAllByRole('row', undefined, getByRole('grid', 'Calls'))).toHaveLength(2))
    await click(findAllByRole('row', undefined, getByRole('grid', 'Calls'))[1] as HTMLElement)
    await vi.waitFor(() => expect(getByRole('region', 'Initiator').textContent).toContain('/built.js:8'))
    const readCount = listInputs(page, 'panel.calls').length
    frames = [{ ...built, original: { file: '/App.vue', line: 6, column: 1 } } as never]
    page.push({ topic: 'panel.initiatorsChanged', payload: { exchangeIds: ['id-1'] } })
    await vi.waitFor(() => expect(getByRole('region', 'Initiator').textContent).toContain('/App.vue:6'))
    await vi.waitFor(() => expect(listInputs(page, 'panel.calls').length).toBeGreaterThan(readCount))
  })

  test('lists only the calls of the newest load, unless earlier ones are requested', async () => {
    const page = await place(createPanelState({ caller: 'opening-1', pageLoad: 3 }))
    const filters = () => listInputs(page, 'traffic.find').map((input) => (input as { filter: object }).filter)
    expect(filters().at(-1)).toMatchObject({ caller: 'opening-1', load: 3 })
    page.push({
      topic: 'panel.changed',
      payload: createPanelState({ caller: 'opening-1', pageLoad: 4, loadedBecause: 'itself' }),
    })
    await flushPromises()
    expect(getByRole('region', 'Panel').textContent).toContain('Reloaded itself at')
    await vi.waitFor(() => expect(filters().at(-1)).toMatchObject({ caller: 'opening-1', load: 4 }))
    await click(getByRole('checkbox', 'Earlier loads too'))
    await vi.waitFor(() => expect(filters().at(-1)).not.toHaveProperty('load'))
  })

  test('shows the value that host.api resolved to, not the body of the response', async () => {
    const row = createExchangeRow({ seq: 1, id: 'id-1', path: '/guide', origin: { kind: 'panel', label: 'Practice' } })
    const response = { status: 200, headers: [], body: '# Guide', bytes: 7, broken: false }
    const value = '{"error":{"code":"NOT_JSON","message":"200 with a body that is not JSON: # Guide"}}'
    await place(createPanelState(), {
      'traffic.find': () => ({
        meta: { total: 1, newest: 1, incomplete: false, scattered: false },
        bytes: Uint32Array.from([1]).buffer,
      }),
      'traffic.rows': () => ({ rows: [row] }),
      'panel.call': () => ({ call: createPanelCall({ answer: response }) }),
      'panel.resolvedValue': () => ({ meta: { isFailure: true }, bytes: new TextEncoder().encode(value).buffer }),
    })
    await vi.waitFor(() => expect(findAllByRole('row', undefined, getByRole('grid', 'Calls'))).toHaveLength(2))
    const [, first] = findAllByRole('row', undefined, getByRole('grid', 'Calls'))
    await click(first as HTMLElement)
    const side = await vi.waitFor(() => getByRole('region', 'Call'))
    expect(side.textContent).toContain('host.api resolved to an object with an “error”')
    expect(side.textContent).toContain('which the page does not see: Status 200')
    await vi.waitFor(() => expect(side.textContent).toContain('NOT_JSON'))
    expect(side.textContent).not.toMatch(/(?<!JSON: )# Guide/)
  })

  test('shows levels and refusals of the console in words, and filters by them', async () => {
    await place(createPanelState(), {
      'panel.notes': () => ({
        notes: [
          createPanelNote({ seq: 1 }),
          createPanelNote({
            seq: 2,
            kind: 'error',
            level: 'error',
            text: 'boom',
            file: 'http://p/app.js',
            line: 7,
            column: 2,
          }),
          createPanelNote({ seq: 3, kind: 'refused', level: 'warning', what: 'window', text: 'https://x.invalid/' }),
        ],
        dropped: 0,
      }),
    })
    await click(getByRole('tab', /^Console/))
    const log = getByRole('region', 'Console')
    await vi.waitFor(() => expect(log.textContent).toContain('Window refused:'))
    expect(log.textContent).toContain('Uncaught:')
    expect(log.textContent).toContain('app.js:7:2')
    const level = document.querySelector('select[aria-label="Level"]') as HTMLSelectElement
    level.value = 'error'
    level.dispatchEvent(new Event('change'))
    await flushPromises()
    expect(log.textContent).not.toContain('hello')
    expect(log.textContent).toContain('boom')
  })

  test('reports which line of a custom list is invalid', async () => {
    const page = await place(createPanelState(), { 'panel.configure': () => createPanelState() })
    await click(getByRole('tab', 'Allowed'))
    await click(getByRole('button', 'Edit my list'))
    await click(getByRole('button', 'Copy the host’s list'))
    const field = getByRole('textbox', 'Allowed routes') as HTMLTextAreaElement
    expect(field.value).toBe('GET /notes/{id}/render\nPOST /notes/batch-get')
    field.value = 'GET /notes/{id}\nFETCH /x'
    field.dispatchEvent(new Event('input'))
    await nextTick()
    expect(getByRole('alert').textContent).toContain('Line 2 has a method')
    field.value = 'GET /notes/{id}'
    field.dispatchEvent(new Event('input'))
    await nextTick()
    await click(getByRole('button', 'Use my list'))
    expect(listInputs(page, 'panel.configure')).toEqual([
      { mine: [{ method: 'GET', path: '/notes/{id}' }], allowMode: 'mine' },
    ])
  })
})

test('shows a waiting write completely, and enables Send after a while', async () => {
  vi.useFakeTimers()
  const page = installFakeServiceProcess({ 'panel.decide': () => ({}) })
  const change = { where: 'body' as const, member: '/confirm', from: null, to: 'true', why: 'confirm-filled' as const }
  const ask = { id: 'ask-1', at: 1, prepared: preparedTitleWrite, changes: [change] }
  mountComponent(PanelWriteDialog, { props: { ask, waitingCount: 2 } })
  usePanel().state = createPanelState({ asks: [ask] })
  useConnection().state = createConnectionState()
  await nextTick()
  const dialog = getByRole('dialog')
  expect(dialog.textContent).toContain('/notes/N1/title')
  expect(dialog.textContent).toContain('The host fills in “confirm”: true.')
  expect(dialog.textContent).toContain('1 more waits.')
  const send = getByRole('button', 'Send') as HTMLButtonElement
  expect(send.disabled).toBe(true)
  vi.advanceTimersByTime(800)
  await nextTick()
  expect(send.disabled).toBe(false)
  send.click()
  vi.useRealTimers()
  await flushPromises()
  expect(listInputs(page, 'panel.decide')).toEqual([{ id: 'ask-1', send: true }])
  await click(getByRole('button', 'Refuse'))
  expect(listInputs(page, 'panel.decide').at(-1)).toEqual({ id: 'ask-1', send: false })
})

test('describes the file of a waiting upload', async () => {
  const sha256 = 'ab'.repeat(32)
  const upload = {
    ...preparedTitleWrite,
    body: null,
    path: '/library/documents/upload?filename=a.pdf',
    file: { size: 8, sha256 },
  }
  installFakeServiceProcess({})
  mountComponent(PanelWriteDialog, {
    props: { ask: { id: 'ask-1', at: 1, prepared: upload, changes: [] }, waitingCount: 1 },
  })
  await nextTick()
  const { textContent } = getByRole('dialog')
  expect(textContent).toContain('The body is the file: 8 bytes.')
  expect(textContent).toContain(sha256)
})
