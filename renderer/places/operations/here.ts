import { computed, type ComputedRef } from 'vue'
import { hostAt } from '../../../shared/bridge/same-host.ts'
import { useConnection } from '../../stores/connection.ts'

/** Asks of a record's host whether it is the one that is connected; with none connected each is as good as the other. */
export function useIsHere(): ComputedRef<(host: string) => boolean> {
  const connection = useConnection()
  return computed(() => {
    const baseUrl = connection.state.profile?.baseUrl
    return baseUrl === undefined ? () => true : hostAt(baseUrl)
  })
}
