import type { Endpoint, EndpointParameter } from '../../../shared/bridge/endpoints/endpoint.ts'
import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'
import { splitQuery } from '../../../shared/panel/call-match.ts'

/** A parameter with its sent value (null if none), or a sent one that the table does not list. */
export interface SentParameter {
  readonly name: string
  readonly value: string | null
  /** Null if the endpoint table has no parameter of this name. */
  readonly parameter: EndpointParameter | null
}

/** Values in the order of the endpoint table; those without a parameter come last. */
export function matchSentParameters(
  { path: template, parameters }: Endpoint,
  sentPath: string,
): readonly SentParameter[] {
  const [path, search] = splitQuery(sentPath)
  const pathValues = matchPlaceholders(template, path)
  const query = [...new URLSearchParams(search)]
  const knownParameters = parameters.map((parameter) => {
    const values = query.filter(([name]) => name === parameter.name).map(([, value]) => value)
    const value =
      parameter.in === 'path' ? (pathValues.get(parameter.name) ?? null) : values.length > 0 ? values.join(', ') : null
    return { name: parameter.name, value, parameter }
  })
  const names = new Set(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name))
  const extra = query.filter(([name]) => !names.has(name)).map(([name, value]) => ({ name, value, parameter: null }))
  return [...knownParameters, ...extra]
}

/** Counted from the end, because a recorded path may begin with additional segments. */
function matchPlaceholders(template: string, path: string): ReadonlyMap<string, string> {
  const steps = path.split('/').reverse()
  const values = new Map<string, string>()
  template
    .split('/')
    .reverse()
    .forEach((step, index) => {
      const name = /^\{(.+)\}$/.exec(step)?.[1]
      if (name !== undefined && steps[index] !== undefined) values.set(name, decodePercent(steps[index]))
    })
  return values
}
