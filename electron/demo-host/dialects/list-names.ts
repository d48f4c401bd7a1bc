import { renamed, type Trait } from './trait.ts'

const names: Readonly<Record<string, string>> = {
  studySets: 'items',
  decks: 'items',
  documents: 'items',
  snapshots: 'items',
  notebooks: 'items',
  bundles: 'items',
  cards: 'items',
  hits: 'results',
}

export const listNames: Trait = {
  name: 'list-names',
  what: 'Lists whose names are not documented are under `items` (search hits under `results`).',
  on: [
    'studySets.list',
    'studySets.documents',
    'studySets.snapshots',
    'studySets.notebooks',
    'decks.list',
    'decks.cards',
    'bundles.list',
    'search.get',
  ],
  out: (value) => renamed(value, names),
}
