import { isObject } from '../../../shared/json/object.ts'
import { without, type Trait } from './trait.ts'

/** Names of the groups, by the kind of the hits in each. */
const groups = { studyset: 'studySets', document: 'documents', note: 'notes' } as const

/** Whether a hit is of this kind; a list that holds any other stays as it is. */
const isOf = (hit: unknown, kind: string): boolean => isObject(hit) && hit['kind'] === kind

export const hitGroups: Trait = {
  name: 'hit-groups',
  what: 'A search returns a list of study sets, one of documents and one of notes.',
  on: ['search.get'],
  out(value) {
    const hits: unknown = isObject(value) ? value['hits'] : undefined
    if (!isObject(value) || !Array.isArray(hits)) return value
    const kinds = Object.entries(groups)
    if (!hits.every((hit) => kinds.some(([kind]) => isOf(hit, kind)))) return value
    const lists = kinds.map(([kind, name]) => [
      name,
      hits.filter((hit) => isOf(hit, kind)).map((hit) => without(hit, 'kind')),
    ])
    return { ...Object(without(value, 'hits')), ...Object.fromEntries(lists) }
  },
}
