import { computed, onScopeDispose, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { Excerpt } from '../../../shared/bridge/resources/documents.ts'
import {
  filterRows,
  groupRows,
  toExcerptRows,
  buildSearchText,
  type ExcerptRow,
  type ExcerptGridRow,
  type GroupBy,
} from '../../model/excerpts/excerpt-rows.ts'
import type { Column, SortState } from '../../components/grid/columns.ts'
import { useRowOrder } from '../../components/grid/row-order.ts'

/**
 * The rows of the table: filtered, then sorted (by a worker, if there are many), then grouped. Sorting happens here and not in the grid,
 * because groups and the export need the order too.
 */
export function useExcerptTable(options: {
  items: () => readonly Excerpt[]
  columns: () => readonly Column<ExcerptRow>[]
  filterText: Ref<string>
  sort: Ref<SortState | null>
  groupBy: Ref<GroupBy>
  locale: () => string
  labelOf: (by: GroupBy, key: string) => string
}) {
  const allRows = computed(() => toExcerptRows(options.items()))
  const lower = useSearchedTexts(() => allRows.value)
  // Until the searched texts are known, nothing is filtered out.
  const matchingRows = computed(() =>
    options.filterText.value.trim() === '' || !lower.value
      ? allRows.value
      : filterRows(allRows.value, lower.value, options.filterText.value),
  )
  const { order, isSorting } = useRowOrder(
    () => matchingRows.value,
    options.columns,
    () => options.sort.value,
    options.locale,
  )
  const sortedRows = computed(() =>
    order.value
      ? Array.from(order.value, (at) => matchingRows.value[at]).filter((row) => row !== undefined)
      : matchingRows.value,
  )
  const folded = shallowRef<ReadonlySet<string>>(new Set())
  watch(options.groupBy, () => (folded.value = new Set()))

  const gridRows = computed<readonly ExcerptGridRow[]>(() =>
    groupRows(sortedRows.value, options.groupBy.value, folded.value, (key) =>
      options.labelOf(options.groupBy.value, key),
    ),
  )

  return {
    all: allRows,
    found: matchingRows,
    /** As shown, without group headings: what an export writes. */
    sorted: sortedRows,
    rows: gridRows,
    sorting: isSorting,
    toggleGroup(key: string): void {
      const next = new Set(folded.value)
      if (!next.delete(key)) next.add(key)
      folded.value = next
    },
  }
}

/** Rows whose search texts are built in one go. */
const AT_ONCE = 2_000

/** The text searched in each row: built in slices after the table is shown, because building it costs as much as showing it. */
function useSearchedTexts(rows: () => readonly ExcerptRow[]): ShallowRef<readonly string[] | null> {
  const texts = shallowRef<readonly string[] | null>(null)
  let run = 0
  watch(
    rows,
    async (all) => {
      const mine = (run += 1)
      texts.value = null
      const made: string[] = []
      for (let at = 0; at < all.length; at += AT_ONCE) {
        if (at > 0) await new Promise((resolve) => setTimeout(resolve))
        if (mine !== run) return
        for (const row of all.slice(at, at + AT_ONCE)) made.push(buildSearchText(row))
      }
      texts.value = made
    },
    { immediate: true },
  )
  onScopeDispose(() => (run += 1))
  return texts
}
