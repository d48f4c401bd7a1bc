/**
 * Dialects of the demo host: ways in which hosts may differ where the spec leaves room. Faults,
 * which break the spec, are in `../faults.ts`. Read `dialect-trait.ts` first; the traits are in
 * `loose-traits.ts` and `strict-traits.ts`.
 */
import { lookUpByEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import type { DemoReply } from '../state/reply.ts'
import * as loose from './loose-traits.ts'
import * as strict from './strict-traits.ts'
import { type DialectTrait, omitMembers } from './dialect-trait.ts'
import { isObject } from '../../../shared/json/object.ts'

const foundHitsTrait: DialectTrait = {
  name: 'found-hits',
  description: 'A search returns its lists of study sets, documents and notes inside `found`.',
  endpointIds: ['search.get'],
  transform(value, endpointId) {
    const groups = strict.hitGroupsTrait.transform(value, endpointId)
    if (groups === value || !isObject(groups)) return value
    const { studySets, documents, notes, ...others } = groups
    return { ...others, found: { studySets, documents, notes } }
  },
}

const listsById: Readonly<Record<string, readonly [list: string, idName: string]>> = {
  'studySets.list': ['studySets', 'topicid'],
  'studySets.documents': ['documents', 'bookmd5'],
  'decks.list': ['decks', 'deckId'],
  'bundles.list': ['bundles', 'bundleId'],
}

const listsByIdTrait: DialectTrait = {
  name: 'lists-by-id',
  description: 'Lists of the library are objects: each entry is a member whose name is its id.',
  endpointIds: ['studySets.list', 'studySets.documents', 'decks.list', 'bundles.list'],
  transform(value, endpointId) {
    const [list = '', idName = ''] = (Object.hasOwn(listsById, endpointId) && listsById[endpointId]) || []
    const entries: unknown = isObject(value) ? value[list] : undefined
    if (!isObject(value) || !Array.isArray(entries)) return value
    const members = entries.flatMap((entry: unknown) =>
      isObject(entry) && typeof entry[idName] === 'string'
        ? [[entry[idName], omitMembers(entry, idName)] as const]
        : [],
    )
    return members.length < entries.length ? value : { ...value, [list]: Object.fromEntries(members) }
  },
}

/** The traits of each dialect, in the order in which they are applied. */
export const dialectTraits = {
  '0.91': [],
  '0.49': [
    strict.version049Trait,
    strict.persistedMemberTrait,
    strict.plainTreeTrait,
    strict.partIdsTrait,
    strict.nestedOutlineTrait,
    strict.hitGroupsTrait,
    strict.noPanelListTrait,
  ],
  strict: [strict.requiredPrefixTrait, strict.namedMembersTrait, strict.pagePartPathsTrait, strict.noPanelListTrait],
  loose: [
    loose.contextIdsTrait,
    loose.timesInSecondsTrait,
    loose.tagPathsAsStringsTrait,
    loose.listingPathTrait,
    loose.outlinePageTrait,
    loose.pageIndexTrait,
    loose.surfaceListTrait,
    loose.sessionLocationTrait,
    strict.persistedMemberTrait,
    loose.countsAsTextsTrait,
    loose.hitIdsTrait,
    loose.mainDocumentTrait,
    loose.bundleListingTrait,
    loose.listNamesTrait,
    strict.partIdsTrait,
    loose.retryLocationTrait,
  ],
  open: [foundHitsTrait, listsByIdTrait],
} as const satisfies Readonly<Record<string, readonly DialectTrait[]>>
export type DialectName = keyof typeof dialectTraits

export function isDialectName(name: string): name is DialectName {
  return Object.hasOwn(dialectTraits, name)
}

export interface Dialect {
  readonly transformReply: (reply: DemoReply, endpointId: string) => DemoReply
  /** The path in the endpoint table; null for one of the table that this dialect does not serve. */
  readonly toTablePath: (path: string) => string | null
  /** The members that a body must have in addition to those that its schema requires. */
  readonly getRequiredMembers: (endpointId: string) => readonly string[]
}

const createPathPattern = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`)

export function createDialect(name: DialectName, getRowPath: (endpointId: string) => string): Dialect {
  const traits: readonly DialectTrait[] = dialectTraits[name]
  const movedPaths = traits.flatMap(({ paths = {} }) =>
    Object.entries(paths).map(([id, path]) => ({
      from: createPathPattern(path),
      own: createPathPattern(getRowPath(id)),
      to: getRowPath(id),
    })),
  )
  return {
    transformReply(reply, endpointId) {
      const ownTraits = traits.filter(({ endpointIds: ids }) => ids === null || ids.some((id) => id === endpointId))
      if (reply.kind !== 'json' || ownTraits.length === 0) return reply
      const value = ownTraits.reduce<unknown>(
        (current, { transform }) => transform(current, endpointId),
        JSON.parse(reply.text),
      )
      return { ...reply, text: JSON.stringify(value) }
    },
    toTablePath(path) {
      for (const { from, own, to } of movedPaths) {
        const match = from.exec(path)
        let group = 0
        if (match) return to.replace(/\{\w+\}/g, () => match[(group += 1)] ?? '')
        if (own.test(path)) return null
      }
      return path
    },
    getRequiredMembers: (endpointId) =>
      traits.flatMap(({ requiredMembers = {} }) => lookUpByEndpoint(requiredMembers, endpointId) ?? []),
  }
}
