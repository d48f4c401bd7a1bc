import type { z } from 'zod'
import type { EffectRule, ReadBack } from './read-back.ts'

/** A row of the endpoint table has these path and query parameters. */
export interface EndpointParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly type: 'string' | 'integer' | 'enum'
  readonly required: boolean
  /** Both bounds of an integer are inclusive. */
  readonly min?: number
  readonly max?: number
  readonly default?: string | number
  /** An enum allows these values, written as in the URL. */
  readonly values?: readonly string[]
  /** The value is a path inside a folder and must not lead out of it. */
  readonly relativePath?: true
  /** The spec says where a value comes from: `state.topicid of GET /ui-state`. */
  readonly source?: string
  readonly description: string
}

/** A response has one list member. The documents do not show the names of most lists. */
export interface ListRule {
  /** The schema uses this name for the member. */
  readonly member: string
  /** The documents show the response as the list itself. */
  readonly isBare?: true
  /** The documents do not show the name, so the list may have any name or be the whole response. */
  readonly isUnnamed?: true
  /** The documents name kinds of entries, so the list may be split into one list per kind. */
  readonly isGrouped?: true
}

export interface JsonShape<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
  /** The response consists mainly of this list. */
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
   * The name of a saved file consists of these parts, joined by hyphens. They are parameter values;
   * only the last segment of a path is used.
   */
  readonly fileNameParts: readonly FileNamePart[]
  /** The content depends on more than the path names, so any write may change it. */
  readonly isComposed?: true
}

/** With `requiredValue`, the parameter is part of the name only if it has this value. */
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
 * A mark tests a member. `some`: true, a positive number, or a non-empty list, object or text.
 * `none`: the opposite, if the member is present. `other`: a text that is none of these words.
 * `unlike`: a number that differs from the one at this pointer.
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

/** A mark is a member of a response that says how a write ended. */
export interface OutcomeMark {
  /** In this JSON pointer, a step `*` stands for each element of a list. */
  readonly pointer: string
  readonly test: OutcomeMarkTest
  /** The mark counts only if this parameter or member was sent. */
  readonly onlyIfSent?: string
}

/** A row of the endpoint table declares what the response to its write says. */
export interface OutcomeMarks {
  /** Each of these proves that the write was done. */
  readonly success: readonly OutcomeMark[]
  /** Each of these says that the write was done in part, or not as requested. */
  readonly partial: readonly OutcomeMark[]
  /** Each of these says that nothing was done. */
  readonly failure: readonly OutcomeMark[]
  /** The verdict shows these members, which prove nothing. Each is a JSON pointer. */
  readonly quotedPointers: readonly string[]
}

/**
 * The outcome of a command is found in one of these ways: `pencil` by polling, `session` by reading
 * the session record, `plain` from the response.
 */
export type CommandKind = 'pencil' | 'session' | 'plain'

/** A write form may have these aids besides its fields. */
export type WriteFaceSpec =
  /**
   * The form offers ids of the window that is being written in, for a commit or session command.
   */
  | { readonly name: 'writing' }
  /**
   * The form offers the card's current revision and study set, and the causes of error of the
   * interface template.
   */
  | { readonly name: 'verdict' }
  /**
   * The form offers the study set's palette for the field `level`, and the host's fills for the
   * field `fill`.
   */
  | { readonly name: 'colors'; readonly level: string; readonly fill: string }
  /** The form offers the current tags of the card. */
  | { readonly name: 'tags' }
  /**
   * The form fills in the beginning of the replaced text: the card's title, its own text, or the
   * comment with the index in the path.
   */
  | { readonly name: 'present-text'; readonly text: 'title' | 'own' | 'comment' }

/** A list in the body has a maximum number of entries. */
export interface ListLimit {
  /** This is the member of the body, such as `noteIds`. */
  readonly member: string
  /** This is the contract's number; `getLimit` returns the host's. */
  readonly max: number
}

/**
 * A host's route is recognised as a row whose path is not documented by its query parameters, or by
 * its last segment if the host lists no parameters.
 */
export interface RouteRecognition {
  readonly queryNames: readonly string[]
  readonly lastSegments: readonly string[]
}

/**
 * The host has these kinds of data: `map` is which cards a study set has and how they are
 * connected, `contents` a document's table of contents, `screen` what the user has open, `sync`
 * what synchronisation reports.
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
 * The endpoint table has one row for each route of the host's contract. The client, the demo host,
 * the console and the drift report all read it.
 */
export interface Endpoint {
  /** The id is stable, such as `studySets.tree`. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * The path is relative to `{base_url}/bridge/v1`, with placeholders in braces:
   * `/study-sets/{topicid}/tree`.
   */
  readonly path: string
  /**
   * This tells how a host's route is recognised as the row; null if the documents show the path.
   */
  readonly recognition: RouteRecognition | null
  readonly tag: EndpointTag
  readonly summary: string
  readonly parameters: readonly EndpointParameter[]
  /** No document names its query parameters, so it accepts any. */
  readonly acceptsAnyQuery: boolean
  /** This is null if there is no body. A body that does not match may still be sent. */
  readonly body: z.ZodType | null
  /** The body consists of the raw bytes of a file. */
  readonly isUpload: boolean
  /** Exactly one member of each group is sent; empty if there is no choice. */
  readonly alternatives: readonly (readonly string[])[]
  readonly limits: readonly ListLimit[]
  readonly response: ResponseShape
  readonly access: EndpointAccess
  /** If this member of the body is true, the read takes over the screen. */
  readonly navigationMember: string | null
  /**
   * The documents say whether an external tool needs a subscription; null if they do not. The
   * capabilities take precedence.
   */
  readonly requiresMax: boolean | null
  /**
   * The host requires `confirm` in this place. `none`: it runs at once; `unknown`: no document
   * says, so the body is sent unchanged.
   */
  readonly confirm: 'body' | 'query' | 'none' | 'unknown'
  /**
   * This tells what the refusal without `confirm` proves. `true`: a documented dry run with all
   * checks. `described`: its details are documented, the checks are not. `false`: nothing about the
   * body.
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
   * These reads show the changed data again; the first one whose id the command names is used. The
   * list is empty if nothing can be read.
   */
  readonly touches: readonly ReadBack[]
  /** A read returns these kinds of data; any other row may change them. Null if unknown. */
  readonly dataKinds: readonly DataKind[] | null
  /** This rule compares the read-back to see whether the write took effect; null if it cannot. */
  readonly effect: EffectRule | null
  readonly face: WriteFaceSpec | null
  /**
   * A person has to approve the request if it comes from another device; the host waits for up to a
   * minute.
   */
  readonly needsApproval: boolean
  /** The response holds a token or a code for one, so it is never recorded. */
  readonly returnsSecret: boolean
  readonly outcome: OutcomeMarks | null
  /** The host rewrites `addon` in the body to the id of the panel's plugin (spec §4, §5). */
  readonly hasAddon: boolean
  /** The row creates a profile, so no profile's write lock applies to it. */
  readonly createsProfile: boolean
  /** Everything but status and pairing needs the token. */
  readonly auth: 'token' | 'none'
  /**
   * These parts of the contract describe the row: `spec §4 excerpts`, `observed §5`, `spec §1;
   * observed §7`.
   */
  readonly spec: string
}

/** The compiler knows the id, parameters, body and response of such a row. */
export type TypedEndpoint<
  Id extends string,
  R extends ResponseShape,
  P extends readonly EndpointParameter[],
  B extends z.ZodType | null,
> = Endpoint & { readonly id: Id; readonly response: R; readonly parameters: P; readonly body: B }

/** Tags group endpoints as in spec §1. */
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
