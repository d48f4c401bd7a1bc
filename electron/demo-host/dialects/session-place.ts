import { isMembers, without, type Trait } from './trait.ts'

export const sessionPlace: Trait = {
  name: 'session-place',
  what: 'The record of the practice session stands under `practice.session` of `GET /writing/context`.',
  on: ['writing.context'],
  out: (value) =>
    isMembers(value) ? { ...(without(value, 'session') as object), practice: { session: value['session'] } } : value,
}
