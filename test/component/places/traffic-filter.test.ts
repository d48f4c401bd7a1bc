import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import { findAllByRole, getByRole, pressKey } from '../../support/vue/mounting.ts'
import { createListedRow, listRowTexts, openTrafficPlace } from '../../support/vue/traffic-place.ts'

beforeEach(() => {
  // happy-dom has no layout: pretend there are 400 px of room.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1200 })
})
afterEach(() => {
  document.body.innerHTML = ''
})

test('a filter that nothing of this run matches can include earlier runs', async () => {
  const page = openTrafficPlace({
    'traffic.head': (input) => {
      const isThisRun = (input as { filter: { thisRun?: boolean } }).filter.thisRun === true
      return { rows: isThisRun ? [] : [createListedRow(1)], newest: 1, isWhole: true }
    },
  })
  await vi.waitFor(() => expect(page.calls.map(({ method }) => method)).toContain('traffic.head'))
  const field = getByRole('searchbox', 'Filter by method, path or code') as HTMLInputElement
  field.value = 'N1'
  field.dispatchEvent(new Event('input'))
  await vi.waitFor(() => expect(document.body.textContent).toContain('No exchange matches'))
  getByRole('button', 'Include earlier runs').click()
  await vi.waitFor(() => expect(listRowTexts().join()).toContain('/notes/N1'))
})

test('the strip of requests over time is not shown above an empty list', async () => {
  openTrafficPlace({
    'traffic.head': (input) =>
      (input as { filter: { text?: string } }).filter.text === 'none'
        ? { rows: [], newest: 60, isWhole: true }
        : { rows: Array.from({ length: 60 }, (_, index) => createListedRow(60 - index)), newest: 60, isWhole: true },
  })
  const hasStrip = (): boolean => findAllByRole('group', 'Requests over time').length > 0
  await vi.waitFor(() => expect(hasStrip()).toBe(true))
  const field = getByRole('searchbox', 'Filter by method, path or code') as HTMLInputElement
  for (const [text, isShown] of [
    ['none', false],
    ['notes', true],
  ] as const) {
    field.value = text
    field.dispatchEvent(new Event('input'))
    await vi.waitFor(() => expect(hasStrip()).toBe(isShown))
  }
})

test('a token that filters nothing is said at Enter, in place of the number of exchanges', async () => {
  openTrafficPlace({
    'traffic.head': () => ({ rows: [createListedRow(2), createListedRow(1)], newest: 2, isWhole: true }),
  })
  await vi.waitFor(() => expect(listRowTexts()).toHaveLength(2))
  const field = getByRole('searchbox', 'Filter by method, path or code') as HTMLInputElement
  const listStatuses = (): string[] => findAllByRole('status').map(({ textContent }) => textContent.trim())
  field.dispatchEvent(new Event('focus'))
  field.value = 'origin:elsewhere'
  field.dispatchEvent(new Event('input'))
  await nextTick()
  expect([listStatuses().includes('2 exchanges'), field.getAttribute('aria-invalid')]).toEqual([true, null])
  pressKey(field, 'Enter')
  await vi.waitFor(() => expect(listStatuses()).toContain('no such filter'))
  expect(field.getAttribute('aria-invalid')).toBe('true')
  field.value = 'origin:panel'
  field.dispatchEvent(new Event('input'))
  await vi.waitFor(() => expect(listStatuses()).toContain('2 exchanges'))
})

test('the menu of a row keeps its route, status or origin, in place of a token of the same kind', async () => {
  const rows = [
    createListedRow(2, { status: 404, template: '/notes/{noteid}' }),
    createListedRow(1, { template: '/notes/{noteid}', origin: { kind: 'panel', label: 'Practice' } }),
  ]
  const page = openTrafficPlace({ 'traffic.head': () => ({ rows, newest: 2, isWhole: true }) })
  await vi.waitFor(() => expect(listRowTexts()).toHaveLength(2))
  const grid = getByRole('grid', 'Traffic')
  const openMenu = async (...keys: string[]): Promise<void> => {
    grid.focus()
    for (const key of keys) pressKey(grid, key)
    pressKey(grid, 'F10', { shiftKey: true })
    await flushPromises()
  }
  const listItems = (): string[] => findAllByRole('menuitem').map(({ textContent }) => textContent.trim())
  const keep = async (item: string, filter: object): Promise<void> => {
    getByRole('menuitem', item).click()
    await vi.waitFor(() =>
      expect(page.calls.findLast(({ method }) => method === 'traffic.head')?.input).toMatchObject({ filter }),
    )
  }
  await openMenu('Home')
  expect(listItems().filter((item) => item.startsWith('Only'))).toEqual([
    'Only this route',
    'Only this status',
    'Only from this origin',
  ])
  const copies = listItems().slice(listItems().indexOf('Copy exchange id'))
  expect([copies.at(-1), copies.filter((item) => !item.startsWith('Copy'))]).toEqual(['Copy row', []])
  await keep('Only this route', { template: '/notes/{noteid}' })
  await openMenu('Home')
  await keep('Only from this origin', { origins: ['place'] })
  await openMenu('Home')
  await keep('Only this status', { statuses: ['404'] })
  await openMenu('End')
  // The token of an origin does not distinguish two panels.
  expect(listItems()).not.toContain('Only from this origin')
  await keep('Only this status', { statuses: ['200'], origins: ['place'], template: '/notes/{noteid}' })
  getByRole('button', 'Remove status:200').click()
  await vi.waitFor(() => expect(findAllByRole('button', /^Remove status/)).toEqual([]))
  expect(findAllByRole('button', /^Remove (?:origin|route):/)).toHaveLength(2)
})

test('a filter text that is too long is truncated both in the field and in the filter', async () => {
  const page = openTrafficPlace({
    'traffic.head': () => ({ rows: [createListedRow(2), createListedRow(1)], newest: 2, isWhole: true }),
  })
  await vi.waitFor(() => expect(listRowTexts()).toHaveLength(2))
  const field = getByRole('searchbox', 'Filter by method, path or code') as HTMLInputElement
  const listRequests = (): string[] =>
    page.calls.flatMap(({ method, input }) =>
      method === 'traffic.head' ? ((input as { filter: { text?: string } }).filter.text ?? []) : [],
    )
  for (const typed of ['x'.repeat(5_000), 'y'.repeat(5_000)]) {
    field.value = typed
    field.dispatchEvent(new Event('input'))
    await vi.waitFor(() => expect(listRequests().at(-1)).toBe(typed.slice(0, 400)))
    expect(field.value).toBe(typed.slice(0, 400))
  }
})
