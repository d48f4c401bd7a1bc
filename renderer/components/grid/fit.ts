import { useElementSize } from '@vueuse/core'
import { computed, type ComputedRef, type Ref } from 'vue'
import { fitting, gridTemplate, minimumWidth, type Column } from './columns.ts'

/** The columns that `scroller` has room for, and the custom properties by which its rows are laid out. */
export function useFit<Row>(
  scroller: Ref<HTMLElement | null>,
  columns: () => readonly Column<Row>[],
  widths: Ref<ReadonlyMap<string, number>>,
): { fit: ComputedRef<readonly Column<Row>[]>; style: ComputedRef<Record<string, string>> } {
  const { width: room } = useElementSize(scroller)
  const fit = computed(() => fitting(columns(), widths.value, room.value))
  const style = computed(() => ({
    '--grid-columns': gridTemplate(fit.value, widths.value, room.value),
    '--grid-width': `${minimumWidth(fit.value, widths.value)}px`,
  }))
  return { fit, style }
}
