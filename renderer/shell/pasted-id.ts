import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { findPastedId } from '../model/lens/pasted-id.ts'
import type { PaletteEntry } from './palette-search.ts'

/** Entries for a pasted id; they come first if the text can only be an id (`isCertain`). */
export function usePastedIdEntries(query: () => string): {
  readonly entries: ComputedRef<readonly PaletteEntry[]>
  readonly isCertain: ComputedRef<boolean>
} {
  const { t } = useI18n()
  const router = useRouter()
  const pastedId = computed(() => findPastedId(query()))
  const entries = computed<readonly PaletteEntry[]>(() => {
    if (pastedId.value === null) return []
    const { id } = pastedId.value
    const path = `/id/${encodeURIComponent(id)}`
    const createEntry = (action: 'open' | 'about', to: string): PaletteEntry => ({
      key: `id:${action}`,
      id,
      section: t('lens.section'),
      title: t(`lens.${action}`, { id }),
      run: () => void router.push(to),
    })
    return [createEntry('open', path), createEntry('about', `${path}?view=about`)]
  })
  return { entries, isCertain: computed(() => pastedId.value?.isCertain === true) }
}
