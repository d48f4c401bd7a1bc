import { computed, onMounted, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { ExchangeDetail } from '../../../shared/traffic/exchange.ts'
import { useOverrides } from '../../stores/overrides.ts'

interface AnswerAgain {
  /** Why no rule can be made of it, for the page; null if one can. */
  readonly hindrance: ComputedRef<string | null>
  /** Drafts the rule, and lets the panel lab show it. Throws `AppError`. */
  run(): Promise<void>
}

/** Makes a rule of an exchange, so that the panel gets the same answer again. */
export function useAnswerAgain(detail: () => ExchangeDetail): AnswerAgain {
  const { t } = useI18n()
  const overrides = useOverrides()
  onMounted(() => {
    overrides.start()
    if (overrides.state === null) void overrides.load()
  })
  const hindrance = computed(() => {
    const { row, response } = detail()
    if (row.state === 'pending') return t('overrides.againPending')
    if ((overrides.state?.file ?? '') === '') return t('overrides.againNeedsPanel')
    return row.state === 'answered' && response.missing !== null ? t('overrides.againNeedsBody') : null
  })
  return { hindrance, run: () => overrides.draftFrom(detail().row.seq) }
}
