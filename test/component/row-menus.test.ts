import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { h, markRaw, nextTick } from 'vue'
import { AppError } from '../../shared/errors.ts'
import DataGrid from '../../renderer/components/grid/DataGrid.vue'
import type { Column } from '../../renderer/components/grid/columns.ts'
import VirtualTree from '../../renderer/components/tree/VirtualTree.vue'
import { Forest } from '../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../renderer/model/tree/tree-reader.ts'
import { computeVisibleRows } from '../../renderer/model/tree/tree-rows.ts'
import { findAllByRole, getByRole, mountComponent, pressKey } from '../support/vue/mounting.ts'

interface Row {
  id: string
  title: string
}
const columns: Column<Row>[] = [
  { id: 'title', header: 'Title', width: 200, value: ({ title }) => title },
  { id: 'id', header: 'Card id', width: 120, mono: true, value: ({ id }) => id },
]
const rows: Row[] = Array.from({ length: 9 }, (_, index) => ({ id: `N${index}`, title: `Card\t${index}` }))
const rowOf = (index: number): HTMLElement => getByRole('row', new RegExp(`Card.${index}`))
const copied: string[] = []

beforeEach(() => {
  copied.length = 0
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 600 })
  const writeText = (text: string): Promise<void> => Promise.resolve(void copied.push(text))
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue({ writeText } as Clipboard)
})
afterEach(() => {
  document.body.innerHTML = ''
  vi.restoreAllMocks()
})

async function mountGrid(more: Record<string, unknown> = {}) {
  const props = { rows, columns, rowKey: ({ id }: Row) => id, label: 'Cards', ...more }
  const page = mountComponent(DataGrid as never, { props: props as never })
  await nextTick()
  return page
}
const listLabels = (): string[] => findAllByRole('menuitem').map(({ textContent }) => textContent.trim())
async function openMenu(row: HTMLElement): Promise<void> {
  row.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }))
  await flushPromises()
}
async function choose(label: string): Promise<void> {
  getByRole('menuitem', label).click()
  await flushPromises()
}
const listSelected = (): (string | undefined)[] =>
  findAllByRole('row')
    .filter((row) => row.getAttribute('aria-selected') === 'true')
    .map((row) => row.textContent.match(/N\d/)?.[0])
async function click(index: number, init: MouseEventInit = {}): Promise<void> {
  rowOf(index).dispatchEvent(new MouseEvent('click', { bubbles: true, ...init }))
  await nextTick()
}

describe('the menu of a row in a grid', () => {
  test('copies its ids and its texts even if the place offers nothing', async () => {
    await mountGrid()
    await openMenu(rowOf(2))
    expect(listLabels()).toEqual(['Copy card id', 'Copy row'])
    await choose('Copy card id')
    expect([copied.at(-1), findAllByRole('status').some(({ textContent }) => textContent === 'Copied')]).toEqual([
      'N2',
      true,
    ])
    await openMenu(rowOf(3))
    await choose('Copy row')
    expect(copied.at(-1)).toBe('Card 3\tN3')
  })

  test('opens the row and has the items of the place', async () => {
    const run = vi.fn()
    const onActivate = vi.fn()
    const rowMenu = ([row]: readonly Row[]) => [{ id: 'rename', label: `Rename ${row?.id ?? ''}`, run }]
    await mountGrid({ onActivate, rowMenu })
    await openMenu(rowOf(1))
    expect(listLabels()).toEqual(['Open', 'Rename N1', 'Copy card id', 'Copy row'])
    await choose('Rename N1')
    expect(run).toHaveBeenCalledOnce()
    await openMenu(rowOf(1))
    await choose('Open')
    expect(onActivate).toHaveBeenCalledWith(rows[1])
  })

  test('has all texts to copy in one group', async () => {
    const copies = [{ id: 'curl', label: 'Copy as cURL', readText: () => 'curl', hasSeparator: true }]
    await mountGrid({ rowMenu: () => [{ id: 'rename', label: 'Rename', run: vi.fn() }, ...copies] })
    await openMenu(rowOf(1))
    expect(listLabels()).toEqual(['Rename', 'Copy as cURL', 'Copy card id', 'Copy row'])
    expect(findAllByRole('separator')).toHaveLength(1)
  })

  test.each([
    ['Shift+F10', { key: 'F10', shiftKey: true }],
    ['the menu key', { key: 'ContextMenu' }],
  ])('opens with %s at the active row, and returns the focus to it', async (_, { key, ...init }) => {
    await mountGrid()
    const grid = getByRole('grid', 'Cards')
    grid.focus()
    pressKey(grid, 'ArrowDown')
    pressKey(grid, 'ArrowDown')
    pressKey(grid, key, init)
    await flushPromises()
    expect(document.activeElement?.textContent.trim()).toBe('Copy card id')
    pressKey(document.activeElement as HTMLElement, 'Escape')
    await flushPromises()
    expect(findAllByRole('menu')).toEqual([])
    expect(document.activeElement).toBe(grid)
    expect(document.getElementById(grid.getAttribute('aria-activedescendant') ?? '')?.textContent).toContain('N1')
  })

  test('shows why an item failed', async () => {
    const readText = (): Promise<string> =>
      Promise.reject(new AppError({ kind: 'internal', code: 'BODY_NOT_KEPT', message: 'gone', retryable: false }))
    await mountGrid({ rowMenu: () => [{ id: 'curl', label: 'Copy as cURL', readText }] })
    await openMenu(rowOf(0))
    await choose('Copy as cURL')
    expect(findAllByRole('alert')[0]?.textContent).toContain('BODY_NOT_KEPT')
  })
})

describe('several rows of a grid', () => {
  test('are selected with Ctrl and Shift, beside the row that is open', async () => {
    const page = await mountGrid({ multiSelect: true, selected: 'N1' })
    expect(getByRole('grid', 'Cards').getAttribute('aria-multiselectable')).toBe('true')
    await click(4, { ctrlKey: true })
    expect(listSelected()).toEqual(['N1', 'N4'])
    await click(6, { metaKey: true })
    await click(1, { ctrlKey: true })
    expect(listSelected()).toEqual(['N4', 'N6'])
    await click(6, { ctrlKey: true })
    await click(6, { ctrlKey: true })
    await click(8, { shiftKey: true })
    expect(listSelected()).toEqual(['N6', 'N7', 'N8'])
    expect(page.emitted('update:selected')).toBeUndefined()
    await click(2)
    expect(listSelected()).toEqual(['N2'])
  })

  test('are selected with the keyboard, and deselected with Escape', async () => {
    await mountGrid({ multiSelect: true, selected: 'N3' })
    const grid = getByRole('grid', 'Cards')
    grid.focus()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp']) pressKey(grid, key, { shiftKey: true })
    await nextTick()
    expect(listSelected()).toEqual(['N3', 'N4'])
    for (const key of ['ArrowDown', 'ArrowDown', ' ']) pressKey(grid, key, { ctrlKey: true })
    await nextTick()
    expect(listSelected()).toEqual(['N3', 'N4', 'N6'])
    pressKey(grid, 'Escape')
    await nextTick()
    expect(listSelected()).toEqual(['N3'])
  })

  test('have a bar with their number and commands, and one menu', async () => {
    const slots = {
      selection: ({ rows: selected }: { rows: Row[] }) => h('button', `Compare ${selected.map(({ id }) => id).join()}`),
    }
    const props = { rows, columns, rowKey: ({ id }: Row) => id, label: 'Cards', multiSelect: true }
    mountComponent(DataGrid as never, { props: props as never, slots: slots as never })
    await nextTick()
    await click(2, { ctrlKey: true })
    expect(document.body.textContent).not.toContain('selected')
    await click(5, { ctrlKey: true })
    expect(document.body.textContent).toContain('2 selected')
    getByRole('button', 'Compare N2,N5')
    await openMenu(rowOf(5))
    expect(listLabels()).toEqual(['Copy 2 rows'])
    await choose('Copy 2 rows')
    expect(copied.at(-1)).toBe('Title\tCard id\nCard 2\tN2\nCard 5\tN5')
    // The menu of another row is about that row alone.
    await openMenu(rowOf(7))
    expect(listLabels()).toEqual(['Copy card id', 'Copy row'])
    getByRole('button', 'Clear selection').click()
    await nextTick()
    expect([listSelected(), document.body.textContent.includes('2 selected')]).toEqual([[], false])
  })

  test('stay selected only while they are listed', async () => {
    const page = await mountGrid({ multiSelect: true })
    await click(2, { ctrlKey: true })
    await click(5, { ctrlKey: true })
    await page.setProps({ rows: rows.filter(({ id }) => id !== 'N2').toReversed() } as never)
    expect(listSelected()).toEqual(['N5'])
  })
})

test('the menu of a node in a tree opens by mouse and keyboard', async () => {
  const reader = new TreeReader('')
  const forest = markRaw(new Forest())
  reader.readNodes(['Anatomy', 'Botany'].map((title) => ({ noteid: title, parent: null, title })))
  forest.appendChunk(reader.linkNodes())
  forest.finishLoading(true)
  const chosen: number[] = []
  const rowMenu = (node: number) => [{ id: 'open', label: 'Open', run: () => void chosen.push(node) }]
  const treeRows = computeVisibleRows(forest, null)
  mountComponent(VirtualTree, {
    props: { forest, rows: treeRows, filter: null, label: 'Cards', selected: -1, highlight: '', rowMenu },
  })
  await openMenu(getByRole('treeitem', 'Botany'))
  await choose('Open')
  const tree = getByRole('tree', 'Cards')
  tree.focus()
  pressKey(tree, 'Home')
  pressKey(tree, 'ContextMenu')
  await flushPromises()
  await choose('Open')
  expect(chosen).toEqual([1, 0])
  expect(document.activeElement).toBe(tree)
})
