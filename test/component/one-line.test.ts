import { afterEach, describe, expect, test } from 'vitest'
import DataGrid from '../../renderer/components/DataGrid.vue'
import FieldList from '../../renderer/components/FieldList.vue'
import MarkedText from '../../renderer/components/MarkedText.vue'
import TreeRow from '../../renderer/components/tree/TreeRow.vue'
import { oneLine } from '../../renderer/components/one-line.ts'
import { byRole, show } from '../support/page.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const long = `Heart ${'x'.repeat(99_994)}`
const drawn = (): number => document.body.textContent.length

test('a text that has one line is drawn as far as a line can show; none is nothing', () => {
  expect(oneLine('Heart')).toBe('Heart')
  expect(oneLine(long)).toMatch(/^Heart x{994}…$/)
  expect(oneLine(null)).toBe('')
  expect(oneLine(undefined)).toBe('')
})

describe('a text of 100,000 characters is not laid out as a whole', () => {
  test.each([false, true])('in a cell (monospace: %s)', (mono) => {
    const rows = [{ title: mono ? long.replace(' ', '') : long }]
    const columns = [{ id: 'title', header: 'Title', width: 300, mono, value: (row: { title: string }) => row.title }]
    show(DataGrid<{ title: string }>, { props: { label: 'Cards', rows, columns, rowKey: () => 'one' } })
    expect(byRole('gridcell', /^Heart/).textContent.length).toBeLessThan(1_100)
  })

  test.each(['', 'heart'])('in a row of the tree, whose name it is all the same (searched for: "%s")', (highlight) => {
    const where = { id: 'r', node: 0, y: 0, depth: 0, position: 1, setSize: 1, childCount: 0, docPage: 0 }
    const state = { open: false, selected: false, active: false, matched: false, subMap: false, problem: false }
    show(TreeRow, { props: { ...where, ...state, title: long, noteid: 'N', highlight } })
    expect(drawn()).toBeLessThan(1_100)
    expect(document.querySelector('mark')?.textContent).toBe(highlight === '' ? undefined : 'Heart')
    expect(byRole('treeitem', long)).toBeTruthy()
  })

  test('among what was found', () => {
    show(MarkedText, { props: { text: long, query: 'heart' } })
    expect(drawn()).toBeLessThan(1_100)
    expect(document.querySelector('mark')?.textContent).toBe('Heart')
  })

  test('searched for as a whole: what is drawn of it is marked', () => {
    show(MarkedText, { props: { text: long, query: long } })
    expect(document.querySelector('mark')?.textContent).toBe(oneLine(long))
    expect(drawn()).toBeLessThan(1_100)
  })

  test('among the fields of an object, unless asked for', async () => {
    show(FieldList, { props: { source: JSON.stringify({ title: long, more: { deep: long } }) } })
    expect(drawn()).toBeLessThan(5_000)
    byRole('button', 'Show all 100,000 characters').click()
    await expect.poll(drawn).toBeGreaterThan(100_000)
  })
})
