import { isObject } from '../../../shared/json/object.ts'
import { each, withMember, without, type Trait } from './trait.ts'

const ids: Readonly<Record<string, string>> = {
  note: 'noteid',
  studyset: 'topicid',
  document: 'bookmd5',
  deck: 'deckId',
}

/** What a hit is called says of what its id is. */
function withId(hit: unknown): unknown {
  const name = isObject(hit) ? ids[String(hit['kind'])] : undefined
  if (!isObject(hit) || name === undefined) return hit
  return { id: hit[name], ...Object(without(hit, name)) }
}

export const hitIds: Trait = {
  name: 'hit-ids',
  what: 'Hits of a search say what they are, and their id is called `id`.',
  on: ['search.get'],
  out: (value) => withMember(value, 'hits', each(withId)),
}
