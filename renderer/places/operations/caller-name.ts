import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import type { OperationSummary } from '../../../shared/ipc/operations.ts'

/** Names who composed a write: a place, another part of the program, or a recorded client. */
export function useCallerName(): (summary: Pick<OperationSummary, 'caller' | 'origin'>) => string {
  const { t } = useI18n()
  const router = useRouter()
  return ({ caller, origin }) => {
    if (caller === null) return t('operations.notSaid')
    if (origin === 'recorded') return t('operations.recorded', { name: caller })
    if (caller === 'agent') return t('operations.agent')
    const title = router.getRoutes().find(({ name }) => name === caller)?.meta.titleKey
    return title === undefined ? caller : t(title)
  }
}
