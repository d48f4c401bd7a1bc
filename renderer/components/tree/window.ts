import { useVirtualizer } from '@tanstack/vue-virtual'
import { computed, watch, type Ref } from 'vue'
import { scrollTopFor, tallestElement, topRowAt, type TallList } from './geometry.ts'

const OVERSCAN = 12

/** The rows in view in a scrolling box, and their positions; `scrollTo` brings another one into view, `toTop` the first. */
export function useRowWindow(scroller: Ref<HTMLElement | null>, count: Ref<number>, rowHeight: Ref<number>) {
  /** If all rows together exceed the maximum element height, scrolling is scaled. */
  const scale = computed(() => {
    const height = count.value * rowHeight.value
    return height < 15_000_000 ? 1 : Math.max(1, height / tallestElement())
  })
  const virtualizer = useVirtualizer(
    computed(() => ({
      count: count.value,
      getScrollElement: () => scroller.value,
      estimateSize: () => rowHeight.value / scale.value,
      overscan: OVERSCAN,
    })),
  )
  watch([rowHeight, scale], () => virtualizer.value.measure())

  const list = (): TallList => ({
    rows: count.value,
    rowHeight: rowHeight.value,
    view: virtualizer.value.scrollRect?.height ?? 0,
    total: virtualizer.value.getTotalSize(),
  })

  const items = computed<readonly { row: number; y: number }[]>(() => {
    const drawn = virtualizer.value.getVirtualItems()
    if (scale.value === 1) return drawn.map(({ index, start }) => ({ row: index, y: start }))
    const offset = virtualizer.value.scrollOffset ?? 0
    const shape = list()
    const top = topRowAt(shape, offset)
    const first = Math.max(0, Math.floor(top) - OVERSCAN)
    const end = Math.min(count.value, Math.ceil(top + shape.view / rowHeight.value) + OVERSCAN)
    return Array.from({ length: end - first }, (_, n) => ({
      row: first + n,
      y: Math.round(offset + (first + n - top) * rowHeight.value),
    }))
  })

  function scrollTo(row: number, align: 'auto' | 'center'): void {
    const box = scroller.value
    if (!box) return
    if (scale.value === 1) virtualizer.value.scrollToIndex(row, { align })
    else box.scrollTop = scrollTopFor(list(), row, align, box.scrollTop)
  }

  /** Back to the first row. A box that was hidden is there already, and says so by no event. */
  function toTop(): void {
    if (scroller.value) scroller.value.scrollTop = 0
    virtualizer.value.scrollOffset = 0
    virtualizer.value.measure()
  }

  return { items, scrollTo, toTop, total: computed(() => virtualizer.value.getTotalSize()) }
}
