import { each, withMember, type Trait } from './trait.ts'
import { isObject } from '../../../shared/json/object.ts'

export const tagPathsAsStrings: Trait = {
  name: 'tag-paths',
  what: 'A card’s `hashtagPaths` holds paths as texts, not objects.',
  on: ['notes.batchGet'],
  out: (value) =>
    withMember(
      value,
      'items',
      each((item) =>
        withMember(
          item,
          'hashtagPaths',
          each((one) => (isObject(one) ? one['path'] : one)),
        ),
      ),
    ),
}
