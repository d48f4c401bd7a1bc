import { computed, type ComputedRef } from 'vue'
import { createHostMatcher } from '../../shared/bridge/host-matcher.ts'
import { useConnection } from './connection.ts'

/** Compares base URLs. While no profile is active, every host counts as connected. */
export function useIsConnectedHost(): ComputedRef<(host: string) => boolean> {
  const connection = useConnection()
  return computed(() => {
    const baseUrl = connection.state.profile?.baseUrl
    return baseUrl === undefined ? () => true : createHostMatcher(baseUrl)
  })
}
