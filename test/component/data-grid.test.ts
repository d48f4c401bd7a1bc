import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import DataGrid from '../../renderer/components/grid/DataGrid.vue'
import type { Column } from '../../renderer/components/grid/columns.ts'
import { sortRows, type SortRequest } from '../../renderer/components/grid/sort.ts'
import { findAllByRole, getByRole, pressKey, mountComponent } from '../support/vue/mounting.ts'

interface Row {
  id: string
  cards: number
}
const columns: Column<Row>[] = [
  { id: 'id', header: 'Title', width: 200, value: (row) => row.id },
  { id: 'cards', header: 'Cards', width: 80, align: 'end', value: (row) => row.cards },
  { id: 'fixed', header: 'Actions', width: 80, sortable: false, value: () => '' },
]
const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: `set ${index}`, cards: (index * 7) % 10 }))
const props = (rows: Row[]) => ({ rows, columns, rowKey: (row: Row) => row.id, label: 'Study sets' })
const shownIds = (): string[] =>
  findAllByRole('row')
    .slice(1)
    .map((row) => row.querySelector('[role="gridcell"]')?.textContent ?? '')

beforeEach(() => {
  // happy-dom has no layout: pretend there are 400 px of room.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 600 })
})
afterEach(() => {
  vi.unstubAllGlobals()
  document.body.innerHTML = ''
})

async function grid(rows: Row[], more: Record<string, unknown> = {}) {
  const page = mountComponent(DataGrid as never, { props: { ...props(rows), ...more } as never })
  await nextTick()
  return page
}

describe('a grid', () => {
  test('counts all of 200,000 rows and renders a few', async () => {
    await grid(rowsOf(200_000))
    expect(getByRole('grid', 'Study sets').getAttribute('aria-rowcount')).toBe('200001')
    const renderedRows = findAllByRole('row')
    expect(renderedRows.length).toBeGreaterThan(10)
    expect(renderedRows.length).toBeLessThan(60)
    expect(renderedRows[1]?.getAttribute('aria-rowindex')).toBe('2')
  })

  test('keeps the text of a column that found no room, if it has to', async () => {
    const wide = { header: 'Origin', width: 500, hidePriority: 1 }
    const narrowColumns: Column<Row>[] = [
      ...columns,
      { ...wide, id: 'origin', keepsText: true, value: () => 'recorded' },
      { ...wide, id: 'type', value: () => 'JSON' },
    ]
    const rectangle = { width: 600, height: 400 }
    vi.stubGlobal(
      'ResizeObserver',
      class {
        readonly observe: (target: Element) => void
        constructor(callback: (entries: unknown[]) => void) {
          this.observe = (target) =>
            queueMicrotask(() => callback([{ target, contentRect: rectangle, contentBoxSize: [{ inlineSize: 600 }] }]))
        }
        unobserve(): void {}
        disconnect(): void {}
      },
    )
    await grid(rowsOf(1), { columns: narrowColumns })
    await vi.waitFor(() => expect(findAllByRole('columnheader')).toHaveLength(3))
    expect(findAllByRole('row')[1]?.textContent.replace(/\s+/g, '')).toBe('set00recorded')
  })

  test('keeps the selected row in sight when details below take height, without moving others', async () => {
    const observers: (() => void)[] = []
    vi.stubGlobal(
      'ResizeObserver',
      class {
        readonly observe: (target: Element) => void
        constructor(callback: (entries: unknown[]) => void) {
          this.observe = (target) =>
            void observers.push(() => callback([{ target, contentRect: {}, contentBoxSize: [{ inlineSize: 600 }] }]))
        }
        unobserve(): void {}
        disconnect(): void {}
      },
    )
    await grid(rowsOf(100))
    const box = getByRole('grid', 'Study sets')
    const setHeight = async (height: number): Promise<void> => {
      Object.defineProperty(box, 'clientHeight', { configurable: true, value: height })
      for (const notify of observers) notify()
      await nextTick()
    }
    const [headerHeight, rowHeight] = [28, 26]
    for (const { row, height, scrollTop } of [
      { row: 3, height: 200, scrollTop: 0 },
      { row: 12, height: 200, scrollTop: 13 * rowHeight - (200 - headerHeight) },
    ]) {
      box.scrollTop = 0
      await setHeight(400)
      findAllByRole('row')[row + 1]?.click()
      await setHeight(height)
      expect(box.scrollTop).toBe(scrollTop)
    }
    // A row that the user has left is not brought back.
    await setHeight(400)
    box.scrollTop = 1_000
    box.dispatchEvent(new Event('scroll'))
    await nextTick()
    await setHeight(200)
    expect(box.scrollTop).toBe(1_000)
  })

  test('shows its headers but no empty message while it loads for the first time', async () => {
    const page = await grid([], { loading: true })
    const table = getByRole('grid', 'Study sets')
    expect(findAllByRole('columnheader')).toHaveLength(3)
    expect([table.getAttribute('aria-rowcount'), table.getAttribute('aria-busy')]).toEqual(['-1', 'true'])
    expect(document.body.textContent).toBe('TitleCardsActions')
    await page.setProps({ loading: false } as never)
    expect([table.getAttribute('aria-rowcount'), table.getAttribute('aria-busy')]).toEqual(['1', 'false'])
    expect(document.body.textContent).toContain('Nothing here')
  })

  test('renders every row once, even if a host sends ids twice or not at all', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const sameRows = [{ id: 'a', cards: 1 }, { id: 'a', cards: 2 }, { cards: 3 }, { cards: 4 }] as Row[]
    const page = await grid(sameRows)
    const listRenderedIds = (): (string | null)[] =>
      findAllByRole('row')
        .slice(1)
        .map(({ textContent }) => textContent)
    expect(listRenderedIds()).toEqual(['a1', 'a2', '3', '4'])
    await page.setProps({ rows: sameRows.toReversed() } as never)
    expect(listRenderedIds()).toEqual(['4', '3', 'a2', 'a1'])
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
  })

  test('reuses row elements for other rows only if they are declared stateless', async () => {
    const listRenderedRows = (): Element[] => findAllByRole('row').slice(1)
    const others = [{ id: 'x', cards: 1 }]
    const page = await grid(rowsOf(1))
    const [first] = listRenderedRows()
    await page.setProps({ rows: others } as never)
    expect([listRenderedRows()[0] === first, ...shownIds()]).toEqual([false, 'x'])
    await page.setProps({ stateless: true } as never)
    const [second] = listRenderedRows()
    await page.setProps({ rows: rowsOf(2) } as never)
    expect([listRenderedRows()[0] === second, ...shownIds()]).toEqual([true, 'set 0', 'set 1'])
  })

  test('sorts by a header: ascending, descending, original order', async () => {
    await grid(rowsOf(5))
    const header = getByRole('columnheader', 'Cards')
    const readSortedState = async (): Promise<[string | null, string]> => {
      await nextTick()
      return [header.getAttribute('aria-sort'), shownIds().join()]
    }
    expect(await readSortedState()).toEqual(['none', 'set 0,set 1,set 2,set 3,set 4'])
    header.querySelector('button')?.click()
    expect(await readSortedState()).toEqual(['ascending', 'set 0,set 3,set 2,set 1,set 4'])
    header.querySelector('button')?.click()
    expect(await readSortedState()).toEqual(['descending', 'set 4,set 1,set 2,set 3,set 0'])
    header.querySelector('button')?.click()
    expect(await readSortedState()).toEqual(['none', 'set 0,set 1,set 2,set 3,set 4'])
    expect(getByRole('columnheader', 'Actions').hasAttribute('aria-sort')).toBe(false)
  })

  test('sorts a long list in a worker, stays unchanged meanwhile, and drops an outdated sort', async () => {
    const workers: SortWorker[] = []
    class SortWorker {
      onmessage: ((event: { data: Uint32Array }) => void) | null = null
      readonly postMessage = vi.fn((request: SortRequest) => void (this.request = request))
      readonly terminate = vi.fn()
      request: SortRequest | null = null
      constructor() {
        workers.push(this)
      }
      finish(): void {
        if (this.request) this.onmessage?.({ data: sortRows(this.request) })
      }
    }
    vi.stubGlobal('Worker', SortWorker)
    try {
      await grid(rowsOf(3_000))
      const header = getByRole('columnheader', 'Cards').querySelector('button')
      const table = getByRole('grid', 'Study sets')
      header?.click()
      await nextTick()
      expect([table.getAttribute('aria-busy'), shownIds()[0]]).toEqual(['true', 'set 0'])
      header?.click()
      await nextTick()
      expect([workers.length, workers[0]?.terminate.mock.calls.length]).toEqual([2, 1])
      workers[1]?.finish()
      await nextTick()
      expect([table.getAttribute('aria-busy'), shownIds()[0]]).toEqual(['false', 'set 7'])
      expect(workers[1]?.terminate).toHaveBeenCalledOnce()
    } finally {
      vi.unstubAllGlobals()
    }
  })

  test('sorts by several headers pressed with Shift, the first of which has aria-sort', async () => {
    const rows = [
      { id: 'b', cards: 1 },
      { id: 'a', cards: 2 },
      { id: 'a', cards: 1 },
      { id: 'b', cards: 2 },
    ]
    await grid(rows, { rowKey: (row: Row) => rows.indexOf(row) })
    const [title, cards] = findAllByRole('columnheader')
    const pressed = async (header: Element | undefined, shiftKey: boolean): Promise<string> => {
      const button = header?.querySelector('button')
      button?.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey }))
      await nextTick()
      const renderedRows = findAllByRole('row').slice(1)
      return renderedRows.map(({ textContent }) => textContent).join()
    }
    const listTexts = (): (string | null)[] =>
      [title, cards].flatMap((header) => [
        header?.getAttribute('aria-sort') ?? null,
        header?.querySelector('button')?.getAttribute('aria-description') ?? null,
        header?.querySelector('[data-number]')?.getAttribute('data-number') ?? null,
      ])
    expect(await pressed(title, false)).toBe('a2,a1,b1,b2')
    expect(listTexts()).toEqual(['ascending', null, null, 'none', null, null])
    expect(await pressed(cards, true)).toBe('a1,a2,b1,b2')
    const first = ['ascending', 'Sort column 1, ascending', '1']
    expect(listTexts()).toEqual([...first, 'none', 'Sort column 2, ascending', '2'])
    expect(await pressed(cards, true)).toBe('a2,a1,b2,b1')
    expect(listTexts()).toEqual([...first, 'none', 'Sort column 2, descending', '2'])
    expect(await pressed(title, true)).toBe('b2,b1,a2,a1')
    expect(listTexts()[0]).toBe('descending')
    expect(await pressed(title, true)).toBe('a2,b2,b1,a1')
    expect(listTexts()).toEqual(['none', null, null, 'descending', null, null])
    await pressed(title, true)
    expect(await pressed(title, false)).toBe('a2,a1,b1,b2')
    expect(listTexts()).toEqual(['ascending', null, null, 'none', null, null])
  })

  test('keeps its first sorting column when another is added with Shift', async () => {
    const sort = [{ column: 'id', direction: 'ascending' }]
    const page = await grid(rowsOf(3), { presorted: true, singleSort: true, sort })
    const cards = getByRole('columnheader', 'Cards').querySelector('button')
    cards?.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true }))
    expect(page.emitted('update:sort')).toEqual([[[{ column: 'cards', direction: 'ascending' }]]])
  })

  test('is navigated by keyboard, and Enter activates a row', async () => {
    const page = await grid(rowsOf(1000))
    const root = getByRole('grid')
    const selected = async (): Promise<unknown> => {
      await nextTick()
      return page.emitted('update:selected')?.at(-1)?.[0]
    }
    pressKey(root, 'ArrowDown')
    expect(await selected()).toBe('set 0')
    pressKey(root, 'ArrowDown')
    expect(await selected()).toBe('set 1')
    expect(getByRole('row', /^set 17$/).getAttribute('aria-selected')).toBe('true')
    const activeId = root.getAttribute('aria-activedescendant') ?? ''
    expect(document.getElementById(activeId)?.textContent).toContain('set 1')
    pressKey(root, 'End')
    expect(await selected()).toBe('set 999')
    pressKey(root, 'PageUp')
    expect(await selected()).not.toBe('set 999')
    pressKey(root, 'Home')
    expect(await selected()).toBe('set 0')
    pressKey(root, 'Enter')
    expect(page.emitted('activate')).toEqual([[{ id: 'set 0', cards: 0 }]])
  })

  test('distinguishes an empty list from a filter without matches', async () => {
    const page = await grid([])
    expect(document.body.textContent).toContain('Nothing here')
    await page.setProps({ filtered: true } as never)
    expect(document.body.textContent).toContain('Nothing matches the filter')
  })

  test('resizes columns with Shift and arrow keys', async () => {
    await grid(rowsOf(3))
    const before = (document.querySelector('.data-grid') as HTMLElement).style.getPropertyValue('--grid-columns')
    pressKey(getByRole('columnheader', 'Title').querySelector('button') as HTMLElement, 'ArrowRight', {
      shiftKey: true,
    })
    await nextTick()
    const after = (document.querySelector('.data-grid') as HTMLElement).style.getPropertyValue('--grid-columns')
    expect(before).toContain('200px')
    expect(after).toContain('616px')
  })
})
