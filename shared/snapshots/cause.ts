import { z } from 'zod'
import type { DataChange } from '../bridge/data-change.ts'
import type { Endpoint } from '../bridge/endpoints/endpoint.ts'
import { findEndpointById } from '../bridge/endpoints/index.ts'
import type { EffectRule, PlacementRule } from '../bridge/endpoints/read-back.ts'
import { getMember } from '../json/object.ts'
import { getValueAtPointer } from '../json/pointer.ts'
import { originSchema } from '../traffic/exchange.ts'
import { getMemberKind, isListedTitle, type ChangeKind } from './card-content.ts'
import type { SnapshotInfo } from './snapshot.ts'

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
  /** Short values that the request sent for a card, by member; `parent` is an id. */
  requestedValues: z.record(z.string(), z.unknown()).default({}),
  /** False if the host did not report that it was done. */
  isCertain: z.boolean(),
})
export type RecordedWrite = z.infer<typeof recordedWriteSchema>

/** A call with the host to which it was sent; null if that is unknown. */
export const hostWriteSchema = recordedWriteSchema.extend({ host: z.string().nullable() })
export type HostWrite = z.infer<typeof hostWriteSchema>

/** The time in which a call may have caused what differs between the two. */
export function getSpanBetween(before: SnapshotInfo, after: SnapshotInfo): [from: number, to: number] {
  const [older, newer] = before.endedAt <= after.endedAt ? [before, after] : [after, before]
  return [older.seenAt - (older.endedAt - older.startedAt), newer.endedAt]
}

/** Selects the calls that ended at or after `from` and began at or before `to`. */
export function selectWritesWithin<Write extends RecordedWrite>(
  writes: readonly Write[],
  from: number,
  to: number,
): Write[] {
  return writes.filter(({ startedAt, endedAt }) => endedAt >= from && startedAt <= to)
}

/** The same cards may be on several hosts, and a call to one of them changes no other. */
export function selectWritesTo(hosts: readonly string[], writes: readonly HostWrite[]): RecordedWrite[] {
  return writes.flatMap(({ host, ...write }) => (host === null || hosts.includes(host) ? [write] : []))
}

/**
 * @param startedAt when the call began, in epoch milliseconds
 * @param body the JSON value that it sent
 * @returns null for a change that no call made, or that is about no cards
 */
export function toRecordedWrite(change: DataChange, startedAt: number, body: unknown): RecordedWrite | null {
  const { cause, matters, ids, at, isCertain } = change
  if (!cause || (matters && !matters.includes('cards') && !matters.includes('map'))) return null
  const row = findEndpointById(cause.endpoint)
  const requestedValues = row ? listSentValues(row, body) : {}
  return { ...cause, startedAt, endedAt: at, cards: ids.cards, sets: ids.sets, requestedValues, isCertain }
}

/**
 * How well a recorded call that can have this effect explains a change: it names the card; with
 * `partly`, it names the card, but sent another value than the one that is there, or cannot have
 * done all of it; it names the card's parent, or a card above it that came or went with it; or
 * nothing but the time fits. With `nobody`, no recorded call explains it: the host itself did it,
 * or somebody who is not recorded.
 */
export const causeCertainties = ['named', 'partly', 'parent', 'time', 'nobody'] as const
export type CauseCertainty = (typeof causeCertainties)[number]

export interface ChangeCause {
  readonly certainty: CauseCertainty
  /** The calls that explain the change or a part of it: of equally good ones, the latest first. */
  readonly writes: readonly RecordedWrite[]
  /** The kinds of the change that none of them explains. */
  readonly unexplained: readonly ChangeKind[]
}

export interface ChangedCard {
  readonly noteid: string
  readonly kinds: readonly ChangeKind[]
  /** Both parents, and the cards above that moved along; in another sub-map all cards above. */
  readonly above: readonly string[]
  /** The members that differ, as they are after the change. */
  readonly readChanged?: () => Readonly<Record<string, unknown>>
}

const MAX_SENT_CHARS = 500

/** @param body the parsed body of a request to this endpoint */
export function listSentValues({ effect, placement }: Endpoint, body: unknown): Record<string, unknown> {
  const pointers = effect?.rule === 'members' ? Object.entries(effect.readBackPointers) : []
  const values = pointers.map(([from, to]) => [to.split('/').at(-1) ?? '', getValueAtPointer(body, from)] as const)
  if (placement?.rule === 'below') values.push(['parent', getMember(body, placement.targetMember)])
  return Object.fromEntries(
    values.filter(([, value]) => value !== undefined && JSON.stringify(value).length <= MAX_SENT_CHARS),
  )
}

const MAX_WRITES = 5
/** Only these happen to a card because of a call about a card above it. */
const structuralKinds: ReadonlySet<ChangeKind> = new Set(['added', 'removed', 'moved', 'subMap'])

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

  #findAbout(id: string): readonly RecordedWrite[] {
    return this.#writesByCard.get(toKey(id)) ?? []
  }

  find({ noteid, kinds, above, readChanged }: ChangedCard): ChangeCause {
    const unexplained = new Set(kinds)
    const takeFitting = (
      writes: readonly RecordedWrite[],
      canCause: typeof canCauseTo,
      canBeSideEffect = canCause,
    ): RecordedWrite[] => {
      const open = [...unexplained]
      const fitting = writes.filter((write) => open.some((kind) => canCause(write, kind)))
      for (const kind of open) if (fitting.some((write) => canBeSideEffect(write, kind))) unexplained.delete(kind)
      return fitting
    }
    const naming = takeFitting(this.#findAbout(noteid), canCauseTo, canBePartOf)
    const namingAbove = above.flatMap((id) => takeFitting(this.#findAbout(id), canCauseBelow))
    const explaining = [...takeLatest(naming), ...takeLatest(namingAbove)]
    // A call that names nothing is no cause of what is left of a change that others explain.
    const writes = explaining.length > 0 ? explaining : takeLatest(takeFitting(this.#unspecific, canCauseTo))
    const isAllExplained = unexplained.size === 0 && (!readChanged || hasSentValues(naming, readChanged()))
    const certainty =
      naming.length > 0
        ? isAllExplained
          ? 'named'
          : 'partly'
        : explaining.length > 0
          ? 'parent'
          : writes.length > 0
            ? 'time'
            : 'nobody'
    return {
      certainty,
      writes: writes.slice(0, MAX_WRITES),
      unexplained: kinds.filter((kind) => unexplained.has(kind)),
    }
  }
}

/**
 * True if a call can have such an effect on a card that it names, as far as its row in the endpoint
 * table says what it does. A call without a row may do anything, and so may any call to members
 * that nobody explains.
 */
function canCauseTo({ endpoint }: RecordedWrite, kind: ChangeKind): boolean {
  const row = findEndpointById(endpoint)
  if (!row || kind === 'other') return true
  const effectKinds = listRowKinds(row)
  if (effectKinds) return effectKinds.includes(kind)
  const isPlaceKept = row.dataKinds !== null && !row.dataKinds.includes('map')
  return !(isPlaceKept && structuralKinds.has(kind))
}

/** Concerns cards below one that the call names. */
function canCauseBelow(write: RecordedWrite, kind: ChangeKind): boolean {
  if (!structuralKinds.has(kind)) return false
  // A call that puts cards elsewhere names each of them; the cards below go along.
  const isPlacing = findEndpointById(write.endpoint)?.placement?.rule === 'below'
  return isPlacing ? kind === 'subMap' : canCauseTo(write, kind)
}

const detailKinds: ReadonlySet<ChangeKind> = new Set(['text', 'tags', 'parts', 'excerpts', 'bands', 'practice'])

/** Writing the text, tags, bands or practice of a card may show in the others of these too. */
function canBePartOf(write: RecordedWrite, kind: ChangeKind): boolean {
  const effect = findEndpointById(write.endpoint)?.effect
  return canCauseTo(write, kind) || (detailKinds.has(kind) && effect?.rule !== 'members' && effect !== null)
}

/** If several calls sent a member, the last one counts. */
function hasSentValues(writes: readonly RecordedWrite[], values: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(values).every(([name, value]) => {
    const requested = writes.findLast((write) => Object.hasOwn(write.requestedValues, name))?.requestedValues[name]
    if (requested === undefined) return true
    if (name === 'title') return typeof requested !== 'string' || isListedTitle(value ?? '', requested)
    if (name === 'parent') return toKey(String(requested)) === toKey(String(value))
    // A listing leaves out what has no value.
    return JSON.stringify(requested) === JSON.stringify(value) || (value === undefined && requested === false)
  })
}

/** @returns null if the row does not say what the write does */
function listRowKinds({ effect, placement }: Endpoint): readonly ChangeKind[] | null {
  return effect ? listEffectKinds(effect) : placement && listPlacementKinds(placement)
}

function listPlacementKinds({ rule }: PlacementRule): readonly ChangeKind[] {
  switch (rule) {
    case 'below':
      return ['moved', 'subMap']
    case 'reattach':
      return ['moved']
    case 'copy':
      return ['added']
    case 'merge':
      return ['removed', 'moved', 'renamed', 'text', 'tags', 'parts', 'excerpts', 'bands']
    case 'subMap':
      return ['subMap']
  }
}

function listEffectKinds(effect: EffectRule): readonly ChangeKind[] {
  switch (effect.rule) {
    case 'members':
      return Object.values(effect.readBackPointers).map(getPointerKind)
    case 'gone':
      // The children of a deleted card are attached elsewhere.
      return ['removed', 'moved']
    case 'text':
    case 'textGone':
      return ['text', 'renamed']
    case 'computed':
      return [getPointerKind(effect.readBackPointer)]
    case 'tags':
      return ['tags']
    case 'revision':
      return ['practice', 'tags', 'text', 'bands']
    case 'added':
      return [getPointerKind(effect.readBackPointer), 'text']
  }
}

const getPointerKind = (pointer: string): ChangeKind => getMemberKind(pointer.split('/').at(-1) ?? '')

const takeLatest = (writes: readonly RecordedWrite[]): RecordedWrite[] => writes.slice(-MAX_WRITES).reverse()

/** Hosts write ids in either case. */
export function toKey(id: string): string {
  return id.toUpperCase()
}
