import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { Column, SortState } from './columns.ts'
import { buildSortKeys } from './sort-state.ts'
import { sortRows, type SortRequest } from './sort.ts'

/** More rows than this are sorted by a worker: comparing the texts of as many takes a task of about 20 ms. */
const MAX_ROWS_ON_PAGE = 2_000

/**
 * The display order as row numbers; null = as received. While a long list is being sorted, `sorting` is true and the rows keep their
 * original order.
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

  function stop(): void {
    worker?.terminate()
    worker = null
    sorting.value = false
  }

  watch(
    [rows, sort, locale],
    ([all, wanted]) => {
      stop()
      order.value = null
      const request: SortRequest = { keys: buildSortKeys(all, columns(), wanted), locale: locale() }
      if (request.keys.length === 0) return
      if (all.length <= MAX_ROWS_ON_PAGE) {
        order.value = sortRows(request)
        return
      }
      sorting.value = true
      worker = new Worker(new URL('./sort.worker.ts', import.meta.url), { type: 'module', name: 'sort' })
      worker.onmessage = ({ data }: MessageEvent<Uint32Array>) => {
        stop()
        order.value = data
      }
      // A worker that cannot be loaded leaves the rows in the order in which they were received.
      worker.onerror = stop
      worker.postMessage(request)
    },
    { immediate: true, flush: 'sync' },
  )
  onScopeDispose(stop)
  return { order, isSorting: sorting }
}
