import { computed, onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { Excerpt } from '../../../shared/bridge/resources/excerpts.ts'
import {
  filtered,
  grouped,
  rowsOf,
  searchedText,
  type ExcerptRow,
  type GridRow,
  type GroupBy,
} from '../../model/excerpts/rows.ts'
import type { Column, SortState } from '../../components/grid/columns.ts'
import { sortKeys } from '../../components/grid/sort-state.ts'
import { sortRows } from '../../components/grid/sort.ts'

/**
 * The rows of the table: filtered, then sorted (in slices, if there are many), then grouped. Sorting happens here and not in the grid,
 * because groups and the export need the order too.
 */
export function useExcerptTable(options: {
  items: () => readonly Excerpt[]
  columns: () => readonly Column<ExcerptRow>[]
  text: Ref<string>
  sort: Ref<SortState | null>
  by: Ref<GroupBy>
  locale: () => string
  labelOf: (by: GroupBy, key: string) => string
}) {
  const all = computed(() => rowsOf(options.items()))
  const lower = useSearchedTexts(() => all.value)
  // Until the searched texts are known, nothing is filtered out.
  const found = computed(() =>
    options.text.value.trim() === '' || !lower.value ? all.value : filtered(all.value, lower.value, options.text.value),
  )
  const sorted = shallowRef<readonly ExcerptRow[]>([])
  const sorting = ref(false)
  const folded = shallowRef<ReadonlySet<string>>(new Set())
  let running = new AbortController()

  watch(
    [found, options.sort, options.locale],
    ([rows, sort, locale]) => {
      running.abort()
      running = new AbortController()
      sorting.value = false
      const keys = sortKeys(rows, options.columns(), sort)
      if (keys.length === 0) {
        sorted.value = rows
        return
      }
      const order = sortRows(keys, locale, running.signal)
      const apply = (by: Uint32Array): void => {
        sorted.value = Array.from(by, (at) => rows[at]).filter((row) => row !== undefined)
      }
      if (order instanceof Uint32Array) {
        apply(order)
        return
      }
      sorted.value = rows
      sorting.value = true
      void order.then((by) => {
        if (by === null) return
        apply(by)
        sorting.value = false
      })
    },
    { immediate: true },
  )
  onScopeDispose(() => running.abort())
  watch(options.by, () => (folded.value = new Set()))

  const rows = computed<readonly GridRow[]>(() =>
    grouped(sorted.value, options.by.value, folded.value, (key) => options.labelOf(options.by.value, key)),
  )

  return {
    all,
    found,
    /** As shown, without group headings: what an export writes. */
    sorted,
    rows,
    sorting,
    fold(key: string): void {
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
        for (const row of all.slice(at, at + AT_ONCE)) made.push(searchedText(row))
      }
      texts.value = made
    },
    { immediate: true },
  )
  onScopeDispose(() => (run += 1))
  return texts
}
