import type { Endpoint } from './endpoints/endpoint.ts'
import type { CapabilityRoute } from './resources/state.ts'

/** A listed path in the form of the table's: below the base URL, placeholders in braces, without a query. */
export function templateOf(path: string): string {
  return `/${path.replace(/\{\?[^{}]*\}|\?.*$/g, '')}`
    .replace(/^\/+/, '/')
    .replace(/^\/bridge\/v1(?=\/)/, '')
    .replace(/(?<=\/):([A-Za-z_]+)/g, '{$1}')
    .replace(/(?<=.)\/$/, '')
}

/** Method and path with the names of the placeholders left out: hosts name them as they like. */
export const routeShape = (method: string, path: string): string =>
  `${method.toUpperCase()} ${templateOf(path).replace(/\{[^{}]*\}/g, '{}')}`

const segment = /^(?:\{[^{}]{1,60}\}|[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,100})$/

/** Whether requests to a row can be sent by this template: plain segments, and one placeholder for each in the path of the row. */
export function fitsRow(row: Pick<Endpoint, 'parameters'>, path: string): boolean {
  const template = templateOf(path)
  const segments = template.slice(1).split('/')
  const placeholders = segments.filter((one) => one.startsWith('{')).length
  const needed = row.parameters.filter((parameter) => parameter.in === 'path').length
  return template.length <= 300 && placeholders === needed && segments.every((one) => segment.test(one))
}

/**
 * Names of the query parameters that a host gives for a listed route; the documents do not show where. Read from a query or a form `{?a,b}` in
 * the path, and from `query`, `params` or `parameters` as a list of names, a list of objects with a `name`, or an object by name. Empty where
 * it says nothing.
 */
export function queryNames(route: CapabilityRoute): ReadonlySet<string> {
  const names = new Set<string>()
  const form = /\{\?([^{}]*)\}/.exec(route.path)?.[1]
  for (const name of form?.split(',') ?? []) names.add(name.trim())
  for (const [name] of queryOf(route)) names.add(name)
  for (const [member, sent] of Object.entries(route)) {
    if (/^(?:query|params|parameters)|query_?param/i.test(member)) collect(sent, names, 0)
  }
  return names
}

/** Name and value of each pair in the query of a listed path. */
function queryOf({ path }: Pick<CapabilityRoute, 'path'>): readonly (readonly [name: string, value: string])[] {
  const query = /^[^?]*\?(.*)$/.exec(path.replace(/\{\?[^{}]*\}/g, ''))?.[1]
  return (query?.split('&') ?? []).map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return [name, value.join('=')]
  })
}

/** The values in the query of a listed path, by name; a placeholder is none. */
export const givenQuery = (route: Pick<CapabilityRoute, 'path'>): ReadonlyMap<string, string> =>
  new Map(queryOf(route).filter(([, value]) => value !== '' && !/[{}<>]/.test(value)))

function collect(sent: unknown, names: Set<string>, depth: number): void {
  if (depth > 2 || typeof sent !== 'object' || sent === null) return
  if (Array.isArray(sent)) {
    for (const one of (sent as unknown[]).slice(0, 100)) {
      if (typeof one === 'string') names.add(one)
      else if (typeof one === 'object' && one !== null) {
        const name: unknown = Reflect.get(one, 'name')
        if (typeof name === 'string' && Reflect.get(one, 'in') !== 'path') names.add(name)
      }
    }
    return
  }
  // An object by name, or one that keeps those of the query apart from those of the path.
  const inner: unknown = Reflect.get(sent, 'query')
  if (typeof inner === 'object' && inner !== null) collect(inner, names, depth + 1)
  else for (const name of Object.keys(sent).slice(0, 100)) names.add(name)
}
