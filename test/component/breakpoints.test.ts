import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import { effectScope, provide } from 'vue'
import { drawerPaneKey } from '../../renderer/components/open-layers.ts'
import BreakpointsButton from '../../renderer/panes/breakpoints/BreakpointsButton.vue'
import HeldCalls from '../../renderer/panes/breakpoints/HeldCalls.vue'
import HoldRecordList from '../../renderer/panes/breakpoints/HoldRecordList.vue'
import { createRefusedError } from '../../shared/errors.ts'
import { toRouteConditions, useBreakpoints, useSelectedRoute } from '../../renderer/stores/breakpoints.ts'
import type { BreakpointsState, HeldCall, HeldCallDetail } from '../../shared/panel/breakpoints.ts'
import {
  findAllByRole,
  getByRole,
  installFakeServiceProcess,
  mountComponent,
  pressKey,
  type FakeServiceProcess,
} from '../support/vue/mounting.ts'
import { createExchangeRow } from '../support/vue/exchanges.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const createHeldCall = (id: string, more: Partial<HeldCall> = {}): HeldCall => ({
  rule: null,
  id,
  point: 'request',
  at: Date.now(),
  endsAt: Date.now() + 60_000,
  origin: { kind: 'panel', label: 'Mine' },
  method: 'POST',
  path: `/notes/${id}`,
  endpoint: null,
  status: null,
  ...more,
})
const jsonMessage = (body: string) => ({
  headers: [['Content-Type', 'application/json'] as [string, string]],
  body,
  bytes: body.length,
  isBodyEditable: true,
})

function start(
  more: Partial<BreakpointsState> = {},
  detail: Partial<HeldCallDetail> = {},
  onSave = (): void => undefined,
): FakeServiceProcess {
  let state: BreakpointsState = { rules: [], isHoldingAll: false, held: [], lapses: [], ...more }
  return installFakeServiceProcess({
    'breakpoints.get': () => state,
    'breakpoints.save': (input) => {
      onSave()
      return (state = { ...state, rules: (input as BreakpointsState).rules })
    },
    'breakpoints.holdAll': (input) => (state = { ...state, isHoldingAll: (input as { on: boolean }).on }),
    'breakpoints.forgetLapses': () => (state = { ...state, lapses: [] }),
    'breakpoints.extend': () => state.held[0],
    'breakpoints.held': () => ({ call: state.held[0], request: jsonMessage('{"a":1}'), response: null, ...detail }),
    'breakpoints.resume': () => ({}),
    'breakpoints.records': () => ({
      records: [{ point: 'response', durationMs: 4_200, outcome: 'continued', edited: ['body'] }],
    }),
    'traffic.find': () => ({
      meta: { total: 0, newest: 0, incomplete: false, scattered: false },
      bytes: new Uint32Array().buffer,
    }),
    'traffic.rows': () => ({ rows: [] }),
  })
}
const getInputs = (page: FakeServiceProcess, method: string): unknown[] =>
  page.calls.filter((call) => call.method === method).map(({ input }) => input)
async function type(element: HTMLElement, value: string): Promise<void> {
  if (!(element instanceof HTMLInputElement) && !(element instanceof HTMLTextAreaElement)) throw new Error('no field')
  element.value = value
  element.dispatchEvent(new Event('input', { bubbles: true }))
  await flushPromises()
}
async function click(name: string | RegExp, index = 0): Promise<void> {
  const button = findAllByRole('button', name)[index]
  if (!button) throw new Error(`no button ${String(name)}`)
  button.click()
  await flushPromises()
}

test('nothing is shown while nothing is held', async () => {
  start()
  mountComponent(HeldCalls)
  await flushPromises()
  expect(document.body.textContent.trim()).toBe('')
})

test('held calls are listed with their time, and go on, fail, or go on all at once', async () => {
  const page = start({
    held: [createHeldCall('A'), createHeldCall('B', { point: 'response', status: 500 })],
    lapses: [{ reason: 'full', count: 2 }],
  })
  mountComponent(HeldCalls)
  await vi.waitFor(() => expect(getByRole('list', 'Held').children).toHaveLength(2))
  const text = document.body.textContent
  expect(text).toContain('2 calls held')
  expect(text).toMatch(/Request\s*POST \/notes\/A\s*(60|59) s/)
  expect(text).toContain('Response 500')
  expect(text).toContain('2 calls went on unheld: too much is held already.')
  await click('Continue', 1)
  await click('Fail', 0)
  expect(getInputs(page, 'breakpoints.resume')).toEqual([
    { id: 'B', resumption: { kind: 'continue' } },
    { id: 'A', resumption: { kind: 'fail' } },
  ])
  await click('Continue all')
  expect(getInputs(page, 'breakpoints.resume')).toHaveLength(4)
  await click('Clear this note')
  expect(document.body.textContent).not.toContain('went on unheld')
})

test('an edit sends only what was changed, and an answer by hand sends all', async () => {
  const page = start({ held: [createHeldCall('A')] })
  mountComponent(HeldCalls)
  await vi.waitFor(() => expect(findAllByRole('button', 'Edit')).toHaveLength(1))
  await click('Edit')
  await vi.waitFor(() => expect(findAllByRole('textbox', /^Headers/)).toHaveLength(1))
  expect(getInputs(page, 'breakpoints.extend')).toEqual([{ id: 'A' }])
  const dialog = getByRole('dialog')
  expect(dialog.textContent).toContain('The gate checks what you write')
  await type(getByRole('textbox', /^Headers/), 'nothing')
  expect(getByRole('alert').textContent).toContain('Line 1 of the headers has no name')
  await type(getByRole('textbox', /^Headers/), 'Content-Type: a\nX Mine: 1')
  expect(getByRole('alert').textContent).toContain('Line 2 of the headers: a name')
  await type(getByRole('textbox', /^Headers/), 'X-Mine: 中')
  expect(getByRole('alert').textContent).toContain('Line 1 of the headers: a value')
  expect(getByRole('textbox', /^Headers/).getAttribute('aria-invalid')).toBe('true')
  expect(getByRole('alert').previousElementSibling?.contains(getByRole('textbox', /^Headers/))).toBe(true)
  await type(getByRole('textbox', /^Headers/), 'Content-Type: application/json\nX-Mine: 1')
  getByRole('button', 'Continue', dialog).click()
  await vi.waitFor(() => expect(getInputs(page, 'breakpoints.resume')).toHaveLength(1))
  expect(getInputs(page, 'breakpoints.resume')).toEqual([
    {
      id: 'A',
      resumption: {
        kind: 'continue',
        edit: {
          headers: [
            ['Content-Type', 'application/json'],
            ['X-Mine', '1'],
          ],
        },
      },
    },
  ])
  await vi.waitFor(() => expect(findAllByRole('dialog')).toHaveLength(0))
  await click('Answer')
  await vi.waitFor(() => expect(findAllByRole('textbox', /^Headers/)).toHaveLength(1))
  expect(getByRole('dialog').textContent).toContain('marked as answered by hand')
  getByRole('button', 'Answer', getByRole('dialog')).click()
  await vi.waitFor(() => expect(getInputs(page, 'breakpoints.resume')).toHaveLength(2))
  expect(getInputs(page, 'breakpoints.resume')[1]).toEqual({
    id: 'A',
    resumption: { kind: 'answer', status: 200, headers: [['Content-Type', 'application/json']], body: '{}' },
  })
})

test('the request line is edited, and says what is wrong with it', async () => {
  const page = start({ held: [createHeldCall('A', { path: '/notes/A?x=1&y=2' })] })
  mountComponent(HeldCalls)
  await vi.waitFor(() => expect(findAllByRole('button', 'Edit')).toHaveLength(1))
  await click('Edit')
  await vi.waitFor(() => expect(findAllByRole('textbox', 'Method')).toHaveLength(1))
  const fields = ['Method', 'Path', 'Query'].map((name) => getByRole('textbox', name) as HTMLInputElement)
  expect(fields.map(({ value }) => value)).toEqual(['POST', '/notes/A', 'x=1&y=2'])
  await vi.waitFor(() => expect(document.activeElement).toBe(fields[0]))
  for (const [name, wrong, message, right] of [
    ['Method', 'TRACE', 'One of GET, POST', 'patch'],
    ['Path', '/notes/中', 'percent-encoded', '/notes/%E4%B8%AD'],
    ['Query', 'a b', 'percent-encoded', ''],
  ] as const) {
    await type(getByRole('textbox', name), wrong)
    expect(getByRole('alert').textContent).toContain(message)
    expect(getByRole('alert').previousElementSibling?.contains(getByRole('textbox', name))).toBe(true)
    await type(getByRole('textbox', name), right)
    expect(findAllByRole('alert')).toHaveLength(0)
  }
  getByRole('button', 'Continue', getByRole('dialog')).click()
  await vi.waitFor(() => expect(getInputs(page, 'breakpoints.resume')).toHaveLength(1))
  expect(getInputs(page, 'breakpoints.resume')).toEqual([
    { id: 'A', resumption: { kind: 'continue', edit: { method: 'PATCH', path: '/notes/%E4%B8%AD' } } },
  ])
})

test('the dialog of a call that went on says so, and does not come back with the next call', async () => {
  const page = start({ held: [createHeldCall('A')] })
  mountComponent(HeldCalls)
  await vi.waitFor(() => expect(findAllByRole('button', 'Edit')).toHaveLength(1))
  await click('Edit')
  await vi.waitFor(() => expect(findAllByRole('textbox', /^Headers/)).toHaveLength(1))
  const empty = { rules: [], isHoldingAll: false, held: [], lapses: [] }
  page.push({ topic: 'breakpoints.changed', payload: empty })
  await flushPromises()
  expect(getByRole('dialog').textContent).toContain('The call is no longer held')
  await click('Cancel')
  page.push({ topic: 'breakpoints.changed', payload: { ...empty, held: [createHeldCall('B')] } })
  await flushPromises()
  expect(getByRole('list', 'Held').children).toHaveLength(1)
  expect(findAllByRole('dialog')).toHaveLength(0)
})

test('a breakpoint is added with its point and time, switched and deleted', async () => {
  const page = start()
  mountComponent(BreakpointsButton)
  await flushPromises()
  await click('Breakpoints')
  await click('Add breakpoint')
  await type(getByRole('combobox', 'Path'), '///')
  await click('Save')
  expect(getByRole('alert').textContent).toBe('A path of slashes alone matches no call.')
  expect(getByRole('alert').previousElementSibling?.contains(getByRole('combobox', 'Path'))).toBe(true)
  expect(getInputs(page, 'breakpoints.save')).toEqual([])
  await type(getByRole('combobox', 'Path'), '/notes/N-1')
  expect(findAllByRole('alert')).toEqual([])
  await type(getByRole('textbox', /^Body has/), '/self = "again"')
  expect(getInputs(page, 'traffic.find')).toMatchObject([{ filter: { origins: ['panel', 'recorded'] } }])
  document.querySelector<HTMLInputElement>('input[type="checkbox"]')?.click()
  await flushPromises()
  await click('Save')
  await vi.waitFor(() => expect(getInputs(page, 'breakpoints.save')).toHaveLength(1))
  expect(getInputs(page, 'breakpoints.save')).toMatchObject([
    {
      rules: [
        {
          on: true,
          match: { method: '*', path: '/notes/N-1', body: [{ at: '/self', equals: 'again' }] },
          at: 'response',
          waitSeconds: 60,
        },
      ],
    },
  ])
  await vi.waitFor(() => expect(document.body.textContent).toContain('* /notes/N-1, /self = "again"'))
  findAllByRole('switch', 'Use “* /notes/N-1”')[0]?.click()
  await flushPromises()
  expect(getInputs(page, 'breakpoints.save').at(-1)).toMatchObject({ rules: [{ on: false }] })
  await click('Delete')
  expect(getInputs(page, 'breakpoints.save').at(-1)).toEqual({ rules: [] })
})

test('breakpoints are edited in the pane of a place that has one, and a new draft replaces the form', async () => {
  start()
  document.body.innerHTML = '<div id="pane"></div>'
  mountComponent({
    components: { BreakpointsButton },
    setup: () => provide(drawerPaneKey, '#pane'),
    template: '<BreakpointsButton />',
  })
  await flushPromises()
  await click('Breakpoints')
  const pane = document.querySelector('#pane')
  const dialog = getByRole('dialog', 'Breakpoints')
  expect(pane?.contains(dialog)).toBe(true)
  // The page beside it stays usable.
  expect(dialog.hasAttribute('aria-modal')).toBe(false)
  const getPath = (): string => (getByRole('combobox', 'Path') as HTMLInputElement).value
  for (const path of ['/ui-state', '/study-sets/{topicid}/tree']) {
    useBreakpoints().draft = { method: 'GET', path }
    await vi.waitFor(() => expect(getPath()).toBe(path))
  }
  // The button that had the focus went away with its form.
  pressKey(document.body, 'Escape', { code: 'Escape' })
  await flushPromises()
  expect(findAllByRole('dialog')).toEqual([])
  expect(pane?.children).toHaveLength(0)
})

test('a call says how long it was held and what was edited, in both languages', async () => {
  start()
  const wrapper = mountComponent(HoldRecordList, { props: { exchangeId: 'x' } })
  await vi.waitFor(() => expect(document.body.textContent).toMatch(/Response held 4[.,]2\s?s, body edited/))
  wrapper.unmount()
  mountComponent(HoldRecordList, { props: { exchangeId: 'x' }, locale: 'zh-CN' })
  await vi.waitFor(() => expect(document.body.textContent).toContain('已编辑正文'))
})

test('the buttons of a held call name it in their description, and the focus moves to the next call', async () => {
  const heldCalls = [createHeldCall('A'), createHeldCall('B')]
  const page = start({ held: heldCalls })
  mountComponent(HeldCalls)
  await vi.waitFor(() => expect(findAllByRole('button', 'Continue')).toHaveLength(2))
  const [button] = findAllByRole('button', 'Continue')
  const descriptionId = button?.getAttribute('aria-describedby') ?? ''
  expect(document.getElementById(descriptionId)?.textContent).toBe('POST /notes/A')
  button?.focus()
  const push = async (calls: HeldCall[]): Promise<void> => {
    page.push({
      topic: 'breakpoints.changed',
      payload: { rules: [], isHoldingAll: false, lapses: [], held: calls },
    })
    await flushPromises()
  }
  await push(heldCalls.slice(1))
  expect(document.activeElement).toBe(findAllByRole('button', 'Continue')[0])
  const status = getByRole('status')
  await push([])
  expect(document.activeElement?.contains(status)).toBe(true)
  expect(document.activeElement).not.toBe(document.body)
})

test('a breakpoint that cannot be saved says why, and errors only belongs to responses', async () => {
  const rule = {
    id: 'one',
    on: true,
    match: { method: '*', path: '/notes/N' },
    at: 'both' as const,
    isErrorOnly: true,
    waitSeconds: 60,
  }
  const page = start({ rules: [rule] }, {}, () => {
    throw createRefusedError('BAD_INPUT', 'Too long.')
  })
  mountComponent(BreakpointsButton)
  await vi.waitFor(() => expect(document.body.textContent).toContain('1/1'))
  const button = getByRole('button', /^Breakpoints/)
  const descriptionId = button.getAttribute('aria-describedby') ?? ''
  expect(document.getElementById(descriptionId)?.textContent).toBe('1 breakpoint is on')
  await click(/^Breakpoints/)
  expect(document.body.textContent).toContain('Response with an error')
  document.querySelector<HTMLButtonElement>('button.rule')?.click()
  await flushPromises()
  await click('Save')
  await vi.waitFor(() => expect(getByRole('dialog').textContent).toContain('Too long.'))
  expect(getInputs(page, 'breakpoints.save')).toMatchObject([{ rules: [{ at: 'response', isErrorOnly: true }] }])
})

test('what was done to a call is read again when calls go on', async () => {
  const page = start()
  mountComponent(HoldRecordList, { props: { exchangeId: 'x' } })
  await vi.waitFor(() => expect(document.body.textContent).toContain('Response held'))
  await flushPromises()
  const count = getInputs(page, 'breakpoints.records').length
  page.push({ topic: 'breakpoints.changed', payload: { rules: [], isHoldingAll: false, held: [], lapses: [] } })
  await vi.waitFor(() => expect(getInputs(page, 'breakpoints.records').length).toBeGreaterThan(count))
})

test('a breakpoint on a call, and a new one while a call is selected, begin with its route', async () => {
  const page = start()
  mountComponent(BreakpointsButton)
  const breakpoints = useBreakpoints()
  breakpoints.draft = toRouteConditions({ method: 'POST', template: '/notes/{noteid}/title' })
  await vi.waitFor(() => expect(getByRole('combobox', 'Path')).toHaveProperty('value', '/notes/{noteid}/title'))
  await click('Save')
  await vi.waitFor(() => expect(getInputs(page, 'breakpoints.save')).toHaveLength(1))
  expect(getInputs(page, 'breakpoints.save')[0]).toMatchObject({
    rules: [{ match: { method: 'POST', path: '/notes/{noteid}/title' }, at: 'request' }],
  })
  await click('Close')
  breakpoints.selectedRoute = toRouteConditions({ method: 'get', template: '/decks' })
  await click(/^Breakpoints/)
  await click('Add breakpoint')
  await vi.waitFor(() => expect(getByRole('combobox', 'Path')).toHaveProperty('value', '/decks'))
})

test('the route that the list of the next place selects outlasts the list before', async () => {
  start()
  const createRow = (path: string) => () => createExchangeRow({ method: 'GET', template: path, path })
  const before = effectScope()
  before.run(() => useSelectedRoute(createRow('/ui-state')))
  const next = effectScope()
  next.run(() => useSelectedRoute(createRow('/decks')))
  before.stop()
  expect(useBreakpoints().selectedRoute?.path).toBe('/decks')
  next.stop()
  expect(useBreakpoints().selectedRoute).toBeNull()
})
