import { each, withMember, type Trait } from './trait.ts'
import { isObject } from '../../../shared/json/object.ts'

/** A part without bytes gets an id like all others. */
const named = (part: unknown): unknown =>
  isObject(part) && part['contentId'] === undefined
    ? { contentId: `text-${String(part['noteid'])}-${String(part['index'])}`, ...part }
    : part

export const partIds: Trait = {
  name: 'part-ids',
  what: 'Titles and texts among a card’s `parts` have a `contentId` too.',
  on: ['notes.batchGet'],
  out: (value) =>
    withMember(
      value,
      'items',
      each((item) => withMember(item, 'parts', each(named))),
    ),
}
