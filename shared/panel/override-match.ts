import { decoded, templatePattern } from '../bridge/endpoints/path-template.ts'
import { templateProblem, type OverrideRule } from './overrides.ts'

type Match = OverrideRule['match']

const braces = /(\{[^{}]+\})/

/** One way of writing a segment; half a surrogate pair can't be encoded. */
const encoded = (text: string): string => encodeURIComponent(decoded(text).replace(/\p{Surrogate}/gu, '\uFFFD'))

/** One spelling for every percent-encoding of a path, so that `/a%62` and `/ab` are the same; slashes that are encoded stay encoded. */
const spelled = (path: string): string =>
  path
    .split('/')
    .map((segment) => encoded(segment))
    .join('/')

/** A template in that spelling; what stands in braces is left alone. */
const spelledTemplate = (template: string): string =>
  template
    .split('/')
    .map((segment) =>
      segment
        .split(braces)
        .map((part, at) => (at % 2 === 1 ? part : encoded(part)))
        .join(''),
    )
    .join('/')

/**
 * A function that tells whether a call meets a rule's condition. `path` has its query and is relative to the base URL. Methods compare
 * without letter case, paths with it; every parameter that the rule names must be there with its value, others may be.
 */
export function matcher({ method, path: template, query = {} }: Match): (method: string, path: string) => boolean {
  if (templateProblem(template) !== null) return () => false
  const wanted = method.toUpperCase()
  const open = template.endsWith('*')
  const source = templatePattern(spelledTemplate(open ? template.slice(0, -1) : template)).source
  const pattern = new RegExp(open ? `${source.slice(0, -1)}.*$` : source)
  const parameters = Object.entries(query)
  return (asked, path) => {
    if (wanted !== '*' && wanted !== asked.toUpperCase()) return false
    const mark = path.indexOf('?')
    if (!pattern.test(spelled(mark < 0 ? path : path.slice(0, mark)))) return false
    if (parameters.length === 0) return true
    const sent = mark < 0 ? [] : parametersOf(path.slice(mark + 1))
    return parameters.every(([name, value]) => sent.some((one) => one[0] === name && one[1] === value))
  }
}

/** The parameters of a query, in order, as they were meant. */
export const parametersOf = (query: string): (readonly [name: string, value: string])[] =>
  query
    .split('&')
    .filter((one) => one !== '')
    .map((one) => {
      const [name = '', ...value] = one.replace(/\+/g, ' ').split('=')
      return [decoded(name), decoded(value.join('='))]
    })

/** Whether a call meets a rule's condition; see `matcher`. */
export const matches = (match: Match, method: string, path: string): boolean => matcher(match)(method, path)
