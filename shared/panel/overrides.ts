import { z } from 'zod'
import { listPlaceholders, decodePercent, createTemplatePattern } from '../bridge/endpoints/path-template.ts'

type Match = OverrideRule['match']

/** Because of the group, `split` keeps the placeholders. */
const placeholder = /(\{[^{}]+\})/

/** Encodes a segment of a path. A lone surrogate cannot be encoded, so it is replaced. */
const encodeSegment = (text: string): string =>
  encodeURIComponent(decodePercent(text).replace(/\p{Surrogate}/gu, '\uFFFD'))

/**
 * Normalizes the percent-encoding of a path, so that `/a%62` and `/ab` are equal. Encoded slashes
 * stay encoded.
 */
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

/**
 * Creates a function that tells whether a call matches a rule. `path` includes the query and is
 * relative to the base URL. Letter case matters in paths but not in methods. Every parameter in the
 * rule must be present with its value; the call may have further parameters.
 */
export function createCallMatcher({
  method,
  path: template,
  query = {},
}: Match): (method: string, path: string) => boolean {
  if (findTemplateProblem(template) !== null) return () => false
  const expectedMethod = method.toUpperCase()
  const isOpenEnded = template.endsWith('*')
  const source = createTemplatePattern(normalizeTemplate(isOpenEnded ? template.slice(0, -1) : template)).source
  const pattern = new RegExp(isOpenEnded ? `${source.slice(0, -1)}.*$` : source)
  const parameters = Object.entries(query)
  return (callMethod, path) => {
    if (expectedMethod !== '*' && expectedMethod !== callMethod.toUpperCase()) return false
    const queryStart = path.indexOf('?')
    if (!pattern.test(normalizePath(queryStart < 0 ? path : path.slice(0, queryStart)))) return false
    if (parameters.length === 0) return true
    const queryParameters = queryStart < 0 ? [] : parseQueryParameters(path.slice(queryStart + 1))
    return parameters.every(([name, value]) =>
      queryParameters.some((parameter) => parameter[0] === name && parameter[1] === value),
    )
  }
}

/** Splits a query into its parameters, which are decoded and keep their order. */
export const parseQueryParameters = (query: string): (readonly [name: string, value: string])[] =>
  query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.replace(/\+/g, ' ').split('=')
      return [decodePercent(name), decodePercent(value.join('='))]
    })

/** Tests one call. Create a matcher with `createCallMatcher` to test many. */
export const isMatchingCall = (match: Match, method: string, path: string): boolean =>
  createCallMatcher(match)(method, path)

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
export const toLiteralTemplate = (path: string): string =>
  path.replace(/[{}]/g, (brace) => encodeURIComponent(brace)).replace(/\*$/, '%2A')

export const overrideFaults = [
  'offline',
  'hang',
  'reset',
  /** A 429 response with `retryAfterSeconds`. */
  'rate-limit',
  /** A 500 response with an HTML page. */
  'html-error',
  /** A body that ends early. */
  'cut',
  /** A body that is not JSON. */
  'malformed',
] as const

/** JSON pointer (RFC 6901); empty for the whole response. */
const pointerSchema = z
  .string()
  .max(1000)
  .regex(/^(?:\/|$)/, 'expected a JSON pointer such as /nodes/0/title')

const overrideResponseSchema = z.discriminatedUnion('kind', [
  /** Changes values in the host's own response at JSON pointers. */
  z.strictObject({
    kind: z.literal('change'),
    changes: z
      .array(
        z.discriminatedUnion('do', [
          z.strictObject({
            do: z.literal('set'),
            at: pointerSchema,
            value: z.unknown().refine((value) => value !== undefined, 'expected a value'),
          }),
          z.strictObject({ do: z.literal('remove'), at: pointerSchema }),
        ]),
      )
      .max(100),
  }),
  z.strictObject({
    kind: z.literal('canned'),
    /** A browser does not accept other statuses for a whole response. */
    status: z.number().int().min(200).max(599),
    headers: z
      .array(
        z.tuple([
          z
            .string()
            .max(200)
            .regex(/^[\w!#$%&'*+.^`|~-]+$/),
          z
            .string()
            .max(8000)
            .regex(/^[\t\x20-\x7e\x80-\xff]*$/),
        ]),
      )
      .max(100),
    /** Text, or bytes in base64 if `base64` is true. */
    body: z.string().max(8_000_000),
    base64: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('fault'),
    fault: z.enum(overrideFaults),
    /** Only for `rate-limit`. */
    retryAfterSeconds: z.number().int().min(0).max(3600).optional(),
  }),
])

/** `match` selects calls of the panel; the remaining members describe the response to them. */
export const overrideRuleSchema = z.strictObject({
  id: z.string().min(1).max(100),
  name: z.string().min(1).max(200),
  on: z.boolean(),
  match: z.strictObject({
    /** The method in upper case; `*` matches every method. */
    method: z.string().min(1).max(20),
    /**
     * A template relative to the base URL, with parameters in braces. `*` at the end matches any
     * further text.
     */
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
  }),
  answer: overrideResponseSchema,
  delayMs: z.number().int().min(0).max(600_000),
})
export type OverrideRule = z.infer<typeof overrideRuleSchema>

/**
 * The format of `bridge-overrides.json` in the folder of a panel. Rules are tried in order: the
 * first enabled rule that matches responds.
 */
export const overridesFileSchema = z.looseObject({ version: z.literal(1), rules: z.array(z.unknown()).max(500) })
export const OVERRIDES_FILE = 'bridge-overrides.json'

export const overridesStateSchema = z.strictObject({
  rules: z.array(overrideRuleSchema).max(500),
  /** Path of the file that contains the rules. */
  file: z.string(),
  /** Entries of the file that are not valid rules. They stay in the file unchanged. */
  problems: z.array(z.strictObject({ index: z.number().int(), message: z.string() })),
})
export type OverridesState = z.infer<typeof overridesStateSchema>
