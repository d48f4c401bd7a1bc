import { z } from 'zod'
import { originSchema } from '../traffic/exchange.ts'
import type { ChangeKind } from './card-content.ts'

/** A request of anybody that may have changed cards, as it was recorded. */
export const recordedWriteSchema = z.strictObject({
  /** The exchange in traffic; null if there is none, as for a command that ended later. */
  exchangeId: z.string().nullable(),
  /** Epoch milliseconds. */
  startedAt: z.number(),
  endedAt: z.number(),
  method: z.string(),
  path: z.string(),
  endpoint: z.string(),
  origin: originSchema,
  /** The ids that the request and its response name. An empty list means that any may be meant. */
  cards: z.array(z.string()),
  sets: z.array(z.string()),
  /** False if the host did not report that it was done. */
  isCertain: z.boolean(),
})
export type RecordedWrite = z.infer<typeof recordedWriteSchema>

/**
 * How well a recorded call explains a change: it names the card; it names the card's parent, or a
 * card above that came or went with it; or nothing but the time fits, and only this call's does.
 * With `nobody`, no recorded call explains it: the host itself did it, or somebody who is not
 * recorded.
 */
export const causeCertainties = ['named', 'parent', 'time', 'nobody'] as const
export type CauseCertainty = (typeof causeCertainties)[number]

export interface ChangeCause {
  readonly certainty: CauseCertainty
  /** The calls that explain the change equally well, the latest first. */
  readonly writes: readonly RecordedWrite[]
}

export interface ChangedCard {
  readonly noteid: string
  readonly kinds: readonly ChangeKind[]
  /** The parents before and after, and above them the cards that came or went together with it. */
  readonly above: readonly string[]
}

const MAX_WRITES = 5
const NOBODY: ChangeCause = { certainty: 'nobody', writes: [] }
/** Only these happen to a card because of a call about a card above it. */
const structuralKinds: ReadonlySet<ChangeKind> = new Set(['added', 'removed', 'moved'])

/** Finds the recorded calls that explain changes of one study set. */
export class CauseFinder {
  readonly #writesByCard = new Map<string, RecordedWrite[]>()
  /** Calls that name no card, and this study set or none. */
  readonly #unspecific: readonly RecordedWrite[]

  /** @param writes the calls between two snapshots, the oldest first */
  constructor(topicid: string, writes: readonly RecordedWrite[]) {
    for (const write of writes) {
      for (const id of new Set(write.cards.map(toKey))) {
        const list = this.#writesByCard.get(id)
        if (list) list.push(write)
        else this.#writesByCard.set(id, [write])
      }
    }
    this.#unspecific = writes.filter(
      ({ cards, sets }) =>
        cards.length === 0 && (sets.length === 0 || sets.some((set) => toKey(set) === toKey(topicid))),
    )
  }

  /** @returns the ids, in upper case, of every card that some call names */
  listNamedIds(): ReadonlySet<string> {
    return new Set(this.#writesByCard.keys())
  }

  find({ noteid, kinds, above }: ChangedCard): ChangeCause {
    const naming = this.#writesByCard.get(toKey(noteid))
    if (naming) return { certainty: 'named', writes: takeLatest(naming) }
    if (kinds.some((kind) => structuralKinds.has(kind))) {
      for (const id of above) {
        const aboveWrites = this.#writesByCard.get(toKey(id))
        if (aboveWrites) return { certainty: 'parent', writes: takeLatest(aboveWrites) }
      }
    }
    // Where several calls fit, saying which one it was would be a guess.
    return this.#unspecific.length === 1 ? { certainty: 'time', writes: this.#unspecific } : NOBODY
  }
}

const takeLatest = (writes: readonly RecordedWrite[]): RecordedWrite[] => writes.slice(-MAX_WRITES).reverse()

/** Hosts write ids in either case. */
export const toKey = (id: string): string => id.toUpperCase()
