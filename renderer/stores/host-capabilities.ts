import { defineStore } from 'pinia'
import { computed, watch } from 'vue'
import type { EndpointId } from '../../shared/bridge/endpoints/index.ts'
import { compareCapabilities } from '../../shared/bridge/capabilities.ts'
import { readHostLimits } from '../../shared/bridge/host-limits.ts'
import { useConnection } from './connection.ts'
import { useRead } from './host-read.ts'

/** What the capabilities of the connected host say, read once for all who ask. Places of routes that it does not list stay away. */
export const useHostCapabilities = defineStore('listed', () => {
  const connection = useConnection()
  const read = useRead('capabilities.get', () => (connection.online ? {} : null))
  watch([() => connection.state.profile?.id, () => connection.state.host?.apiFingerprint], ([profile], [before]) => {
    if (profile !== before) read.reset()
    // What is being read already belongs to this connection.
    if (connection.online && read.status !== 'loading') void read.reload()
  })
  const capabilities = computed(() => read.data?.value ?? null)
  const comparison = computed(() => capabilities.value && compareCapabilities(capabilities.value))
  const missing = computed(() => comparison.value && new Set(comparison.value.missingRowIds))

  /** Whether the host lists a row; null while that is not known, or cannot be. */
  /** Its limits; the contract's while its capabilities are not read. */
  const limits = computed(() => readHostLimits(capabilities.value))
  const isListed = (id: EndpointId): boolean | null => missing.value && !missing.value.has(id)
  return { lists: isListed, limits, capabilities, report: comparison }
})
