import { isObject } from '../../../shared/json/object.ts'
import { omitMembers, type DialectTrait } from './dialect-trait.ts'
import { hitGroupsTrait } from './strict-traits.ts'

export const foundHitsTrait: DialectTrait = {
  name: 'found-hits',
  description: 'A search returns its lists of study sets, documents and notes inside `found`.',
  endpointIds: ['search.get'],
  transform(value, endpointId) {
    const groups = hitGroupsTrait.transform(value, endpointId)
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

export const listsByIdTrait: DialectTrait = {
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
