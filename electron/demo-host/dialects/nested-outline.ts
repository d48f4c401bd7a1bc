import { isObject } from '../../../shared/json/object.ts'
import { withMember, without, type Trait } from './trait.ts'

/** Each segment with those behind it that stand deeper; the level is told by where it stands. */
function nested(list: unknown): unknown {
  if (!Array.isArray(list)) return list
  const tops: unknown[] = []
  const open: { level: number; children: unknown[] }[] = []
  for (const one of list as unknown[]) {
    const level = isObject(one) && typeof one['level'] === 'number' ? one['level'] : 0
    const children: unknown[] = []
    while ((open.at(-1)?.level ?? -1) >= level) open.pop()
    ;(open.at(-1)?.children ?? tops).push(isObject(one) ? { ...Object(without(one, 'level')), children } : one)
    open.push({ level, children })
  }
  return tops
}

export const nestedOutline: Trait = {
  name: 'nested-outline',
  what: 'Segments of an outline hold those below them in `children`, and no level.',
  on: ['documents.outline'],
  out: (value) => withMember(value, 'segments', nested),
}
