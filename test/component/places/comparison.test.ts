import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compareJson } from '../../../shared/bridge/compare.ts'
import ChangeGrid from '../../../renderer/panes/comparison/ChangeGrid.vue'
import DifferenceTree from '../../../renderer/panes/comparison/DifferenceTree.vue'
import { createBodyComparer, type MembersRequest } from '../../../renderer/workers/body-comparison.ts'
import { findAllByRole, getByRole, mountComponent, pressKey } from '../../support/vue/mounting.ts'

beforeEach(() => {
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 600 })
})
afterEach(() => {
  document.body.innerHTML = ''
})

const card = (noteid: string, title: string): object => ({ noteid, title, tags: ['x', 'y'] })
const before = { ok: true, notes: [card('a', 'A'), card('b', 'B'), card('x', 'X'), card('c', 'C')] }
const after = { ok: true, notes: [card('c', 'New'), card('a', 'A'), card('b', 'B'), card('d', 'D')] }

function mountTree() {
  const comparer = createBodyComparer()
  const toBytes = (value: unknown): ArrayBuffer => new TextEncoder().encode(JSON.stringify(value)).buffer
  comparer.compare({ before: toBytes(before), after: toBytes(after) })
  const listMembers = async (request: MembersRequest) => comparer.listMembers(request)
  const { nodes, changes } = compareJson(before, after)
  return { page: mountComponent(DifferenceTree, { props: { nodes, listMembers, change: null } }), changes }
}
const listNames = (): (string | null)[] => findAllByRole('treeitem').map((item) => item.getAttribute('aria-label'))
async function press(...keys: string[]): Promise<void> {
  for (const key of keys) pressKey(getByRole('tree', 'Responses compared'), key)
  await flushPromises()
}

test('differences are a tree with names and ids, and the equal rest is one collapsed row', async () => {
  mountTree()
  await flushPromises()
  expect(listNames()).toEqual([
    'Response',
    'notes',
    '3 → 0 · New · c',
    'title: "C" → "New"',
    '2 the same',
    '− 2 · X · x: {"noteid":"x","title":"X","tags":["x","y"]}',
    '+ 3 · D · d: {"noteid":"d","title":"D","tags":["x","y"]}',
    '2 the same',
    '1 the same',
  ])
  expect(getByRole('treeitem', '3 → 0 · New · c').textContent).toContain('moved')
})

test('equal members are listed when they are expanded, level by level', async () => {
  mountTree()
  await flushPromises()
  await press('End', 'ArrowRight')
  expect(listNames().slice(-2)).toEqual(['1 the same', 'ok: true'])
  await press('Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight')
  expect(listNames()).toContain('noteid: "c"')
  await press('ArrowDown', 'ArrowDown', 'ArrowRight')
  expect(listNames().filter((name) => name === '0: "x"' || name === '1: "y"')).toHaveLength(2)
})

test('a change that is selected in the list is selected in the tree, even if it was collapsed', async () => {
  const { page, changes } = mountTree()
  await flushPromises()
  await press('Home', 'ArrowLeft')
  expect(listNames()).toEqual(['Response'])
  await page.setProps({ change: changes.find(({ kind }) => kind === 'changed') } as never)
  await flushPromises()
  const selected = findAllByRole('treeitem').filter((item) => item.getAttribute('aria-selected') === 'true')
  expect(selected.map((item) => item.getAttribute('aria-label'))).toEqual(['title: "C" → "New"'])
})

test('the list of differences has a column of ids only if an element has one', () => {
  for (const [first, second, ids] of [
    [before, after, 1],
    [{ ok: true }, { ok: false }, 0],
  ] as const) {
    const { changes, total } = compareJson(first, second)
    const page = mountComponent(ChangeGrid, { props: { changes, total } })
    expect(findAllByRole('columnheader', 'Id')).toHaveLength(ids)
    expect(findAllByRole('columnheader', /Before|After/)).toHaveLength(2)
    page.unmount()
  }
})
