import { z } from 'zod'
import { listPlaceholders, decodePercent, createTemplatePattern } from '../bridge/endpoints/path-template.ts'

type Match = OverrideRule['match']

/** Captured, so that a split keeps what stands in braces. */
const placeholder = /(\{[^{}]+\})/

/** Encodes a segment in one way; a lone surrogate cannot be encoded. */
const encodeSegment = (text: string): string =>
  encodeURIComponent(decodePercent(text).replace(/\p{Surrogate}/gu, '\uFFFD'))

/**
 * Normalises the percent-encoding of a path, so that `/a%62` and `/ab` are equal; encoded slashes
 * stay encoded.
 */
const normalizePath = (path: string): string =>
  path
    .split('/')
    .map((segment) => encodeSegment(segment))
    .join('/')

/** Normalises a template in the same way, without its placeholders. */
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
 * A function that tells whether a call meets a rule's condition. `path` has its query and is
 * relative to the base URL. Methods compare without letter case, paths with it; every parameter
 * that the rule names must be there with its value, others may be.
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

/** The parameters of a query, in order, as they were meant. */
export const parseQueryParameters = (query: string): (readonly [name: string, value: string])[] =>
  query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.replace(/\+/g, ' ').split('=')
      return [decodePercent(name), decodePercent(value.join('='))]
    })

/** Whether a call meets a rule's condition; see `createCallMatcher`. */
export const isMatchingCall = (match: Match, method: string, path: string): boolean =>
  createCallMatcher(match)(method, path)

const bracedName = /\{[^{}/]+\}/

export type TemplateProblem = 'slash' | 'query' | 'brace' | 'two'

/**
 * What is wrong with a template: it does not begin with a slash, has a query, a brace too many, or
 * two parameters in one segment, which could match in more ways than can be tried. Null if nothing
 * is.
 */
export function findTemplateProblem(template: string): TemplateProblem | null {
  if (!template.startsWith('/') && template !== '*') return 'slash'
  if (/[?#]/.test(template)) return 'query'
  const segments = template.split('/')
  if (/[{}]/.test(template.split(bracedName).join(''))) return 'brace'
  return segments.some((segment) => listPlaceholders(segment).length > 1) ? 'two' : null
}

/** A literal path as a template that only it matches. */
export const toLiteralTemplate = (path: string): string =>
  path.replace(/[{}]/g, (brace) => encodeURIComponent(brace)).replace(/\*$/, '%2A')

/** Faults that an override can cause. */
export const overrideFaults = [
  'offline',
  'hang',
  'reset',
  /** 429 with `retryAfterSeconds`. */
  'rate-limit',
  /** 500 with an HTML page. */
  'html-error',
  /** The body ends early. */
  'cut',
  /** The body is not JSON. */
  'malformed',
] as const

/** A JSON pointer (RFC 6901); empty for the whole response. */
const pointerSchema = z
  .string()
  .max(1000)
  .regex(/^(?:\/|$)/, 'expected a JSON pointer such as /nodes/0/title')

const overrideResponseSchema = z.discriminatedUnion('kind', [
  /** The host's own response, changed at JSON pointers. */
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
    /** A browser takes no other for a whole response. */
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
    /** Text, or the bytes in base64. */
    body: z.string().max(8_000_000),
    base64: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('fault'),
    fault: z.enum(overrideFaults),
    /** For `rate-limit`. */
    retryAfterSeconds: z.number().int().min(0).max(3600).optional(),
  }),
])

/** One rule: which calls of the panel it meets, and how they are answered. */
export const overrideRuleSchema = z.strictObject({
  id: z.string().min(1).max(100),
  name: z.string().min(1).max(200),
  on: z.boolean(),
  match: z.strictObject({
    /** Upper case; `*` for any. */
    method: z.string().min(1).max(20),
    /**
     * Template relative to the base URL, parameters in braces; `*` at the end for anything that
     * follows.
     */
    path: z
      .string()
      .min(1)
      .max(1000)
      .refine(
        (path) => findTemplateProblem(path) === null,
        'expected a path template such as /notes/{noteid} or /notes/*',
      ),
    /** Query parameters that must have these values. */
    query: z.record(z.string().max(200), z.string().max(2000)).optional(),
  }),
  answer: overrideResponseSchema,
  delayMs: z.number().int().min(0).max(600_000),
})
export type OverrideRule = z.infer<typeof overrideRuleSchema>

/**
 * The file beside a panel, `bridge-overrides.json`. Rules apply in order: the first that is on and
 * matches answers.
 */
export const overridesFileSchema = z.looseObject({ version: z.literal(1), rules: z.array(z.unknown()).max(500) })
export const OVERRIDES_FILE = 'bridge-overrides.json'

/** The rules of the open panel. */
export const overridesStateSchema = z.strictObject({
  rules: z.array(overrideRuleSchema).max(500),
  /** The file that holds them. */
  file: z.string(),
  /** Entries of the file that are no rules, and are left in it untouched. */
  problems: z.array(z.strictObject({ index: z.number().int(), message: z.string() })),
})
export type OverridesState = z.infer<typeof overridesStateSchema>
