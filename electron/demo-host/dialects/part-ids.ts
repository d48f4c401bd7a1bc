import { each, isMembers, withMember, type Trait } from './trait.ts'

/** A part that has no bytes gets an id like all others. */
const named = (part: unknown): unknown =>
  isMembers(part) && part['contentId'] === undefined
    ? { contentId: `text-${String(part['noteid'])}-${String(part['index'])}`, ...part }
    : part

export const partIds: Trait = {
  name: 'part-ids',
  what: 'Titles and texts among the `parts` of a card have a `contentId` as well.',
  on: ['notes.batchGet'],
  out: (value) =>
    withMember(
      value,
      'items',
      each((item) => withMember(item, 'parts', each(named))),
    ),
}
