import { computed, inject, type ComputedRef, type InjectionKey } from 'vue'

/** Entries were omitted, so that a list without rows must not be shown as empty. */
export const omittedEntriesKey: InjectionKey<ComputedRef<boolean>> = Symbol('unread')

export function useHasOmittedEntries(): ComputedRef<boolean> {
  return inject(omittedEntriesKey, () => computed(() => false), true)
}
