import { computed, inject, type ComputedRef, type InjectionKey } from 'vue'

/**
 * Tells whether entries of the shown response were omitted, so that a list without rows is not
 * taken for an empty one.
 */
export const omittedEntriesKey: InjectionKey<ComputedRef<boolean>> = Symbol('unread')

/** False if none is provided. */
export function useHasOmittedEntries(): ComputedRef<boolean> {
  return inject(omittedEntriesKey, () => computed(() => false), true)
}
