import { describe, expect, test } from 'vitest'
import { useListFilter } from '../../../renderer/panes/list-filter.ts'
import { createPaletteSearch } from '../../../renderer/shell/palette-search.ts'
import { filterExcerptRows, toExcerptRows, buildSearchText } from '../../../renderer/model/excerpts/excerpt-rows.ts'
import { Forest } from '../../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../../renderer/model/tree/tree-reader.ts'
import { createTreeFilter, computeVisibleRows } from '../../../renderer/model/tree/tree-rows.ts'
import { findTypeAheadRow } from '../../../renderer/components/tree/keyboard-navigation.ts'
import { createOperationFilter, type FilterableOperation } from '../../../shared/ipc/operations.ts'

const forest = (title: string): Forest => {
  const builtForest = new Forest()
  builtForest.appendChunk(new TreeReader().addNodes([{ noteid: 'N', title, parent: null }]))
  builtForest.finishLoading(true)
  return builtForest
}
const record = (noteid: string): FilterableOperation => ({
  id: 'I',
  endpoint: 'notes.title',
  state: 'unconfirmed',
  tracking: 'none',
  topicid: null,
  requestId: null,
  noteid,
  host: '',
})

/** Each filter of the page: whether it keeps an entry with this title when this is typed. */
const filters: Readonly<Record<string, (title: string, typed: string) => boolean>> = {
  'lists of the library, documents, sub-maps and deck cards': (title, typed) => {
    const { filter, visibleRows: visible } = useListFilter(
      () => [title],
      (row) => [row],
    )
    filter.value = typed
    return visible.value.length === 1
  },
  'the tree': (title, typed) => {
    const reader = new TreeReader()
    reader.addNodes([{ noteid: 'N', title, parent: null }])
    return reader.search(typed).length === 1
  },
  'type-ahead in the tree': (title, typed) => {
    const created = forest(title)
    return (
      findTypeAheadRow(created, computeVisibleRows(created, createTreeFilter(created, Uint32Array.of(0))), 0, typed) ===
      0
    )
  },
  excerpts: (title, typed) => {
    const rows = toExcerptRows([{ text: title }])
    return filterExcerptRows(rows, rows.map(buildSearchText), typed).length === 1
  },
  'the ids of operations': (title, typed) => createOperationFilter({ text: typed })(record(title)),
  'the palette': (title, typed) =>
    createPaletteSearch([{ key: 'k', id: 'k', section: 'S', title, run: () => undefined }])(typed).length === 1,
}

describe.each(Object.entries(filters))('filter of %s', (_name, keeps) => {
  test.each([
    ['ΑΒΓΣ', 'αβγσ'],
    ['ΑΒΓΣ', 'αβγς'],
    ['αβγς δ', 'ΑΒΓΣ'],
    ['αβγσδε', 'ΑΒΓΣ'],
    ['İSTANBUL', 'istanbul'],
    ['İSTANBUL', 'İstanbul'],
    ['istanbul', 'İST'],
    ['ＡＢＣ１２', 'abc12'],
    ['abc12', 'ＡＢＣ'],
    ['Ｌibrary', 'library'],
  ])('keeps %j for %j', (title, typed) => {
    expect(keeps(title, typed)).toBe(true)
  })

  test('leaves out text that does not contain the query', () => {
    expect(keeps('Alpha', 'qzqzqz')).toBe(false)
  })
})
