import { z } from 'zod'
import { listPlaceholders, decodePercent, PathTemplate } from '../bridge/endpoints/path-template.ts'
import { isObject } from '../json/object.ts'
import { getValueAtPointer } from '../json/pointer.ts'

/** JSON pointer (RFC 6901); empty for the whole body. */
export const pointerSchema = z
  .string()
  .max(1000)
  .regex(/^(?:\/|$)/, 'expected a JSON pointer such as /nodes/0/title')

/** A header that HTTP can carry. */
export const headerSchema = z.tuple([
  z
    .string()
    .max(200)
    .regex(/^[\w!#$%&'*+.^`|~-]+$/),
  z
    .string()
    .max(8000)
    .regex(/^[\t\x20-\x7e\x80-\xff]*$/),
])

/** The conditions under which an override or a breakpoint applies to a call. */
export const callMatchSchema = z.strictObject({
  /** The method in upper case; `*` matches every method. */
  method: z.string().min(1).max(20),
  /** Relative to the base URL, parameters in braces or ids; `*` at the end is any further text. */
  path: z
    .string()
    .min(1)
    .max(1000)
    .refine(
      (path) => findTemplateProblem(path) === null,
      'expected a path template such as /notes/{noteid} or /notes/*',
    ),
  /** Query parameters that a call must have with these values. */
  query: z.record(z.string().max(200), z.string().max(2000)).optional(),
  /** Members that the JSON body of a call must have, with this value if `equals` is present. */
  body: z
    .array(z.strictObject({ at: pointerSchema, equals: z.unknown().optional() }))
    .min(1)
    .max(20)
    .optional(),
  /** Only the call with this number among those that meet the other conditions, from 1. */
  nth: z.number().int().min(1).max(10_000).optional(),
})
export type CallConditions = z.infer<typeof callMatchSchema>

/** Because of the group, `split` keeps the placeholders. */
const placeholder = /(\{[^{}]+\})/

/** Encodes a segment of a path. A lone surrogate cannot be encoded, so it is replaced. */
const encodeSegment = (text: string): string =>
  encodeURIComponent(decodePercent(text).replace(/\p{Surrogate}/gu, '\uFFFD'))

/** Makes `/a%62` and `/ab` equal. Encoded slashes stay encoded. */
const normalizePath = (path: string): string =>
  path
    .split('/')
    .map((segment) => encodeSegment(segment))
    .join('/')

/** Like `normalizePath`, but placeholders stay unchanged. */
const normalizeTemplate = (template: string): string =>
  template
    .split('/')
    .map((segment) =>
      segment
        .split(placeholder)
        .map((part, index) => (index % 2 === 1 ? part : encodeSegment(part)))
        .join(''),
    )
    .join('/')

function parseTemplate(template: string): PathTemplate {
  const isOpenEnded = template.endsWith('*')
  return new PathTemplate(normalizeTemplate(isOpenEnded ? template.slice(0, -1) : template), { isOpenEnded })
}

/** Splits at the first `?`; the query is empty without one. */
export function splitQuery(path: string): readonly [path: string, query: string] {
  const queryStart = path.indexOf('?')
  return queryStart < 0 ? [path, ''] : [path.slice(0, queryStart), path.slice(queryStart + 1)]
}

/** @param path may have a query */
const matchPath = (template: PathTemplate, path: string): readonly string[] | null =>
  template.match(normalizePath(splitQuery(path)[0]))

/** Returns the decoded values of a template's placeholders; none if the path does not match. */
export function readPathParameters(template: string, path: string): Record<string, string> {
  const values = matchPath(parseTemplate(template), path) ?? []
  const names = listPlaceholders(template)
  return Object.fromEntries(values.map((value, index) => [names[index] ?? '', decodePercent(value)]))
}

/** `path` includes the query and is relative to the base URL. */
export interface MatchedCall {
  readonly method: string
  readonly path: string
  /** Undefined without a body; without the function, conditions on the body are left out. */
  readonly getBody?: () => unknown
}

/** Returns a call whose body is parsed only once, however many rules read it. */
export function withBodyParsedOnce(call: MatchedCall): MatchedCall {
  const { getBody } = call
  if (!getBody) return call
  let parsed: { readonly body: unknown } | null = null
  return { ...call, getBody: () => (parsed ??= { body: getBody() }).body }
}

/**
 * Creates a function that tells whether a call meets all conditions of a rule except `nth`. Letter
 * case matters in paths but not in methods. Every parameter in the rule must be present with its
 * value; the call may have further parameters.
 */
export function createCallMatcher({
  method,
  path: template,
  query = {},
  body = [],
}: CallConditions): (call: MatchedCall) => boolean {
  if (findTemplateProblem(template) !== null) return () => false
  const expectedMethod = method.toUpperCase()
  const pathTemplate = parseTemplate(template)
  const parameters = Object.entries(query)
  const members = body.map(({ at, equals }) => ({ at, json: equals === undefined ? null : toSortedJson(equals) }))
  return ({ method: callMethod, path, getBody }) => {
    if (expectedMethod !== '*' && expectedMethod !== callMethod.toUpperCase()) return false
    if (matchPath(pathTemplate, path) === null) return false
    if (parameters.length > 0) {
      const queryParameters = parseQueryParameters(splitQuery(path)[1])
      const isPresent = ([name, value]: readonly [string, string]): boolean =>
        queryParameters.some((parameter) => parameter[0] === name && parameter[1] === value)
      if (!parameters.every(isPresent)) return false
    }
    if (members.length === 0 || !getBody) return true
    const value = getBody()
    return members.every(({ at, json }) => {
      const member = getValueAtPointer(value, at)
      return member !== undefined && (json === null || toSortedJson(member) === json)
    })
  }
}

/** Serializes with sorted members, so that equal values give equal texts. */
export function toSortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}

/** Counts matching calls for `nth`, anew with each load of the page. */
export function createCountingMatcher(match: CallConditions): (call: MatchedCall, load: number) => boolean {
  const isMatch = createCallMatcher(match)
  const { nth } = match
  if (nth === undefined) return isMatch
  let count = 0
  let countedLoad = 0
  return (call, load) => {
    if (load < countedLoad || !isMatch(call)) return false
    if (load > countedLoad) count = 0
    countedLoad = load
    count += 1
    return count === nth
  }
}

/** Splits a query into its parameters, which are decoded and keep their order. */
export function parseQueryParameters(query: string): (readonly [name: string, value: string])[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.replace(/\+/g, ' ').split('=')
      return [decodePercent(name), decodePercent(value.join('='))]
    })
}

const bracedName = /\{[^{}/]+\}/

export type TemplateProblem = 'slash' | 'query' | 'brace' | 'two'

/**
 * Returns why a template is invalid: it does not begin with a slash, has a query, has an unmatched
 * brace, or has two parameters in one segment, which could match in too many ways to try. Returns
 * null if the template is valid.
 */
export function findTemplateProblem(template: string): TemplateProblem | null {
  if (!template.startsWith('/') && template !== '*') return 'slash'
  if (/[?#]/.test(template)) return 'query'
  const segments = template.split('/')
  if (/[{}]/.test(template.split(bracedName).join(''))) return 'brace'
  return segments.some((segment) => listPlaceholders(segment).length > 1) ? 'two' : null
}

/** Converts a literal path to a template that matches only this path. */
export function toLiteralTemplate(path: string): string {
  return path.replace(/[{}]/g, (brace) => encodeURIComponent(brace)).replace(/\*$/, '%2A')
}
