import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'

/** Who composed a write, as words: the title of the place, or the name of another part of the program as recorded. */
export function useCallerName(): (caller: string | null) => string {
  const { t } = useI18n()
  const router = useRouter()
  return (caller) => {
    if (caller === null) return t('operations.notSaid')
    const title = router.getRoutes().find(({ name }) => name === caller)?.meta.titleKey
    return title === undefined ? caller : t(title)
  }
}
