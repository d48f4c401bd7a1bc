import { useI18n } from 'vue-i18n'
import { useContractTexts } from '../../components/contract-texts.ts'
import { commandRow } from '../../../shared/bridge/listed-row.ts'

/** What a command is called for people: its own words here, or the summary of its row; of a row that is no more, its id. */
export function useWriteTitle(): (endpointId: string) => string {
  const { t, te } = useI18n()
  const texts = useContractTexts()
  return (endpointId) => {
    const key = `write.title.${endpointId.replaceAll('.', '-')}`
    if (te(key)) return t(key)
    const row = commandRow(endpointId)
    return row ? texts.summary(row) : endpointId
  }
}
