import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { findPastedId } from '../model/lens/pasted-id.ts'
import type { PaletteEntry } from './palette-search.ts'

/** What the palette offers for an id that is pasted into it. `certain`: the text can be nothing else, so it comes first. */
export function usePastedIdEntries(query: () => string): {
  readonly entries: ComputedRef<readonly PaletteEntry[]>
  readonly isCertain: ComputedRef<boolean>
} {
  const { t } = useI18n()
  const router = useRouter()
  const pasted = computed(() => findPastedId(query()))
  const entries = computed<readonly PaletteEntry[]>(() => {
    if (pasted.value === null) return []
    const { id } = pasted.value
    const path = `/id/${encodeURIComponent(id)}`
    const entry = (what: 'open' | 'about', to: string): PaletteEntry => ({
      key: `id:${what}`,
      id,
      section: t('lens.section'),
      title: t(`lens.${what}`, { id }),
      run: () => void router.push(to),
    })
    return [entry('open', path), entry('about', `${path}?view=about`)]
  })
  return { entries, isCertain: computed(() => pasted.value?.isCertain === true) }
}
