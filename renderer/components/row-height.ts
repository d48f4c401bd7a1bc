import { computed, inject, type ComputedRef, type InjectionKey } from 'vue'

/** Row height in pixels for virtual lists; the page provides it from the density setting. */
export const rowHeightKey: InjectionKey<ComputedRef<number>> = Symbol('row height')

/** Returns the row height in pixels; that of the compact density if none is provided. */
export function useRowHeight(): ComputedRef<number> {
  return inject(rowHeightKey, () => computed(() => 26), true)
}
