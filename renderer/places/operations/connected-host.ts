import { computed, type ComputedRef } from 'vue'
import { createHostMatcher } from '../../../shared/bridge/host-matcher.ts'
import { useConnection } from '../../stores/connection.ts'

/**
 * Returns a function that tells whether a host (by base URL) is the connected one. While no profile
 * is active, it accepts every host.
 */
export function useIsConnectedHost(): ComputedRef<(host: string) => boolean> {
  const connection = useConnection()
  return computed(() => {
    const baseUrl = connection.state.profile?.baseUrl
    return baseUrl === undefined ? () => true : createHostMatcher(baseUrl)
  })
}
