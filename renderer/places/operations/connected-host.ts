import { computed, type ComputedRef } from 'vue'
import { createHostMatcher } from '../../../shared/bridge/host-matcher.ts'
import { useConnection } from '../../stores/connection.ts'

/** Whether a record's host is the connected one; with none connected, any host counts. */
export function useIsConnectedHost(): ComputedRef<(host: string) => boolean> {
  const connection = useConnection()
  return computed(() => {
    const baseUrl = connection.state.profile?.baseUrl
    return baseUrl === undefined ? () => true : createHostMatcher(baseUrl)
  })
}
