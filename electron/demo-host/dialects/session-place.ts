import { without, type Trait } from './trait.ts'
import { isObject } from '../../../shared/json/object.ts'

export const sessionPlace: Trait = {
  name: 'session-place',
  what: 'The record of the practice session is under `practice.session` of `GET /writing/context`.',
  on: ['writing.context'],
  out: (value) =>
    isObject(value) ? { ...(without(value, 'session') as object), practice: { session: value['session'] } } : value,
}
