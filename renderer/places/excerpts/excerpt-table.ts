import { computed, onScopeDispose, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { Excerpt } from '../../../shared/bridge/resources/documents.ts'
import {
  filterExcerptRows,
  groupExcerptRows,
  toExcerptRows,
  buildSearchText,
  type ExcerptRow,
  type ExcerptGridRow,
  type ExcerptGrouping,
} from '../../model/excerpts/excerpt-rows.ts'
import type { Column, SortState } from '../../components/grid/columns.ts'
import { useRowOrder } from '../../components/grid/row-order.ts'

/** Sorted here, because groups and the export need the order. A worker sorts long lists. */
export function useExcerptTable(options: {
  items: () => readonly Excerpt[]
  columns: () => readonly Column<ExcerptRow>[]
  filterText: Ref<string>
  sort: Ref<SortState | null>
  groupBy: Ref<ExcerptGrouping>
  locale: () => string
  getGroupLabel: (grouping: ExcerptGrouping, key: string) => string
}) {
  const allRows = computed(() => toExcerptRows(options.items()))
  const searchTexts = useSearchTexts(() => allRows.value)
  // Search texts are built after the first display; until then every row counts as a match.
  const matchingRows = computed(() =>
    options.filterText.value.trim() === '' || !searchTexts.value
      ? allRows.value
      : filterExcerptRows(allRows.value, searchTexts.value, options.filterText.value),
  )
  const { order, isSorting } = useRowOrder(
    () => matchingRows.value,
    options.columns,
    () => options.sort.value,
    options.locale,
  )
  const sortedRows = computed(() =>
    order.value
      ? Array.from(order.value, (position) => matchingRows.value[position]).filter((row) => row !== undefined)
      : matchingRows.value,
  )
  const collapsedKeys = shallowRef<ReadonlySet<string>>(new Set())
  watch(options.groupBy, () => (collapsedKeys.value = new Set()))

  const gridRows = computed<readonly ExcerptGridRow[]>(() =>
    groupExcerptRows(sortedRows.value, options.groupBy.value, collapsedKeys.value, (key) =>
      options.getGroupLabel(options.groupBy.value, key),
    ),
  )

  return {
    allRows,
    matchingRows,
    /** All matching excerpts in order, without group headings. */
    sortedRows,
    gridRows,
    isSorting,
    toggleGroup(key: string): void {
      const keys = new Set(collapsedKeys.value)
      if (!keys.delete(key)) keys.add(key)
      collapsedKeys.value = keys
    },
  }
}

const CHUNK_ROWS = 2_000

/** Builds in chunks after the first display: all texts take as long as displaying them. */
function useSearchTexts(rows: () => readonly ExcerptRow[]): ShallowRef<readonly string[] | null> {
  const searchTexts = shallowRef<readonly string[] | null>(null)
  let latestRun = 0
  watch(
    rows,
    async (currentRows) => {
      const ownRun = (latestRun += 1)
      searchTexts.value = null
      const builtTexts: string[] = []
      for (let start = 0; start < currentRows.length; start += CHUNK_ROWS) {
        if (start > 0) await new Promise((resolve) => setTimeout(resolve))
        if (ownRun !== latestRun) return
        for (const row of currentRows.slice(start, start + CHUNK_ROWS)) builtTexts.push(buildSearchText(row))
      }
      searchTexts.value = builtTexts
    },
    { immediate: true },
  )
  onScopeDispose(() => (latestRun += 1))
  return searchTexts
}
