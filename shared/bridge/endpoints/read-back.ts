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
 * How the target of a command is read again: as the entry of a listing, or as the session record.
 * `from` is the id of the endpoint that is read.
 */
export type ReadBack =
  | {
      readonly kind: 'entry'
      readonly from: string
      /** Name of the id in the entry and in the command. */
      readonly id: 'noteid' | 'topicid' | 'deckId'
      /** Body member that takes the ids. Without this member, the whole listing is read. */
      readonly idsMember?: string
    }
  | {
      readonly kind: 'session'
      readonly from: string
      /** The command leaves the session paused. */
      readonly pauses?: true
    }

/**
 * How it is checked that a write took effect. `bodyPointer`, `responsePointer` and
 * `readBackPointer` point into the request body, the response and the data that was read back.
 */
type Rule =
  /** Each member of the body (key) must equal the member of the data that was read back (value). */
  | { readonly rule: 'members'; readonly readBackPointers: Readonly<Record<Pointer, Pointer>> }
  /** The target must no longer exist. */
  | { readonly rule: 'gone' }
  /**
   * The text at `index`, or at the index in the response, must equal the text that was sent. If the
   * response has no index, the list must have one more such text than before.
   */
  | {
      readonly rule: 'text'
      readonly bodyPointer: Pointer
      readonly readBackPointer: Pointer
      readonly index: number | { readonly responsePointer: Pointer }
    }
  /** The tags must be added, removed or replaced. */
  | {
      readonly rule: 'tags'
      readonly operationPointer: Pointer
      readonly bodyPointer: Pointer
      readonly readBackPointer: Pointer
    }
  /**
   * The revision must be the one in the response or a later revision. With `contains`, the
   * response's list must be part of the list that was read back.
   */
  | {
      readonly rule: 'revision'
      readonly responsePointer: Pointer
      readonly readBackPointer: Pointer
      readonly contains: { readonly responsePointer: Pointer; readonly readBackPointer: Pointer }
    }
  /**
   * The list must have a new entry: the entry in the response, matched by the first of `keys` that
   * it has, with the members that were sent.
   */
  | {
      readonly rule: 'added'
      readonly readBackPointer: Pointer
      readonly responsePointer: Pointer
      readonly keys: readonly string[]
      readonly members: readonly string[]
    }

/**
 * Where a write puts cards of the mind map, as far as the contract says. `below`: the cards in
 * `noteIds` go below the card in `targetMember`, with the cards below them; several such batches
 * may stand in `batchesMember`. `reattach`: the children of a card that goes are attached to the
 * card above it, or to the top level.
 */
export type PlacementRule =
  | { readonly rule: 'below'; readonly targetMember: string; readonly batchesMember: string }
  | { readonly rule: 'reattach' }

/** If the body has the list `listMember`, all its entries are checked. */
export type EffectRule = Rule & { readonly listMember?: 'noteIds' }
