import type { z } from 'zod'

/** One path or query parameter of a row in the endpoint table. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly type: 'string' | 'integer' | 'enum'
  readonly required: boolean
  /** Inclusive range of an integer. */
  readonly min?: number
  readonly max?: number
  readonly default?: string | number
  /** Allowed values of an enum, as they stand in the URL. */
  readonly values?: readonly string[]
  /** A path inside of something: it must not lead out of it. */
  readonly relativePath?: true
  /** Where a value comes from, as the spec says it: `state.topicid of GET /ui-state`. */
  readonly source?: string
  readonly description: string
}

/** Where the entries of a listing stand: the documents do not show the names of most lists. */
export interface ListRule {
  /** The member that the schema names. */
  readonly member: string
  /** The contract shows the answer as the list itself. */
  readonly bare?: true
}

export interface JsonShape<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
  /** The list that the answer is about; it may stand under another name, or be the answer itself. */
  readonly list?: ListRule
}

export interface TextShape {
  readonly kind: 'text'
  readonly contentType: string
}

export type ResponseShape =
  | JsonShape
  | TextShape
  | { readonly kind: 'binary'; readonly media: readonly ('image' | 'audio' | 'video' | 'pdf' | 'any')[] }

/**
 * One row of the host's contract. Everything that knows an endpoint (client, demo host, console, drift report) reads it here.
 */
export interface Endpoint {
  /** Stable id: `studySets.tree`. */
  readonly id: string
  readonly method: 'GET' | 'POST'
  /** Relative to `{base_url}/bridge/v1`, placeholders in braces: `/study-sets/{topicid}/tree`. */
  readonly path: string
  readonly tag: EndpointTag
  readonly summary: string
  readonly parameters: readonly Parameter[]
  /** Schema of the JSON body; null = no body. */
  readonly body: z.ZodType | null
  readonly response: ResponseShape
  /** `navigate` takes over the user's screen: it changes no data, but it is no read either. */
  readonly access: 'read' | 'write' | 'navigate'
  /** Write bodies carry `confirm: true`; `none` where the host has no confirm gate. */
  readonly confirm: 'required' | 'none'
  /** The host rewrites `addon` in the body to the id of the plugin that owns the panel (spec §4, §5). */
  readonly addon: boolean
  /** Needs the token (everything but status and pairing). */
  readonly auth: 'token' | 'none'
  /** Part of the contract that describes it: `spec §4`, `observed: read endpoints`. */
  readonly spec: string
}

/** A row whose id and answer are known to the compiler. */
export type Row<Id extends string, R extends ResponseShape> = Endpoint & { readonly id: Id; readonly response: R }

/** Endpoint groups of spec §1. */
export type EndpointTag =
  | 'state'
  | 'cards'
  | 'handwriting'
  | 'study-sets'
  | 'documents'
  | 'export'
  | 'search'
  | 'interface'
  | 'plugin'
  | 'bundles'
