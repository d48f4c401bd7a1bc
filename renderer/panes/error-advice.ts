import { useI18n } from 'vue-i18n'
import { getCodeBasis } from '../../shared/bridge/errors.ts'

/**
 * Returns a function that says what an error of the host means and what helps; null if the contract
 * does not say.
 * @param status for some routes the status alone has a text, because spec §7 lists no reason codes
 */
export function useErrorAdvice() {
  const { t, te, tm } = useI18n()
  return (endpoint: string | null, status: number | null, code: string | null): string | null => {
    const statusKey = `write.hostStatus.${(endpoint ?? '').replaceAll('.', '-')}-${status ?? ''}`
    const basis = getCodeBasis(code ?? '')
    // A host may mean something else by a code that the contract does not name for the route.
    if (code !== null && Object.hasOwn(tm('write.hostError'), code) && (basis !== 'open' || te(statusKey))) {
      const text = t(`write.hostError.${code}`)
      return basis === 'observed' ? `${text} ${t('write.observedCode')}` : text
    }
    return te(statusKey) ? t(statusKey) : null
  }
}
