import type { Endpoint, EndpointParameter } from '../../../shared/bridge/endpoints/endpoint.ts'
import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'

/** A parameter of a row with what was sent for it (null: nothing), or a value that no parameter of the row is for. */
export interface SentParameter {
  readonly name: string
  readonly value: string | null
  /** Null if the row has none of this name. */
  readonly parameter: EndpointParameter | null
}

/** What a path as sent holds for the parameters of its row, in the row's order; what the row does not know follows. */
export function matchSentParameters({ path: template, parameters }: Endpoint, sent: string): readonly SentParameter[] {
  const [path = '', search = ''] = [sent.split('?')[0], sent.slice(sent.indexOf('?') + 1)]
  const inPath = valuesInPath(template, path)
  const query = sent.includes('?') ? [...new URLSearchParams(search)] : []
  const known = parameters.map((parameter) => {
    const values = query.filter(([name]) => name === parameter.name).map(([, value]) => value)
    const value =
      parameter.in === 'path' ? (inPath.get(parameter.name) ?? null) : values.length > 0 ? values.join(', ') : null
    return { name: parameter.name, value, parameter }
  })
  const names = new Set(parameters.filter((one) => one.in === 'query').map(({ name }) => name))
  const extra = query.filter(([name]) => !names.has(name)).map(([name, value]) => ({ name, value, parameter: null }))
  return [...known, ...extra]
}

/** Values of the placeholders, counted from the end: a recorded path may have more in front. */
function valuesInPath(template: string, path: string): ReadonlyMap<string, string> {
  const steps = path.split('/').reverse()
  const found = new Map<string, string>()
  template
    .split('/')
    .reverse()
    .forEach((step, at) => {
      const name = /^\{(.+)\}$/.exec(step)?.[1]
      if (name !== undefined && steps[at] !== undefined) found.set(name, decodePercent(steps[at]))
    })
  return found
}
