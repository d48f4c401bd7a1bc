import { defineStore } from 'pinia'
import { computed, watch } from 'vue'
import type { EndpointId } from '../../shared/bridge/endpoints/index.ts'
import { compareCapabilities } from '../../shared/bridge/capabilities.ts'
import { readHostLimits } from '../../shared/bridge/host-limits.ts'
import { useConnection } from './connection.ts'
import { useRead } from './host-read.ts'

/**
 * The capabilities of the connected host, read once for all users. Places whose routes it does not
 * list are hidden.
 */
export const useHostCapabilities = defineStore('listed', () => {
  const connection = useConnection()
  const read = useRead('capabilities.get', () => (connection.online ? {} : null))
  watch(
    [() => connection.state.profile?.id, () => connection.state.host?.apiFingerprint],
    ([profile], [previousProfile]) => {
      if (profile !== previousProfile) read.reset()
      // A read under way already belongs to this connection.
      if (connection.online && read.status !== 'loading') void read.reload()
    },
  )
  const capabilities = computed(() => read.data?.value ?? null)
  const comparison = computed(() => capabilities.value && compareCapabilities(capabilities.value))
  const missing = computed(() => comparison.value && new Set(comparison.value.missingRowIds))

  /** The host's limits; those of the contract until its capabilities are read. */
  const limits = computed(() => readHostLimits(capabilities.value))
  /** Whether the host lists a row; null while its capabilities are unknown. */
  const isListed = (id: EndpointId): boolean | null => missing.value && !missing.value.has(id)
  return { isListed, limits, capabilities, comparison }
})
