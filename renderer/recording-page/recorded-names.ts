// Takes the place of stores/names.ts and stores/connected-host.ts: a page asks no host.

import { computed, type ComputedRef } from 'vue'

export function useNames(): () => null {
  return () => null
}

export function useIsConnectedHost(): ComputedRef<() => boolean> {
  return computed(() => () => false)
}
