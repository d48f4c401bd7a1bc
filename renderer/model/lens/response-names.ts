import type { DataChange } from '../../../shared/bridge/data-change.ts'
import type { IdKind } from '../../../shared/bridge/id-kinds.ts'
import type { JsonEndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { toVisibleName } from '../../../shared/format/invisible-characters.ts'
import { getMember, toNonEmptyText } from '../../../shared/json/object.ts'

/** The kinds of objects that have a name of their own and whose name the host can be asked for. */
export const nameableKinds = ['card', 'studySet', 'deck', 'document'] as const
export type NameableKind = (typeof nameableKinds)[number]

export function toNameableKind(kind: IdKind | null): NameableKind | null {
  return nameableKinds.find((nameable) => nameable === kind) ?? null
}

export interface KnownName {
  readonly id: string
  readonly kind: NameableKind
  readonly name: string
}

interface NamedList {
  /** Null if the response itself is the named object. */
  readonly list: string | null
  readonly kind: NameableKind
  /** The member that holds the id of the named object. */
  readonly idMember: string
}

/** Responses whose entries are described together with their titles. */
const namedLists: Partial<Record<JsonEndpointId, NamedList>> = {
  'notes.batchGet': { list: 'items', kind: 'card', idMember: 'noteid' },
  'studySets.subMaps': { list: 'subMaps', kind: 'card', idMember: 'noteid' },
  'decks.cards': { list: 'cards', kind: 'card', idMember: 'cardNoteId' },
  'studySets.list': { list: 'studySets', kind: 'studySet', idMember: 'topicid' },
  'decks.list': { list: 'decks', kind: 'deck', idMember: 'deckId' },
  'studySets.documents': { list: 'documents', kind: 'document', idMember: 'bookmd5' },
  'documents.excerpts': { list: null, kind: 'document', idMember: 'bookmd5' },
}

const MAX_NAME_CHARS = 120

/** Returns the name in a form that is safe to show on one line; null if there is no name. */
export function toName(title: unknown): string | null {
  return toVisibleName((toNonEmptyText(title) ?? '').slice(0, 4 * MAX_NAME_CHARS), MAX_NAME_CHARS) || null
}

export function collectNames(endpoint: string, value: unknown): readonly KnownName[] {
  const layout = Object.hasOwn(namedLists, endpoint) ? namedLists[endpoint as JsonEndpointId] : undefined
  if (layout === undefined) return []
  const entries = layout.list === null ? [value] : getMember(value, layout.list)
  return (Array.isArray(entries) ? (entries as unknown[]) : []).flatMap((entry) => {
    const id = toNonEmptyText(getMember(entry, layout.idMember))
    const name = toName(getMember(entry, 'title'))
    return id === null || name === null ? [] : [{ id, kind: layout.kind, name }]
  })
}

const changedIdsOfKind: Record<NameableKind, 'cards' | 'sets' | 'documents'> = {
  card: 'cards',
  studySet: 'sets',
  deck: 'sets',
  document: 'documents',
}
const dataKindsOfNames: Record<NameableKind, 'cards' | 'studySets' | 'decks' | 'documents'> = {
  card: 'cards',
  studySet: 'studySets',
  deck: 'decks',
  document: 'documents',
}

/** A request that names cards changes a study set's counts and dates, not its title. */
export function mayRename({ matters, ids }: DataChange, id: string, kind: NameableKind): boolean {
  if (matters !== null && !matters.includes(dataKindsOfNames[kind])) return false
  if (kind !== 'card' && ids.cards.length > 0) return false
  const changedIds = ids[changedIdsOfKind[kind]]
  return changedIds.length === 0 || changedIds.some((changedId) => changedId.toUpperCase() === id.toUpperCase())
}
