import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import type { OperationSummary } from '../../../shared/ipc/operations.ts'
import { originKinds } from '../../../shared/traffic/exchange.ts'
import { useExchangeTexts } from '../../panes/exchange-texts.ts'

/** Names who composed a write by the names that traffic uses, and the place if this program did. */
export function useCallerName(): (summary: Pick<OperationSummary, 'caller' | 'origin'>) => string {
  const { t } = useI18n()
  const router = useRouter()
  const { formatOrigin } = useExchangeTexts()
  return ({ caller, origin }) => {
    if (caller === null) return t('operations.notSaid')
    if (origin === 'recorded') return formatOrigin({ kind: 'recorded', label: caller })
    const kind = originKinds.find((candidate) => candidate === caller)
    if (kind !== undefined) return formatOrigin({ kind, label: null })
    const titleKey = router.getRoutes().find(({ name }) => name === caller)?.meta.titleKey
    const name = caller === 'command-line' ? t('operations.commandLine') : titleKey === undefined ? caller : t(titleKey)
    return t('exchange.originNamed', { origin: t('exchange.origin.place'), name })
  }
}
