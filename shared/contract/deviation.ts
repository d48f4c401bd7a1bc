// Deviations of hosts from the contract. electron/core/contract judges exchanges one by one, and
// electron/services/contract stores what was found. Read this file first.

import { z } from 'zod'
import { timestampSchema } from '../format/timestamp.ts'
import { isBinding, type Basis } from '../bridge/basis.ts'
import { findEndpointById } from '../bridge/endpoints/index.ts'
import { looksLikeId } from './string-traits.ts'

/**
 * In which way a response deviates. `unknown-route`: neither the contract nor the host's own
 * capabilities, which are known, list the route. `unknown-member`: an object of which the contract
 * shows every member has another one. `unknown-value`: the contract lists the values, the range or
 * the format. `limit-exceeded`: more than the host's own, or the documented, limit.
 * `broken-promise`: more than the request asked for, or members that contradict each other.
 */
export const deviationKinds = [
  'unknown-route',
  'unknown-member',
  'missing',
  'wrong-type',
  'unknown-value',
  'limit-exceeded',
  'unknown-status',
  'unknown-code',
  'broken-promise',
] as const
export type DeviationKind = (typeof deviationKinds)[number]

export const MAX_POINTER_CHARS = 400
/** Longest `expected`, `actual` and `example`. */
export const MAX_DEVIATION_TEXT_CHARS = 200
/** Versions of the host that one deviation lists. */
export const MAX_LISTED_VERSIONS = 20

const routeMembers = {
  method: z.string(),
  /** Path template of the endpoint table; for an unknown route, its path with `{}` for ids. */
  template: z.string(),
  /** Id in the endpoint table; null if none fits. */
  endpoint: z.string().nullable(),
}

const judgementMembers = {
  ...routeMembers,
  /** JSON pointer; `*` is any index, `{key}` any name that is data. Empty for the response. */
  pointer: z.string(),
  kind: z.enum(deviationKinds),
  /**
   * The source of the statement that the response differs from. Only what is `spec` or `host`
   * may be held against the host. Recordings of older versions do not name it.
   */
  basis: z.enum(['spec', 'host', 'observed']).default('observed'),
  /** JSON types, values or a range. Empty if the contract shows nothing there. */
  expected: z.string(),
  /** The type or short value that was sent. Empty if nothing was sent. */
  actual: z.string(),
  /** The value that was sent, as JSON that is cut if it is long; null if nothing was sent. */
  example: z.string().nullable(),
}
/** All deviations with the same route, folded pointer and kind. */
export const deviationSchema = z.strictObject({
  /** Stable text made of method, template, pointer and kind. */
  id: z.string(),
  ...judgementMembers,
  /** Number of places in all exchanges. */
  count: z.number().int().positive(),
  exchangeCount: z.number().int().positive(),
  /** Epoch milliseconds of the first and the last exchange with it. */
  firstAt: timestampSchema,
  lastAt: timestampSchema,
  firstSeq: z.number().int().nonnegative(),
  lastSeq: z.number().int().nonnegative(),
  /** Versions that the host itself had reported at the time, in order of their appearance. */
  hostVersions: z.array(z.string()).max(MAX_LISTED_VERSIONS),
  /** True if there are more versions than are listed. */
  hasMoreVersions: z.boolean(),
  /** True if some exchanges came before the host had reported any version. */
  hasUnknownVersion: z.boolean(),
  /** An exchange with it that is still stored; null if all were removed. */
  sampleSeq: z.number().int().positive().nullable(),
  sampleId: z.string().nullable(),
  muted: z.strictObject({ reason: z.string(), at: z.number() }).nullable(),
  /** True if it was first seen after the mark. */
  isNew: z.boolean(),
})
export type Deviation = z.infer<typeof deviationSchema>

/** A deviation in one exchange; `count` is the number of places that share the folded pointer. */
export type ExchangeDeviation = Pick<Deviation, keyof typeof judgementMembers | 'count'>

/** Counts, badges, `--fail` and SARIF take no others (`isBinding`). */
export function isBindingDeviation({ basis }: Pick<Deviation, 'basis'>): boolean {
  return isBinding(basis)
}

/** Null if nothing can deviate from a statement with this basis. */
export function toDeviationBasis(basis: Basis): Deviation['basis'] | null {
  return basis === 'open' ? null : basis
}

export function getDeviationId({
  method,
  template,
  pointer,
  kind,
}: Pick<ExchangeDeviation, 'method' | 'template' | 'pointer' | 'kind'>): string {
  return `${kind} ${method} ${template} ${pointer}`
}

/** Parts of a path that no route has as a word, besides those that look like ids anywhere. */
const VALUE_SEGMENT = /^(?:[0-9a-f]{8,}|[0-9a-f-]{20,}|(?=\D*\d)[\w.~-]{12,}|[^%]*%.*|.{41,})$/i

/** Returns the template of a route that is not in the endpoint table: ids are written as `{}`. */
export function toUnknownTemplate(path: string): string {
  return (path.split('?', 1)[0] ?? '')
    .split('/')
    .slice(0, 12)
    .map((segment) => (looksLikeId(segment) || VALUE_SEGMENT.test(segment) ? '{}' : segment))
    .join('/')
}

/** The path template by which the deviations of an exchange are grouped. */
export function getRouteTemplate(endpoint: string | null, path: string): string {
  return (endpoint === null ? undefined : findEndpointById(endpoint)?.path) ?? toUnknownTemplate(path)
}
