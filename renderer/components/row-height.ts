import { computed, inject, type ComputedRef, type InjectionKey } from 'vue'

/** Row height in pixels for virtual lists. The page derives it from the density setting. */
export const rowHeightKey: InjectionKey<ComputedRef<number>> = Symbol('row height')

/** Returns the row height in pixels. If no height is provided, the compact density applies. */
export function useRowHeight(): ComputedRef<number> {
  return inject(rowHeightKey, () => computed(() => 26), true)
}
