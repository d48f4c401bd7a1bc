import { useI18n } from 'vue-i18n'
import { useContractTexts } from '../contract-texts.ts'
import { findCommandRow } from '../../../shared/bridge/listed-row.ts'

/** Names a write by the command's own text, or by the summary of its endpoint. */
export function useWriteTitle(): (endpointId: string) => string {
  const { t, te } = useI18n()
  const texts = useContractTexts()
  return (endpointId) => {
    const key = `write.title.${endpointId.replaceAll('.', '-')}`
    if (te(key)) return t(key)
    const row = findCommandRow(endpointId)
    return row ? texts.summarizeEndpoint(row) : endpointId
  }
}
