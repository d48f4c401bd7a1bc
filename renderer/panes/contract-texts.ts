import { useI18n } from 'vue-i18n'
import type { Endpoint, EndpointParameter } from '../../shared/bridge/endpoints/endpoint.ts'

/** Returns true for a method and a path: `GET /library/folders`. */
export function isRoute(source: string): boolean {
  return /^[A-Z]+ \/\S+$/.test(source)
}

/** Texts of the endpoint table: `contract.summary.<id>`, `contract.parameter.<name>`. */
export function useContractTexts() {
  const { t, te } = useI18n()
  const translateFirst = (keys: readonly string[], english: string): string => {
    const key = keys.find((candidate) => te(candidate))
    return key === undefined ? english : t(key)
  }
  return {
    summarizeEndpoint: ({ id, summary }: Pick<Endpoint, 'id' | 'summary'>): string =>
      translateFirst([`contract.summary.${id.replaceAll('.', '-')}`], summary),
    /** A parameter with another meaning here has a text under the endpoint's id. */
    describeParameter: (
      endpointId: string,
      { name, description }: Pick<EndpointParameter, 'name' | 'description'>,
    ): string =>
      translateFirst(
        [`contract.parameter.${endpointId.replaceAll('.', '-')}-${name}`, `contract.parameter.${name}`],
        description,
      ),
    /** Says where a value is found. A route alone is the same in every language. */
    describeSource: (endpointId: string, name: string, source: string): string =>
      isRoute(source)
        ? source
        : translateFirst(
            [`contract.source.${endpointId.replaceAll('.', '-')}-${name}`, `contract.source.${name}`],
            source,
          ),
  }
}
