import { computed, inject, type ComputedRef, type InjectionKey } from 'vue'

/** Whether entries of the answer shown below were left out: a list without rows is then not an empty one. */
export const unreadKey: InjectionKey<ComputedRef<boolean>> = Symbol('unread')

/** False if none is provided. */
export function useUnread(): ComputedRef<boolean> {
  return inject(unreadKey, () => computed(() => false), true)
}
