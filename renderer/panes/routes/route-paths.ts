import { computed, type ComputedRef } from 'vue'
import { isMovable, type CapabilityReport } from '../../../shared/bridge/capabilities.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { useConnection } from '../../stores/connection.ts'
import { useListed } from '../../stores/listed.ts'

/** Rows whose path may be set. */
export const movable = endpoints.filter(isMovable).map(({ id, path }) => ({ id, path }))

/** What the capabilities of the connected host say of paths; null until they were read, and for a profile that is not connected. */
export function useRouteReport(profileId: () => string | null): ComputedRef<CapabilityReport | null> {
  const connection = useConnection()
  const listed = useListed()
  return computed(() => (connection.online && connection.state.profile?.id === profileId() ? listed.report : null))
}
