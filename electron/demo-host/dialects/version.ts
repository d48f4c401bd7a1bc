import { withMember, type Trait } from './trait.ts'

export const version049: Trait = {
  name: 'version-0.49',
  what: '`bridgeApiVersion` is "0.49".',
  on: null,
  out: (value) => withMember(value, 'bridgeApiVersion', () => '0.49'),
}
