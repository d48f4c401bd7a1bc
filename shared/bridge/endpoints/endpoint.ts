import type { z } from 'zod'
import { getSourceBasis, type Basis } from '../basis.ts'
import type { EffectRule, PlacementRule, ReadBack } from './read-back.ts'

export interface EndpointParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly type: 'string' | 'integer' | 'enum'
  readonly required: boolean
  /** Both bounds of an integer are inclusive. */
  readonly min?: number
  readonly max?: number
  readonly default?: string | number
  /** The allowed values of an enum, written as in the URL. */
  readonly values?: readonly string[]
  /** The value is a path inside a folder and must not lead out of it. */
  readonly relativePath?: true
  /** If absent, a path parameter has its route's basis; a query parameter was only observed. */
  readonly basis?: Basis
  /** Source of the value according to the spec: `state.topicid of GET /ui-state`. */
  readonly source?: string
  readonly description: string
}

/** The list in a response. The contract does not show the names of most lists. */
export interface ListRule {
  /** The name of the list in the schema. */
  readonly member: string
  /** The contract shows the response as the list itself, without an object around it. */
  readonly isBare?: true
  /** The contract does not show the name: the list may have any, or be the whole response. */
  readonly isUnnamed?: true
  /** The contract names kinds of entries, so a host may send one list per kind. */
  readonly isGrouped?: true
}

export interface JsonShape<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
  /** All that the contract shows of the response, if reading it needs less. */
  readonly shown?: z.ZodType
  /** The list that makes up most of the response. */
  readonly list?: ListRule
  /** Brings a response of open shape into the schema's; undefined if its main part is missing. */
  readonly normalize?: (body: unknown) => unknown
}

export interface TextShape {
  readonly kind: 'text'
  readonly contentType: string
}

export interface BinaryShape {
  readonly kind: 'binary'
  readonly media: readonly ('image' | 'audio' | 'video' | 'pdf' | 'any')[]
  /** A saved file is named by these parameters, joined by hyphens; of a path, its last segment. */
  readonly fileNameParts: readonly FileNamePart[]
  /** The content depends on more data than the path names, so any write may change it. */
  readonly isComposed?: true
}

/** With `requiredValue`, the parameter is part of the file name only if it has this value. */
type FileNamePart = string | { readonly parameter: string; readonly requiredValue: string }

export type ResponseShape = JsonShape | TextShape | BinaryShape

/**
 * `write` changes the user's data. `navigate` takes over the user's screen and changes no data.
 * `task` creates or discards something of the host's own (a working folder, an exported file, a
 * synchronisation run): it changes none of the user's data and needs no subscription, but must not
 * be repeated like a read.
 */
export type EndpointAccess = 'read' | 'write' | 'navigate' | 'task'

/**
 * How a member of a response is tested. `some`: true, a positive number, or a non-empty list,
 * object or text. `none`: the opposite, if the member is present. `other`: a text that is none of
 * these words. `unlike`: a number that differs from the number at this pointer.
 */
export type OutcomeMarkTest =
  | 'true'
  | 'false'
  | 'some'
  | 'none'
  | 'present'
  | { readonly word: string }
  | { readonly other: readonly string[] }
  | { readonly unlike: string }

/** A test of a member of the response that tells how a write ended. */
export interface OutcomeMark {
  /** JSON pointer; a step `*` stands for each element of a list. */
  readonly pointer: string
  readonly test: OutcomeMarkTest
  /** Name of a parameter or body member; the test counts only if the request contained it. */
  readonly onlyIfSent?: string
}

/** Tests of the response that tell how a write ended. */
export interface OutcomeMarks {
  /** Each of them proves that the write was done. */
  readonly success: readonly OutcomeMark[]
  /** Each of them means that the write was done in part, or not as requested. */
  readonly partial: readonly OutcomeMark[]
  /** Each of them means that nothing was done. */
  readonly failure: readonly OutcomeMark[]
  /** JSON pointers of members that the verdict shows although they prove nothing. */
  readonly quotedPointers: readonly string[]
}

/** The outcome is found by polling (`pencil`), in the session record, or in the response. */
export type CommandKind = 'pencil' | 'session' | 'plain'

/** Special help that a write form offers besides its fields. */
export type WriteFaceSpec =
  /** Offers ids of the window that the user is writing in, for a commit or session command. */
  | { readonly name: 'writing' }
  /** Offers the card's current revision and study set, and the template's causes of error. */
  | { readonly name: 'verdict' }
  /** Offers the study set's palette for the field `level`, and the host's fills for `fill`. */
  | { readonly name: 'colors'; readonly level: string; readonly fill: string }
  /** Offers the current tags of the card. */
  | { readonly name: 'tags' }
  /** The beginning of the text to replace: title, own text, or the comment of the path's index. */
  | { readonly name: 'present-text'; readonly text: 'title' | 'own' | 'comment' }

/** The maximum number of entries of a list in the body. */
export interface ListLimit {
  /** Member of the body, such as `noteIds`. */
  readonly member: string
  /** The number in the contract; `getLimit` returns the host's number. */
  readonly max: number
}

/** Recognises a route by query parameters, or by its last segment if the host lists none. */
export interface RouteRecognition {
  readonly queryNames: readonly string[]
  readonly lastSegments: readonly string[]
}

/**
 * `map` is which cards a study set has and how they are connected, `contents` a document's table of
 * contents, `screen` what the user has open, `sync` what synchronisation reports.
 */
export const dataKinds = [
  'cards',
  'map',
  'palette',
  'studySets',
  'snapshots',
  'decks',
  'documents',
  'contents',
  'handwriting',
  'bundles',
  'session',
  'screen',
  'sync',
] as const
type DataKind = (typeof dataKinds)[number]

/** An entry of the endpoint table, which has one for each route of the host's contract. */
export interface Endpoint {
  /** A stable id, such as `studySets.tree`. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to `{base_url}/bridge/v1`, placeholders in braces: `/study-sets/{topicid}/tree`. */
  readonly path: string
  /** How a host's route is recognised as this endpoint; null if the contract shows the path. */
  readonly recognition: RouteRecognition | null
  readonly tag: EndpointTag
  readonly summary: string
  readonly parameters: readonly EndpointParameter[]
  /** The contract does not name the query parameters, so the endpoint accepts any. */
  readonly acceptsAnyQuery: boolean
  /** Null if the endpoint takes no body. A body that does not match may still be sent. */
  readonly body: z.ZodType | null
  /** The body consists of the raw bytes of a file. */
  readonly isUpload: boolean
  /** Groups of body members of which exactly one is sent; empty if there is no choice. */
  readonly alternatives: readonly (readonly string[])[]
  readonly limits: readonly ListLimit[]
  readonly response: ResponseShape
  /** The statuses that the spec itself shows; which others a host sends is open (spec §4, §7). */
  readonly statuses: {
    readonly success: readonly number[]
    readonly refusal: readonly number[]
    /** The spec shows them in a usage only, so that others are lawful. */
    readonly isExample?: true
  }
  readonly access: EndpointAccess
  /** Body member that, if true, makes the read take over the screen. */
  readonly navigationMember: string | null
  /** True if external tools need a subscription; null if open. Capabilities take precedence. */
  readonly requiresMax: boolean | null
  /**
   * The part of a request in which the host requires `confirm`. `none`: the host executes the
   * request at once; `unknown`: the contract does not say, so the body is sent unchanged.
   */
  readonly confirm: 'body' | 'query' | 'none' | 'unknown'
  /**
   * Says what a refusal of a request without `confirm` proves. `true`: a documented dry run
   * with all checks. `described`: its details are documented, but the checks are not. `false`:
   * nothing about the body.
   */
  readonly dryRun: boolean | 'described'
  /** How one undo group per call is known; `inferred` if the contract does not say so itself. */
  readonly undo: 'documented' | 'inferred' | null
  /** Nothing in the host's interface undoes the effect. */
  readonly isIrreversible: boolean
  readonly command: CommandKind
  /** The first read whose id the command contains is used. Empty if the data cannot be read. */
  readonly touches: readonly ReadBack[]
  /** The kinds of data that a read returns or that a write may change; null if unknown. */
  readonly dataKinds: readonly DataKind[] | null
  /** How the data that was read back shows whether the write took effect; null if it cannot. */
  readonly effect: EffectRule | null
  /** What a write does to the place of cards; null if the contract does not say. */
  readonly placement: PlacementRule | null
  readonly face: WriteFaceSpec | null
  /** A person approves a request from another device; the host waits for up to a minute. */
  readonly needsApproval: boolean
  /** The response holds a token or a code for a token, so it is never recorded. */
  readonly returnsSecret: boolean
  readonly outcome: OutcomeMarks | null
  /** The host replaces `addon` in the body by the id of the panel's plugin (spec §4, §5). */
  readonly hasAddon: boolean
  /** The request creates a profile, so no profile's write lock applies to it. */
  readonly createsProfile: boolean
  /** Only status and pairing need no token. */
  readonly auth: 'token' | 'none'
  /** Parts of the contract, such as `spec §1; observed §7`. `getRouteBasis` reads them. */
  readonly spec: string
}

/** An endpoint whose id, parameters, body and response are known to the compiler. */
export type TypedEndpoint<
  Id extends string,
  R extends ResponseShape,
  P extends readonly EndpointParameter[],
  B extends z.ZodType | null,
> = Endpoint & { readonly id: Id; readonly response: R; readonly parameters: P; readonly body: B }

/** Groups of endpoints as in spec §1. */
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

/** Basis of the statement that a host has the route. */
export function getRouteBasis({ spec }: Pick<Endpoint, 'spec'>): Basis {
  return getSourceBasis(spec)
}

/** Basis of what the table says about a parameter. */
export function getParameterBasis(row: Pick<Endpoint, 'spec'>, { basis, in: place }: EndpointParameter): Basis {
  const routeBasis = getRouteBasis(row)
  return basis ?? (place === 'path' || routeBasis === 'host' ? routeBasis : 'observed')
}
