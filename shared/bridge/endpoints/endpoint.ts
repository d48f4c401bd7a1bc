import type { z } from 'zod'
import type { EffectRule, ReadBack } from './read-back.ts'

/** One path or query parameter of a row in the endpoint table. */
export interface EndpointParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly type: 'string' | 'integer' | 'enum'
  readonly required: boolean
  /** Inclusive range of an integer. */
  readonly min?: number
  readonly max?: number
  readonly default?: string | number
  /** Allowed values of an enum, as they appear in the URL. */
  readonly values?: readonly string[]
  /** A path inside something, which it must not lead out of. */
  readonly relativePath?: true
  /** Where a value comes from, in the words of the spec: `state.topicid of GET /ui-state`. */
  readonly source?: string
  readonly description: string
}

/** The list member of a response. The documents do not show the names of most lists. */
export interface ListRule {
  /** The member that the schema names. */
  readonly member: string
  /** The documents show the response as the list itself. */
  readonly isBare?: true
  /** The documents do not show the name: the list may have any name, or be the whole response. */
  readonly isUnnamed?: true
  /** The documents name kinds of entries: the list may be split into one list per kind. */
  readonly isGrouped?: true
}

export interface JsonShape<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
  /** The list that the response consists of. */
  readonly list?: ListRule
}

export interface TextShape {
  readonly kind: 'text'
  readonly contentType: string
}

export interface BinaryShape {
  readonly kind: 'binary'
  readonly media: readonly ('image' | 'audio' | 'video' | 'pdf' | 'any')[]
  /**
   * Parts of the name of a saved file, joined by hyphens: parameter values, of a path only its
   * last segment.
   */
  readonly fileNameParts: readonly FileNamePart[]
  /** True if the content depends on more than the path names, so that any write may change it. */
  readonly isComposed?: true
}

/** A parameter; with `requiredValue`, it is part of the name only if it has this value. */
type FileNamePart = string | { readonly parameter: string; readonly requiredValue: string }

export type ResponseShape = JsonShape | TextShape | BinaryShape

/**
 * What a row does. `write` changes the user's data. `navigate` takes over their screen and changes
 * no data. `task` creates or discards something of the host's own (a working folder, an exported
 * file, a synchronisation run): it changes none of the user's data and needs no subscription, but
 * must not be repeated like a read.
 */
export type EndpointAccess = 'read' | 'write' | 'navigate' | 'task'

/**
 * Condition of a member. `some`: true, a positive number, or a non-empty list, object or text.
 * `none`: the opposite, if the member is present. `other`: a text that is none of these words.
 * `unlike`: a number that differs from the one at this pointer.
 */
export type MarkTest =
  | 'true'
  | 'false'
  | 'some'
  | 'none'
  | 'present'
  | { readonly word: string }
  | { readonly other: readonly string[] }
  | { readonly unlike: string }

/** A member of a response that says how a write ended. */
export interface OutcomeMark {
  /** JSON pointer, in which a step `*` stands for each element of a list. */
  readonly pointer: string
  readonly test: MarkTest
  /** Counts only if this parameter or member was sent. */
  readonly onlyIfSent?: string
}

/** What the response to a write says, as declared by a row of the endpoint table. */
export interface OutcomeMarks {
  /** Each proves that the write was done. */
  readonly success: readonly OutcomeMark[]
  /** Each says that the write was done in part, or not as requested. */
  readonly partial: readonly OutcomeMark[]
  /** Each says that nothing was done. */
  readonly failure: readonly OutcomeMark[]
  /** JSON pointers to members that prove nothing but are shown next to the verdict. */
  readonly quotedPointers: readonly string[]
}

/**
 * How the outcome of a command is found out: `pencil` by polling, `session` by reading the
 * session record, `plain` from the response.
 */
export type CommandKind = 'pencil' | 'session' | 'plain'

/** Aids that a write form may have besides its fields. */
export type WriteFaceSpec =
  /** Ids of a commit or session command, taken from the window that is being written in. */
  | { readonly name: 'writing' }
  /**
   * Revision and study set of the card as read, and the causes of error of the interface
   * template.
   */
  | { readonly name: 'verdict' }
  /** The study set's palette for the field `level`, and the host's fills for the field `fill`. */
  | { readonly name: 'colors'; readonly level: string; readonly fill: string }
  /** The current tags of the card. */
  | { readonly name: 'tags' }
  /**
   * The beginning of the replaced text: the card's title, its own text, or the comment with the
   * index in the path.
   */
  | { readonly name: 'present-text'; readonly text: 'title' | 'own' | 'comment' }

/** Maximum entries of a list in the body. */
export interface ListLimit {
  /** Member of the body: `noteIds`. */
  readonly member: string
  /** The contract's number; `getLimit` gives the host's. */
  readonly max: number
}

/**
 * How a host's route is recognised as a row whose path is not documented: by its query
 * parameters, or by its last segment if the host lists no parameters.
 */
export interface RouteRecognition {
  readonly queryNames: readonly string[]
  readonly lastSegments: readonly string[]
}

/**
 * Kinds of data on the host: `map` is which cards a study set has and how they hang together,
 * `contents` a document's contents list, `screen` what the user has open, `sync` what
 * synchronisation reports.
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

/**
 * One row of the host's contract. The client, the demo host, the console and the drift report all
 * read it.
 */
export interface Endpoint {
  /** Stable id: `studySets.tree`. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to `{base_url}/bridge/v1`, placeholders in braces: `/study-sets/{topicid}/tree`. */
  readonly path: string
  /** How a host's route is recognised as this one; null if the documents show the path. */
  readonly recognition: RouteRecognition | null
  readonly tag: EndpointTag
  readonly summary: string
  readonly parameters: readonly EndpointParameter[]
  /** No document names its query parameters: it takes any. */
  readonly acceptsAnyQuery: boolean
  /** Null if there is no body. A body that does not match may still be sent. */
  readonly body: z.ZodType | null
  /** True if the body is the raw bytes of a file. */
  readonly isUpload: boolean
  /** Groups of body members of which exactly one is sent; empty if there is no choice. */
  readonly alternatives: readonly (readonly string[])[]
  readonly limits: readonly ListLimit[]
  readonly response: ResponseShape
  readonly access: EndpointAccess
  /** Member of the body that makes a read take over the screen if it is true. */
  readonly navigationMember: string | null
  /**
   * Whether an external tool needs a subscription, as documented; null if the documents do not say.
   * The capabilities take precedence.
   */
  readonly requiresMax: boolean | null
  /**
   * Where the `confirm` that the host requires goes. `none`: it runs at once; `unknown`: no
   * document says, so the body is sent unchanged.
   */
  readonly confirm: 'body' | 'query' | 'none' | 'unknown'
  /**
   * What the refusal without `confirm` proves. `true`: a documented dry run with all checks.
   * `described`: its details are documented, the checks are not. `false`: nothing about the body.
   */
  readonly dryRun: boolean | 'described'
  /**
   * The host documents one undo group per call; `inferred` if the documents do not say so
   * explicitly.
   */
  readonly undo: 'documented' | 'inferred' | null
  /** Nothing in the interface undoes its effect. */
  readonly isIrreversible: boolean
  readonly command: CommandKind
  /**
   * Reads that show the changed data again; the first one whose id the command names is used.
   * Empty if nothing can be read.
   */
  readonly touches: readonly ReadBack[]
  /**
   * For a read, the kinds of data in its response; otherwise the kinds it may change. Null if
   * unknown.
   */
  readonly dataKinds: readonly DataKind[] | null
  /** How the read-back shows whether the write took effect; null if it cannot. */
  readonly effect: EffectRule | null
  readonly face: WriteFaceSpec | null
  /** From another device a person has to approve it; the host waits for up to a minute. */
  readonly needsApproval: boolean
  /** The response holds a token or a code for one, so it is never recorded. */
  readonly returnsSecret: boolean
  readonly outcome: OutcomeMarks | null
  /** The host rewrites `addon` in the body to the id of the panel's plugin (spec §4, §5). */
  readonly hasAddon: boolean
  /** It creates a profile, so no profile's write lock applies to it. */
  readonly createsProfile: boolean
  /** Everything but status and pairing needs the token. */
  readonly auth: 'token' | 'none'
  /**
   * Parts of the contract that describe it: `spec §4 excerpts`, `observed §5`, `spec §1; observed
   * §7`.
   */
  readonly spec: string
}

/** A row whose id, parameters, body and response are known to the compiler. */
export type TypedEndpoint<
  Id extends string,
  R extends ResponseShape,
  P extends readonly EndpointParameter[],
  B extends z.ZodType | null,
> = Endpoint & { readonly id: Id; readonly response: R; readonly parameters: P; readonly body: B }

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
