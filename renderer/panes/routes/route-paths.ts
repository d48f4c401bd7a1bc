import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { canHaveOtherPath, type CapabilityComparison } from '../../../shared/bridge/capabilities.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { useConnection } from '../../stores/connection.ts'
import { useHostCapabilities } from '../../stores/host-capabilities.ts'

export const endpointsWithSettablePath = endpoints
  .filter(canHaveOtherPath)
  .map(({ id, path, recognition: foundBy }) => ({ id, path, foundBy }))

/** Names endpoints without a documented path; null for others, which their path identifies. */
export function useRouteName(): (id: string) => string | null {
  const { t, te } = useI18n()
  return (id) => {
    const key = `routePaths.name.${id.replaceAll('.', '-')}`
    return te(key) ? t(key) : null
  }
}

/** Paths in the capabilities; null until they are read, and for an unconnected profile. */
export function useCapabilityComparison(profileId: () => string | null): ComputedRef<CapabilityComparison | null> {
  const connection = useConnection()
  const listed = useHostCapabilities()
  return computed(() => (connection.online && connection.state.profile?.id === profileId() ? listed.comparison : null))
}
