// Finds out what an id names from the values that contain it. The store
// `renderer/stores/id-lookup.ts` loads these values. Read sightings.ts first, then this file.

import { idKinds, type IdKind } from '../../../shared/bridge/id-kinds.ts'
import type { NamedObject, NearbyIds, Sighting } from './sightings.ts'

/** A response of the host, the loaded tree, or a record of the journal. */
export interface SightingSource {
  /** `GET /library/study-sets`, or the name of the record. */
  readonly label: string
  /** Endpoint id of the response; null for other sources. */
  readonly endpoint: string | null
  readonly recordId: string | null
  /** Epoch milliseconds. */
  readonly timestamp: number
  /** Base URL of the host of a journal record; null for data of the connected host. */
  readonly host: string | null
}

export interface SourcedSighting extends Sighting {
  readonly source: SightingSource
}

/** An object that the id names. An id can name several objects. */
export interface IdMeaning {
  readonly kind: IdKind
  /** The id in the host's spelling. */
  readonly id: string
  /** Empty if no source contains a title. */
  readonly title: string
  /** Route of the page that shows the object; null if there is none. */
  readonly path: string | null
}

/** An object that refers to the id. */
export interface IdReference {
  readonly referrer: NamedObject
  readonly memberName: string
  readonly source: SightingSource
}

export interface IdResolution {
  readonly meanings: readonly IdMeaning[]
  readonly references: readonly IdReference[]
}

/** An excerpt's id is also a card's. That card is listed only if a response contained it. */
const coveredKinds: Partial<Record<IdKind, IdKind>> = { excerpt: 'card' }

export function resolveId(sightings: readonly SourcedSighting[]): IdResolution {
  const kinds = new Set(sightings.flatMap(({ kind }) => kind ?? []))
  for (const [kind, covered] of Object.entries(coveredKinds)) {
    const isNamed = sightings.some((sighting) => sighting.kind === covered && sighting.namedObject !== null)
    if (kinds.has(kind as IdKind) && !isNamed) kinds.delete(covered)
  }
  const meanings = idKinds.filter((kind) => kinds.has(kind)).map((kind) => toMeaning(kind, sightings))
  const references = new Map<string, IdReference>()
  for (const { referrer, memberName, source } of sightings) {
    const key = referrer && `${referrer.kind ?? ''} ${referrer.id} ${memberName}`
    if (referrer && key !== null && !references.has(key)) references.set(key, { referrer, memberName, source })
  }
  return { meanings, references: [...references.values()] }
}

function toMeaning(kind: IdKind, sightings: readonly SourcedSighting[]): IdMeaning {
  const ofKind = sightings.filter((sighting) => sighting.kind === kind)
  // A value that names the object is better evidence than a reference; a title is best.
  const best =
    ofKind.find(({ namedObject: names }) => names?.title) ??
    ofKind.find(({ namedObject: names }) => names !== null) ??
    ofKind[0]
  const id = best?.id ?? ''
  const nearbyIds = ofKind.reduce<NearbyIds>(
    (merged, sighting) => ({ ...sighting.nearbyIds, ...merged }),
    best?.nearbyIds ?? {},
  )
  const recordId = ofKind.find(({ source }) => source.recordId !== null)?.source.recordId ?? null
  return { kind, id, title: best?.namedObject?.title ?? '', path: buildPath(kind, id, nearbyIds, recordId) }
}

/** Returns null if no page shows the object, or if the id of the object around it is unknown. */
function buildPath(kind: IdKind, id: string, nearbyIds: NearbyIds, recordId: string | null): string | null {
  const encodedId = encodeURIComponent(id)
  const getNearbyId = (nearbyKind: IdKind): string | null => {
    const value = nearbyIds[nearbyKind]
    return value === undefined ? null : encodeURIComponent(value)
  }
  switch (kind) {
    case 'card':
      return `/notes/${encodedId}${getNearbyId('studySet') === null ? '' : `?topicid=${getNearbyId('studySet') ?? ''}`}`
    case 'excerpt':
      if (getNearbyId('document') === null) return null
      return `/documents/${getNearbyId('document') ?? ''}/excerpts${getNearbyId('card') === null ? '' : `?note=${getNearbyId('card') ?? ''}`}`
    case 'studySet':
      return `/study-sets/${encodedId}/tree`
    case 'document':
      return `/documents/${encodedId}/excerpts`
    case 'deck':
      return `/decks/${encodedId}`
    case 'content':
      return getNearbyId('card') === null
        ? null
        : `/notes/${getNearbyId('card') ?? ''}?tab=content&content=${encodedId}`
    case 'bundle':
      return `/bundles/${encodedId}`
    case 'request':
    case 'run':
    case 'attempt':
      return recordId === null ? null : `/operations/${encodeURIComponent(recordId)}`
    case 'snapshot':
      return getNearbyId('studySet') === null
        ? null
        : `/study-sets/${getNearbyId('studySet') ?? ''}/documents?view=snapshots`
    case 'record':
      return `/operations/${encodedId}`
  }
}
