import { isObject } from '../../../shared/json/object.ts'
import { without, type Trait } from './trait.ts'

export const plainTree: Trait = {
  name: 'plain-tree',
  what: 'A page of the card listing has `nodes` and, if another one follows, `nextCursor`, but no counts.',
  on: ['studySets.tree'],
  out(value) {
    const page = without(value, 'nodeTotal', 'truncation', 'truncated', 'walkLimitReached')
    return isObject(page) && page['nextCursor'] === null ? without(page, 'nextCursor') : page
  },
}
