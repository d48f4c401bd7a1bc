import { computed, inject, type ComputedRef, type InjectionKey } from 'vue'

/** Whether entries of the answer shown below were left out: a list without rows is then not an empty one. */
export const omittedEntriesKey: InjectionKey<ComputedRef<boolean>> = Symbol('unread')

/** False if none is provided. */
export function useHasOmittedEntries(): ComputedRef<boolean> {
  return inject(omittedEntriesKey, () => computed(() => false), true)
}
