import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { useConnection } from '../stores/connection.ts'
import { useHostCapabilities } from '../stores/host-capabilities.ts'
import type { PaletteEntry } from './palette-search.ts'

/** The palette's last entry, which gives the text to the host's own search if the host has one. */
export function useHostSearchEntry(query: () => string): ComputedRef<readonly PaletteEntry[]> {
  const { t } = useI18n()
  const router = useRouter()
  const connection = useConnection()
  const capabilities = useHostCapabilities()
  return computed(() => {
    const text = query().trim()
    if (text === '' || !connection.online || capabilities.isListed('search.get') === false) return []
    return [
      {
        key: 'host-search',
        id: 'host-search',
        section: t('search.title'),
        title: t('palette.searchHost', { query: text }),
        run: () => void router.push({ path: '/search', query: { q: text } }),
      },
    ]
  })
}
