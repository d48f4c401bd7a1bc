import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { Column, SortState } from './columns.ts'
import { buildSortKeys } from './sort-state.ts'
import { sortRows, type SortRequest } from './sort.ts'

/** A worker sorts longer lists, because comparing 2,000 texts takes about 20 ms. */
const MAX_INLINE_SORT_ROWS = 2_000

/**
 * Returns the display order as row numbers, or null for the original order. While a long list is
 * sorted, `isSorting` is true and the rows keep their original order.
 */
export function useRowOrder<Row>(
  rows: () => readonly Row[],
  columns: () => readonly Column<Row>[],
  sort: () => SortState | null,
  locale: () => string,
): { order: ShallowRef<Uint32Array | null>; isSorting: Ref<boolean> } {
  const order = shallowRef<Uint32Array | null>(null)
  const sorting = ref(false)
  let worker: Worker | null = null

  function stopWorker(): void {
    worker?.terminate()
    worker = null
    sorting.value = false
  }

  watch(
    [rows, sort, locale],
    ([currentRows, sortState]) => {
      stopWorker()
      order.value = null
      const request: SortRequest = { keys: buildSortKeys(currentRows, columns(), sortState), locale: locale() }
      if (request.keys.length === 0) return
      if (currentRows.length <= MAX_INLINE_SORT_ROWS) {
        order.value = sortRows(request)
        return
      }
      sorting.value = true
      worker = new Worker(new URL('./sort.worker.ts', import.meta.url), { type: 'module', name: 'sort' })
      worker.onmessage = ({ data }: MessageEvent<Uint32Array>) => {
        stopWorker()
        order.value = data
      }
      // If the worker cannot be loaded, the rows keep their original order.
      worker.onerror = stopWorker
      worker.postMessage(request)
    },
    { immediate: true, flush: 'sync' },
  )
  onScopeDispose(stopWorker)
  return { order, isSorting: sorting }
}
