import { useI18n } from 'vue-i18n'
import type { Assertion, InvalidAssertion } from '../../../shared/collections/assertion.ts'

export function useAssertionTexts() {
  const { t } = useI18n()
  function describeAssertion(assertion: Assertion | InvalidAssertion): string {
    const pointer = 'pointer' in assertion ? assertion.pointer || t('console.assertions.wholeBody') : ''
    const describe = (key: string, value: string | number = ''): string =>
      t(`console.assertions.text.${key}`, { pointer, value })
    switch (assertion.kind) {
      case 'status':
        return describe('status', assertion.equals)
      case 'error-code':
        return assertion.equals === null ? describe('no-error') : describe('error-code', assertion.equals)
      case 'equals':
        return describe('equals', JSON.stringify(assertion.value))
      case 'matches':
        return describe('matches', assertion.pattern)
      case 'exists':
        return describe(assertion.exists ? 'exists' : 'missing')
      case 'type':
        return describe('type', t(`console.assertions.type.${assertion.type}`))
      case 'schema':
        return describe('schema')
      case 'duration':
        return describe('duration', assertion.maxMs)
      case 'invalid':
        return assertion.json
    }
  }
  return { describeAssertion }
}
