export const readBacks = {
  cards: { kind: 'entry', from: 'notes.batchGet', id: 'noteid', idsMember: 'noteIds' },
  studySet: { kind: 'entry', from: 'studySets.list', id: 'topicid' },
  deck: { kind: 'entry', from: 'decks.list', id: 'deckId' },
  session: { kind: 'session', from: 'writing.context' },
  pausedSession: { kind: 'session', from: 'writing.context', pauses: true },
} as const satisfies Readonly<Record<string, ReadBack>>

/** JSON pointer into a body, a response or a read-back. */
type Pointer = string

/** An entry of a listing, or the session record. `from` is the id of the endpoint to read. */
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
  /** A body's member (key) equals the one read (value); `isForParents`: leaves stay unchanged. */
  | {
      readonly rule: 'members'
      readonly readBackPointers: Readonly<Record<Pointer, Pointer>>
      readonly isForParents?: true
    }
  /** The target must no longer exist. */
  | { readonly rule: 'gone' }
  /**
   * The text at `index`, or at the index in the response or the path, must equal the text that was
   * sent. If the response has no index, the list must have one more such text than before.
   */
  | {
      readonly rule: 'text'
      readonly bodyPointer: Pointer
      readonly readBackPointer: Pointer
      readonly index: number | { readonly responsePointer: Pointer } | { readonly pathParameter: string }
    }
  /** The text at the index in the path is removed; other texts may get other indexes. */
  | { readonly rule: 'textGone'; readonly readBackPointer: Pointer; readonly pathParameter: string }
  /** The host computes another value from what is sent. */
  | { readonly rule: 'computed'; readonly readBackPointer: Pointer }
  /** The tags must be added, removed or replaced. */
  | {
      readonly rule: 'tags'
      readonly operationPointer: Pointer
      readonly bodyPointer: Pointer
      readonly readBackPointer: Pointer
    }
  /** The response's revision or a later one. With `contains`, its list is part of the list read. */
  | {
      readonly rule: 'revision'
      readonly responsePointer: Pointer
      readonly readBackPointer: Pointer
      readonly contains: { readonly responsePointer: Pointer; readonly readBackPointer: Pointer }
    }
  /** A new entry, matched with the response's by the first of `keys`, has the members sent. */
  | {
      readonly rule: 'added'
      readonly readBackPointer: Pointer
      readonly responsePointer: Pointer
      readonly keys: readonly string[]
      readonly members: readonly string[]
    }

/**
 * The place to which a write puts cards of the mind map, as far as the contract says. `below`: the
 * cards in `noteIds` go below the card in `targetMember`, with the cards below them; several such
 * batches may stand in `batchesMember`. `copy`: copies of them go there. `reattach`: the children
 * of a card that goes are attached to the card above it, or to the top level. `merge`: the children
 * of the card in the path go, with `recursiveMember` all cards below it, and their titles are
 * appended to its title; roots of sub-maps stay. `subMap`: the card in the path becomes the root of
 * a sub-map, or with `undoMember` no longer is one; a card without children stays as it is.
 */
export type PlacementRule =
  | { readonly rule: 'below' | 'copy'; readonly targetMember: string; readonly batchesMember: string }
  | { readonly rule: 'reattach' }
  | { readonly rule: 'merge'; readonly recursiveMember: string; readonly separator: string }
  | { readonly rule: 'subMap'; readonly undoMember: string }

/** If the body has the list `listMember`, all its entries are checked. */
export type EffectRule = Rule & { readonly listMember?: 'noteIds' }
