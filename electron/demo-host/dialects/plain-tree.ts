import { without, type Trait } from './trait.ts'

export const plainTree: Trait = {
  name: 'plain-tree',
  what: 'A page of the card listing has `nodes` and, if another one follows, `nextCursor`, but no counts.',
  on: ['studySets.tree'],
  out(value) {
    const page = without(value, 'nodeTotal', 'truncation', 'truncated', 'walkLimitReached')
    return typeof page === 'object' && page !== null && Reflect.get(page, 'nextCursor') === null
      ? without(page, 'nextCursor')
      : page
  },
}
