import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { Column, SortState } from './columns.ts'
import { sortKeys } from './sort-state.ts'
import { sortRows } from './sort.ts'

/**
 * The display order as row numbers; null = as received. While a long list is being sorted, `sorting` is true and the rows keep their
 * original order.
 */
export function useOrder<Row>(
  rows: () => readonly Row[],
  columns: () => readonly Column<Row>[],
  sort: () => SortState | null,
  locale: () => string,
): { order: ShallowRef<Uint32Array | null>; sorting: Ref<boolean> } {
  const order = shallowRef<Uint32Array | null>(null)
  const sorting = ref(false)
  let running = new AbortController()

  watch(
    [rows, sort, locale],
    ([all, wanted]) => {
      running.abort()
      running = new AbortController()
      sorting.value = false
      const keys = sortKeys(all, columns(), wanted)
      if (keys.length === 0) {
        order.value = null
        return
      }
      const sorted = sortRows(keys, locale(), running.signal)
      if (sorted instanceof Uint32Array) {
        order.value = sorted
        return
      }
      order.value = null
      sorting.value = true
      void sorted.then((result) => {
        if (result === null) return
        order.value = result
        sorting.value = false
      })
    },
    { immediate: true, flush: 'sync' },
  )
  onScopeDispose(() => {
    running.abort()
  })
  return { order, sorting }
}
