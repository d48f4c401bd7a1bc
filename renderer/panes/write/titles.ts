import { useI18n } from 'vue-i18n'
import { endpointNamed } from '../../../shared/bridge/endpoints/index.ts'
import { useContractTexts } from '../../components/contract-texts.ts'

/** What a command is called for people: its own words here, or the summary of its row in the table of the contract. */
export function useWriteTitle(): (endpointId: string) => string {
  const { t, te } = useI18n()
  const texts = useContractTexts()
  return (endpointId) => {
    const key = `write.title.${endpointId.replaceAll('.', '-')}`
    return te(key) ? t(key) : texts.summary(endpointNamed(endpointId))
  }
}
