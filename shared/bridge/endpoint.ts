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

export interface BinaryShape {
  readonly kind: 'binary'
  readonly media: readonly ('image' | 'audio' | 'video' | 'pdf' | 'any')[]
}

export type ResponseShape = JsonShape | TextShape | BinaryShape

/**
 * What a row does. `write` changes data of the user. `navigate` takes over their screen and changes no data. `task` makes or drops something of
 * the host's own (a working folder, an exported file, a run of the synchronisation): no data of the user changes and no subscription is
 * needed, but it must not be repeated like a read.
 */
export type Access = 'read' | 'write' | 'navigate' | 'task'

/**
 * What a member has to be for a mark to hold. `some`: true, a positive number, or a list, object or text that is not empty; `none`: the
 * opposite of these, where the member is there. `other`: a text that is none of these words.
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
export interface Mark {
  /** JSON pointer, in which a step `*` stands for each element of a list. */
  readonly at: string
  readonly is: MarkTest
  /** Counts only where this parameter or member was sent. */
  readonly asked?: string
}

/** What the response to a write says, as a row of the endpoint table declares it. */
export interface Outcome {
  /** Each proves that it was done. */
  readonly yes: readonly Mark[]
  /** Each says that not everything was done, or not as it was asked for. */
  readonly partly: readonly Mark[]
  /** Each says that nothing was done. */
  readonly no: readonly Mark[]
  /** JSON pointers of members that prove nothing and are worth showing beside the judgement. */
  readonly quotes: readonly string[]
}

/** How a command is answered: with an outcome to be asked for later, with a record to be read again, or at once. */
export type CommandKind = 'pencil' | 'session' | 'plain'

/**
 * What a row changes, as far as it can be read back: what its body or path names (cards, else the study set), the deck of its path, the
 * record of the practice session, or nothing.
 */
export type Touched = 'named' | 'deck' | 'session' | 'nothing'

/** How many entries a list in the body may hold. */
export interface ListLimit {
  /** Member of the body: `noteIds`. */
  readonly member: string
  readonly max: number
  /** JSON pointer into the capabilities where a host gives its own number. */
  readonly capability?: string
}

/**
 * One row of the host's contract. Everything that knows an endpoint (client, demo host, console, drift report) reads it here.
 */
export interface Endpoint {
  /** Stable id: `studySets.tree`. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to `{base_url}/bridge/v1`, placeholders in braces: `/study-sets/{topicid}/tree`. */
  readonly path: string
  readonly tag: EndpointTag
  readonly summary: string
  readonly parameters: readonly Parameter[]
  /** Schema of the JSON body; null = no JSON body. What does not fit it may still be sent. */
  readonly body: z.ZodType | null
  /** The body is the raw bytes of a file; everything else stands in the query. */
  readonly upload: boolean
  /** Groups of body members of which exactly one is sent; empty where there is no choice. */
  readonly alternatives: readonly (readonly string[])[]
  readonly limits: readonly ListLimit[]
  readonly response: ResponseShape
  readonly access: Access
  /** Member of the body that makes a read take over the screen when it is true. */
  readonly navigatesWith: string | null
  /** Whether an external tool needs a subscription, as documented; null where the documents do not say. The capabilities win. */
  readonly requiresMax: boolean | null
  /** Where `confirm` goes that the host asks for; `none`: it runs at once; `unknown`: no document says it, what is sent says what it says. */
  readonly confirm: 'body' | 'query' | 'none' | 'unknown'
  /**
   * What the refusal without `confirm` is worth: `true` = a documented dry run whose checks have all run; `described` = its details are
   * documented, the checks are not; false = it proves nothing about what the body names.
   */
  readonly dryRun: boolean | 'described'
  /** The host documents one undo group per call; `inferred` where the documents do not say it in so many words. */
  readonly undo: 'documented' | 'inferred' | null
  /** Nothing that the interface offers takes its effect back. */
  readonly final: boolean
  /** How its end is learnt. */
  readonly command: CommandKind
  readonly touches: Touched
  /** From another device a person has to allow it; it waits for up to a minute. */
  readonly approval: boolean
  /** The response holds a token, or a code for one: it is not written down, so that it has a door of its own or none. */
  readonly secret: boolean
  /** What the response says of how it ended; null for reads. */
  readonly outcome: Outcome | null
  /** The host rewrites `addon` in the body to the id of the plugin that owns the panel (spec §4, §5). */
  readonly addon: boolean
  /** Needs the token (everything but status and pairing). */
  readonly auth: 'token' | 'none'
  /** Parts of the contract that describe it: `spec §4 excerpts`, `observed §5`, `spec §1; observed §7`. */
  readonly spec: string
}

/** A row whose id, parameters, body and answer are known to the compiler. */
export type Row<
  Id extends string,
  R extends ResponseShape,
  P extends readonly Parameter[],
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
