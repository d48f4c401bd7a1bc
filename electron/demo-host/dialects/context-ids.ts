import { each, withMember, type Trait } from './trait.ts'
import { isObject } from '../../../shared/json/object.ts'

const idIn = (name: string) => (one: unknown) => (isObject(one) ? (one[name] ?? null) : one)

export const contextIds: Trait = {
  name: 'context-ids',
  what: 'The selected cards, the card in focus and the documents of `GET /context` are ids, not objects.',
  on: ['context.get'],
  out(value) {
    const cards = withMember(value, 'selectedNotes', each(idIn('noteid')))
    return withMember(withMember(cards, 'focusedNote', idIn('noteid')), 'documents', each(idIn('bookmd5')))
  },
}
