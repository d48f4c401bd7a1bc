import { defineStore } from './define-store.ts'
import { computed, watch } from 'vue'
import type { EndpointId } from '../../shared/bridge/endpoints/index.ts'
import { compareCapabilities } from '../../shared/bridge/capabilities.ts'
import { readHostLimits } from '../../shared/bridge/host-limits.ts'
import { useConnection } from './connection.ts'
import { useRead } from './host-read.ts'

/** Read once for the whole page, which hides the places whose routes the host does not list. */
export const useHostCapabilities = defineStore('host-capabilities', () => {
  const connection = useConnection()
  const read = useRead('capabilities.get', () => (connection.online ? {} : null))
  watch(
    [() => connection.state.profile?.id, () => connection.state.host?.apiFingerprint],
    ([profile], [previousProfile]) => {
      if (profile !== previousProfile) read.reset()
      // A read in progress was started for this connection already.
      if (connection.online && read.status !== 'loading') void read.reload()
    },
  )
  const capabilities = computed(() => read.data?.value ?? null)
  const comparison = computed(() => capabilities.value && compareCapabilities(capabilities.value))
  const missing = computed(() => comparison.value && new Set(comparison.value.missingRowIds))

  /** The limits of the contract apply until the host's capabilities are read. */
  const limits = computed(() => readHostLimits(capabilities.value))
  const isListed = (id: EndpointId): boolean | null => missing.value && !missing.value.has(id)
  return { isListed, limits, capabilities, comparison }
})
