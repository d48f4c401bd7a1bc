import { useI18n } from 'vue-i18n'
import type { Endpoint, EndpointParameter } from '../../shared/bridge/endpoints/endpoint.ts'

/** What the endpoint table says in English, in the language of the page: `contract.summary.<id>`, `contract.parameter.<name>`. */
interface ContractTexts {
  summarizeEndpoint(endpoint: Pick<Endpoint, 'id' | 'summary'>): string
  /** A parameter that means something else at one endpoint has a text under that endpoint's id as well. */
  describeParameter(endpointId: string, parameter: Pick<EndpointParameter, 'name' | 'description'>): string
}

export function useContractTexts(): ContractTexts {
  const { t, te } = useI18n()
  const first = (keys: readonly string[], english: string): string => {
    const key = keys.find((one) => te(one))
    return key === undefined ? english : t(key)
  }
  return {
    summarizeEndpoint: ({ id, summary }) => first([`contract.summary.${id.replaceAll('.', '-')}`], summary),
    describeParameter: (endpointId, { name, description }) =>
      first(
        [`contract.parameter.${endpointId.replaceAll('.', '-')}-${name}`, `contract.parameter.${name}`],
        description,
      ),
  }
}
