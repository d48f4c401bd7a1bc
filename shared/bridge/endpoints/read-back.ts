export const readBacks = {
  cards: { kind: 'entry', from: 'notes.batchGet', id: 'noteid', idsMember: 'noteIds' },
  studySet: { kind: 'entry', from: 'studySets.list', id: 'topicid' },
  deck: { kind: 'entry', from: 'decks.list', id: 'deckId' },
  session: { kind: 'session', from: 'writing.context' },
  pausedSession: { kind: 'session', from: 'writing.context', pauses: true },
} as const satisfies Readonly<Record<string, ReadBack>>

/** JSON pointer into a body, a response or a read-back. */
type Pointer = string

/**
 * How the target of a command can be read again: as the entry of a listing, or as the session
 * record. `from` is the id of the row that is read.
 */
export type ReadBack =
  | {
      readonly kind: 'entry'
      readonly from: string
      /** The member of an entry, and of a command, that holds the id. */
      readonly id: 'noteid' | 'topicid' | 'deckId'
      /** Body member that takes the ids; without it, the whole listing is read. */
      readonly idsMember?: string
    }
  | {
      readonly kind: 'session'
      readonly from: string
      /** The command leaves the session paused. */
      readonly pauses?: true
    }

/**
 * What is compared to see whether a write took effect. `bodyPointer`, `responsePointer` and
 * `readBackPointer` point into the request body, the response and the read-back.
 */
type Rule =
  /** Each member of the body (key) equals the member of the read-back (value). */
  | { readonly rule: 'members'; readonly readBackPointers: Readonly<Record<Pointer, Pointer>> }
  /** The target no longer exists. */
  | { readonly rule: 'gone' }
  /**
   * The text at `index`, or at the index in the response, equals the text that was sent. Without
   * an index in the response, the list has one more such text than before.
   */
  | {
      readonly rule: 'text'
      readonly bodyPointer: Pointer
      readonly readBackPointer: Pointer
      readonly index: number | { readonly responsePointer: Pointer }
    }
  /** Tags were added, removed or replaced. */
  | {
      readonly rule: 'tags'
      readonly operationPointer: Pointer
      readonly bodyPointer: Pointer
      readonly readBackPointer: Pointer
    }
  /**
   * The revision is the one in the response or a later one; `contains`: the response's list is
   * part of the list that was read back.
   */
  | {
      readonly rule: 'revision'
      readonly responsePointer: Pointer
      readonly readBackPointer: Pointer
      readonly contains: { readonly responsePointer: Pointer; readonly readBackPointer: Pointer }
    }
  /**
   * A list has a new entry: the one in the response, matched by the first of `keys` that it has,
   * with the members that were sent.
   */
  | {
      readonly rule: 'added'
      readonly readBackPointer: Pointer
      readonly responsePointer: Pointer
      readonly keys: readonly string[]
      readonly members: readonly string[]
    }

/** `listMember`: a list in the body whose entries are all checked. */
export type EffectRule = Rule & { readonly listMember?: 'noteIds' }
