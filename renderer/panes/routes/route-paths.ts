import { computed, type ComputedRef } from 'vue'
import { compareCapabilities, isMovable, type CapabilityReport } from '../../../shared/bridge/capabilities.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { useConnection } from '../../stores/connection.ts'
import { useRead } from '../../stores/read.ts'

/** The row whose path the documents do not show. */
export const LISTING = 'studySets.tree'

/** Rows whose path may be set. */
export const movable = endpoints.filter(isMovable).map(({ id, path }) => ({ id, path }))

/** What the capabilities of the connected host say of paths; null until they were read, and for a profile that is not connected. */
export function useRouteReport(profileId: () => string | null): ComputedRef<CapabilityReport | null> {
  const connection = useConnection()
  const isHere = (): boolean => connection.online && connection.state.profile?.id === profileId()
  const capabilities = useRead('capabilities.get', () => (isHere() ? {} : null))
  return computed(() => {
    const value = isHere() ? capabilities.value.value?.value : undefined
    return value === undefined ? null : compareCapabilities(value)
  })
}
