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

/** Where the entries of a listing are: the documents do not show the names of most lists. */
export interface ListRule {
  /** The member that the schema names. */
  readonly member: string
  /** The contract shows the answer as the list itself. */
  readonly isBare?: true
  /** The documents do not show the name: the list may have any name, and the answer may be the list itself. */
  readonly isUnnamed?: true
  /** The documents name kinds of entries: the list may be sent as one list for each kind. */
  readonly isGrouped?: true
}

export interface JsonShape<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
  /** The list that the answer consists of; it may have another name, or be the answer itself. */
  readonly list?: ListRule
}

export interface TextShape {
  readonly kind: 'text'
  readonly contentType: string
}

export interface BinaryShape {
  readonly kind: 'binary'
  readonly media: readonly ('image' | 'audio' | 'video' | 'pdf' | 'any')[]
  /** What a file saved from it is called: values of parameters, joined by hyphens; of a path only its last segment. */
  readonly fileNameParts: readonly FileNamePart[]
  /** It is drawn from more than what its path names, so any write may change it. */
  readonly isComposed?: true
}

/** A parameter; with `only`, it is part of a name if it has this value. */
type FileNamePart = string | { readonly parameter: string; readonly requiredValue: string }

export type ResponseShape = JsonShape | TextShape | BinaryShape

/**
 * What a row does. `write` changes the user's data. `navigate` takes over their screen and changes no data. `task` creates or discards
 * something of the host's own (a working folder, an exported file, a synchronisation run): it changes none of the user's data and needs
 * no subscription, but must not be repeated like a read.
 */
export type EndpointAccess = 'read' | 'write' | 'navigate' | 'task'

/**
 * What a member must be for a mark to hold. `some`: true, a positive number, or a list, object or text that is not empty; `none`: the
 * opposite, if the member is present. `other`: a text that is none of these words.
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
  /** Each proves that it was done. */
  readonly success: readonly OutcomeMark[]
  /** Each says that not everything was done, or not as requested. */
  readonly partial: readonly OutcomeMark[]
  /** Each says that nothing was done. */
  readonly failure: readonly OutcomeMark[]
  /** JSON pointers to members that prove nothing but are worth showing next to the judgement. */
  readonly quotedPointers: readonly string[]
}

/** How the host answers a command: with an outcome to be looked up later, with a record to be read again, or at once. */
export type CommandKind = 'pencil' | 'session' | 'plain'

/** The faces that a form may have besides its fields; the page has one part for each. */
export type WriteFaceSpec =
  /** Ids of a commit or session command, from the window that is being written in. */
  | { readonly name: 'writing' }
  /** Revision and study set of the card as it was read, and the causes of error of the interface template. */
  | { readonly name: 'verdict' }
  /** The palette of the study set under the field `level`, and the fills that the host names in the field `fill`. */
  | { readonly name: 'colors'; readonly level: string; readonly fill: string }
  /** The tags that the card has now. */
  | { readonly name: 'tags' }
  /** How the text that is replaced begins: the card's title, its own text, or the comment with the number in the path. */
  | { readonly name: 'present-text'; readonly text: 'title' | 'own' | 'comment' }

/** How many entries a list in the body may hold. */
export interface ListLimit {
  /** Member of the body: `noteIds`. */
  readonly member: string
  /** The contract's number; a host's capabilities may give another (`limitOf`). */
  readonly max: number
}

/**
 * How a host's route is recognised as a row whose path the documents do not show: by what it takes, or by the last segments under which
 * hosts are known or likely to serve it, where they say nothing of its parameters.
 */
export interface RouteRecognition {
  readonly queryNames: readonly string[]
  readonly lastSegments: readonly string[]
}

/**
 * Kinds of data on the host: `map` is which cards a study set has and how they hang together, `contents` a document's contents list,
 * `screen` what the user has open, `sync` what synchronisation reports.
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

/** One row of the host's contract. Everything that knows an endpoint (client, demo host, console, drift report) reads it from here. */
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
  /** Schema of the JSON body; null if there is none. A body that does not match may still be sent. */
  readonly body: z.ZodType | null
  /** The body is the raw bytes of a file; everything else is in the query. */
  readonly isUpload: boolean
  /** Groups of body members of which exactly one is sent; empty if there is no choice. */
  readonly alternatives: readonly (readonly string[])[]
  readonly limits: readonly ListLimit[]
  readonly response: ResponseShape
  readonly access: EndpointAccess
  /** Member of the body that makes a read take over the screen if it is true. */
  readonly navigationMember: string | null
  /** Whether an external tool needs a subscription, as documented; null if the documents do not say. The capabilities take precedence. */
  readonly requiresMax: boolean | null
  /**
   * Where the `confirm` that the host requires goes. `none`: it runs at once; `unknown`: no document says, so the body is sent unchanged.
   */
  readonly confirm: 'body' | 'query' | 'none' | 'unknown'
  /**
   * What the refusal without `confirm` is worth: `true` means a documented dry run with all checks; `described` means that its details
   * are documented but the checks are not; false means that it proves nothing about what the body names.
   */
  readonly dryRun: boolean | 'described'
  /** The host documents one undo group per call; `inferred` if the documents do not say so explicitly. */
  readonly undo: 'documented' | 'inferred' | null
  /** Nothing in the interface undoes its effect. */
  readonly isIrreversible: boolean
  /** How its end becomes known. */
  readonly command: CommandKind
  /** Where what it changes can be read again: the first whose id its command names. Empty if nothing of it can be read. */
  readonly touches: readonly ReadBack[]
  /** Of a read what its response shows, of anything else what it may change; null if nobody knows. */
  readonly dataKinds: readonly DataKind[] | null
  /** How that shows whether it took effect; null if it cannot. */
  readonly effect: EffectRule | null
  /** What its form knows besides its fields; null if that is nothing. */
  readonly face: WriteFaceSpec | null
  /** From another device a person has to approve it, which it waits for up to a minute. */
  readonly needsApproval: boolean
  /** The response holds a token, or a code for one: it is never recorded, and has a method of its own or none. */
  readonly returnsSecret: boolean
  /** What the response says about how it ended; null for reads. */
  readonly outcome: OutcomeMarks | null
  /** The host rewrites `addon` in the body to the id of the plugin that owns the panel (spec §4, §5). */
  readonly hasAddon: boolean
  /** It creates a profile, so no profile's lock applies to it. */
  readonly createsProfile: boolean
  /** Whether it needs the token (everything but status and pairing does). */
  readonly auth: 'token' | 'none'
  /** Parts of the contract that describe it: `spec §4 excerpts`, `observed §5`, `spec §1; observed §7`. */
  readonly spec: string
}

/** A row whose id, parameters, body and answer are known to the compiler. */
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
