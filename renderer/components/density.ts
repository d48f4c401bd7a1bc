import { computed, inject, type ComputedRef, type InjectionKey } from 'vue'

/** Height of a row in pixels, as virtual lists need it; the page provides it from the density setting. */
export const rowHeightKey: InjectionKey<ComputedRef<number>> = Symbol('row height')

/** The row height in force; compact where nobody provides one. */
export function useRowHeight(): ComputedRef<number> {
  return inject(rowHeightKey, () => computed(() => 26), true)
}
