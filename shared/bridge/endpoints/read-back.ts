/** The read-backs there are. */
export const readBacks = {
  cards: { kind: 'entry', from: 'notes.batchGet', id: 'noteid', ask: 'noteIds' },
  studySet: { kind: 'entry', from: 'studySets.list', id: 'topicid' },
  deck: { kind: 'entry', from: 'decks.list', id: 'deckId' },
  session: { kind: 'session', from: 'writing.context' },
  pausedSession: { kind: 'session', from: 'writing.context', pauses: true },
} as const satisfies Readonly<Record<string, ReadBack>>

/** JSON pointer into a body, an answer or what was read back. */
type Pointer = string

/**
 * How something that a command names can be read again: as the entry of a listing with that id, or as the record of the practice session.
 * `from` is the id of the row that is read; a listing's row names its list.
 */
export type ReadBack =
  | {
      readonly kind: 'entry'
      readonly from: string
      /** The member of an entry, and of a command, that holds the id. */
      readonly id: 'noteid' | 'topicid' | 'deckId'
      /** Member of the request's body that takes the ids; without it, the whole listing is read. */
      readonly ask?: string
    }
  | {
      readonly kind: 'session'
      readonly from: string
      /** The command leaves the session paused. */
      readonly pauses?: true
    }

/** What is compared to see whether a write took effect; `sent`, `answered` and `there` point into body, answer and read-back. */
type Rule =
  /** Each member that was sent, by its pointer, is there now at the other one. */
  | { readonly rule: 'members'; readonly readBackPointers: Readonly<Record<Pointer, Pointer>> }
  /** What it names is no longer there. */
  | { readonly rule: 'gone' }
  /**
   * A text in a list of texts: the one with this `index`, or with the one that the answer names; if it names none, there is one more of it
   * than before.
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
  /** The revision that the answer names, or a later one; `contains`: the list of the answer is part of the one that is there. */
  | {
      readonly rule: 'revision'
      readonly responsePointer: Pointer
      readonly readBackPointer: Pointer
      readonly contains: { readonly responsePointer: Pointer; readonly readBackPointer: Pointer }
    }
  /** A list has a new entry: the one of the answer, known by the first of `keys` that it has, with the members that were sent. */
  | {
      readonly rule: 'added'
      readonly readBackPointer: Pointer
      readonly responsePointer: Pointer
      readonly keys: readonly string[]
      readonly members: readonly string[]
    }

/** How reading back shows whether a write took effect. `each`: a list of the body whose things are all looked at. */
export type EffectRule = Rule & { readonly each?: 'noteIds' }
