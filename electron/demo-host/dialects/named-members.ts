import { each, withMember, without, type Trait } from './trait.ts'

export const namedMembers: Trait = {
  name: 'named-members',
  what: 'The library’s lists have only the members that the documents name.',
  on: ['studySets.list', 'studySets.documents', 'studySets.snapshots', 'decks.cards'],
  out(value, endpointId) {
    switch (endpointId) {
      case 'studySets.list':
        return withMember(
          value,
          'studySets',
          each((one) => without(one, 'documentCount')),
        )
      case 'studySets.documents':
        return withMember(
          value,
          'documents',
          each((one) => without(one, 'pageCount', 'excerptCount')),
        )
      case 'studySets.snapshots':
        return withMember(
          value,
          'snapshots',
          each((one) => without(one, 'noteCount')),
        )
      default:
        return without(value, 'deckId')
    }
  },
}
