import { idKinds, type IdKind } from '../../../shared/bridge/id-kinds.ts'
import type { NamedObject, NearbyIds, Sighting } from './sightings.ts'

/** Where a sighting was: an answer of the host, the loaded tree, or a record of the journal. */
export interface SightingSource {
  /** `GET /library/study-sets`, or the name of the record. */
  readonly label: string
  /** Id of the endpoint's row; null = not an answer. */
  readonly endpoint: string | null
  /** The record of the journal that it stands in. */
  readonly recordId: string | null
  /** Epoch milliseconds. */
  readonly timestamp: number
}

/** A sighting with its source. */
export interface SourcedSighting extends Sighting {
  readonly source: SightingSource
}

/** One thing that the id names. */
export interface IdMeaning {
  readonly kind: IdKind
  /** The id as the host writes it. */
  readonly id: string
  /** Empty if none of the sources has it. */
  readonly title: string
  /** Hash route of the place that shows it; null if there is none. */
  readonly path: string | null
}

/** What refers to the id, once for each object that does. */
export interface IdReference {
  readonly referrer: NamedObject
  /** The member that holds the id. */
  readonly memberName: string
  readonly source: SightingSource
}

export interface IdResolution {
  readonly meanings: readonly IdMeaning[]
  readonly references: readonly IdReference[]
}

/** The excerpt record is a note of the document's notebook, so a card of that id says nothing new. */
const covers: Partial<Record<IdKind, IdKind>> = { excerpt: 'card' }

/** What an id names, and what refers to it, by everything that was seen of it. */
export function resolveId(seen: readonly SourcedSighting[]): IdResolution {
  const kinds = new Set(seen.flatMap(({ kind }) => kind ?? []))
  for (const [kind, covered] of Object.entries(covers)) {
    const is = seen.some((one) => one.kind === covered && one.namedObject !== null)
    if (kinds.has(kind as IdKind) && !is) kinds.delete(covered)
  }
  const meanings = idKinds.filter((kind) => kinds.has(kind)).map((kind) => meaningOf(kind, seen))
  const references = new Map<string, IdReference>()
  for (const { referrer: by, memberName: name, source } of seen) {
    const key = by && `${by.kind ?? ''} ${by.id} ${name}`
    if (by && key !== null && !references.has(key)) references.set(key, { referrer: by, memberName: name, source })
  }
  return { meanings, references: [...references.values()] }
}

function meaningOf(kind: IdKind, seen: readonly SourcedSighting[]): IdMeaning {
  const all = seen.filter((one) => one.kind === kind)
  // What names it says more than what only refers to it, and of those the one with a title most.
  const best =
    all.find(({ namedObject: names }) => names?.title) ?? all.find(({ namedObject: names }) => names !== null) ?? all[0]
  const id = best?.id ?? ''
  const near = all.reduce<NearbyIds>((known, one) => ({ ...one.nearbyIds, ...known }), best?.nearbyIds ?? {})
  const record = all.find(({ source }) => source.recordId !== null)?.source.recordId ?? null
  return { kind, id, title: best?.namedObject?.title ?? '', path: pathOf(kind, id, near, record) }
}

/** The place that shows a thing; null if there is none, or if what it is part of is not known. */
function pathOf(kind: IdKind, id: string, near: NearbyIds, record: string | null): string | null {
  const at = encodeURIComponent(id)
  const of = (other: IdKind): string | null => {
    const value = near[other]
    return value === undefined ? null : encodeURIComponent(value)
  }
  switch (kind) {
    case 'card':
      return `/notes/${at}${of('studySet') === null ? '' : `?topicid=${of('studySet') ?? ''}`}`
    case 'excerpt':
      if (of('document') === null) return null
      return `/documents/${of('document') ?? ''}/excerpts${of('card') === null ? '' : `?note=${of('card') ?? ''}`}`
    case 'studySet':
      return `/study-sets/${at}/tree`
    case 'document':
      return `/documents/${at}/excerpts`
    case 'deck':
      return `/decks/${at}`
    case 'content':
      return of('card') === null ? null : `/notes/${of('card') ?? ''}?tab=content&content=${at}`
    case 'bundle':
      return `/bundles/${at}`
    case 'request':
    case 'run':
    case 'attempt':
      return record === null ? null : `/operations/${encodeURIComponent(record)}`
    case 'snapshot':
      return of('studySet') === null ? null : `/study-sets/${of('studySet') ?? ''}/documents?view=snapshots`
    case 'record':
      return `/operations/${at}`
  }
}
