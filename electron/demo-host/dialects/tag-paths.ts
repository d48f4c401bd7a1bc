import { each, isMembers, withMember, type Trait } from './trait.ts'

export const tagPathsAsStrings: Trait = {
  name: 'tag-paths',
  what: '`hashtagPaths` of a card holds paths as texts, not objects.',
  on: ['notes.batchGet'],
  out: (value) =>
    withMember(
      value,
      'items',
      each((item) =>
        withMember(
          item,
          'hashtagPaths',
          each((one) => (isMembers(one) ? one['path'] : one)),
        ),
      ),
    ),
}
