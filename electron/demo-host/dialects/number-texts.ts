import { everywhere, type Trait } from './trait.ts'

const counts = new Set(['noteCount', 'documentCount', 'cardCount', 'excerptCount', 'directCardCount'])

export const countsAsTexts: Trait = {
  name: 'number-texts',
  what: 'Counts in lists are texts.',
  on: ['studySets.list', 'studySets.documents', 'studySets.hashtags', 'studySets.subMaps', 'decks.list'],
  out: (value) =>
    everywhere(value, (name, member) => (counts.has(name) && typeof member === 'number' ? String(member) : member)),
}
