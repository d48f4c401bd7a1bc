import { computed, type ComputedRef } from 'vue'
import { createHostMatcher } from '../../../shared/bridge/host-matcher.ts'
import { useConnection } from '../../stores/connection.ts'

/** Tells whether a host is the connected one; while none is connected, every host counts. */
export function useIsConnectedHost(): ComputedRef<(host: string) => boolean> {
  const connection = useConnection()
  return computed(() => {
    const baseUrl = connection.state.profile?.baseUrl
    return baseUrl === undefined ? () => true : createHostMatcher(baseUrl)
  })
}
