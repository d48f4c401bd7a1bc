import { defineStore } from 'pinia'
import { computed, markRaw, watch } from 'vue'
import type { EndpointId } from '../../shared/bridge/endpoints/index.ts'
import { compareCapabilities } from '../../shared/bridge/capabilities.ts'
import { useConnection } from './connection.ts'
import { useRead } from './read.ts'

/** What the capabilities of the connected host say of the rows of the table: places of routes that it does not list stay away. */
export const useListed = defineStore('listed', () => {
  const connection = useConnection()
  const capabilities = markRaw(useRead('capabilities.get', () => (connection.online ? {} : null)))
  watch(
    () => [connection.state.profile?.id, connection.state.host?.apiFingerprint] as const,
    ([profile], [before]) => {
      if (profile !== before) capabilities.reset()
      if (connection.online) void capabilities.reload()
    },
  )
  const missing = computed(() => {
    const value = capabilities.value.value?.value
    return value === undefined ? null : new Set(compareCapabilities(value).missing)
  })

  /** Whether the host lists a row; null while that is not known, or cannot be. */
  const lists = (id: EndpointId): boolean | null => (missing.value === null ? null : !missing.value.has(id))
  return { lists, capabilities }
})
