import type { Trait } from './trait.ts'

export const requiredPrefix: Trait = {
  name: 'required-prefix',
  what: '`expectedPrefix` is required wherever it is prescribed.',
  on: [],
  out: (value) => value,
  requires: {
    'notes.title': ['expectedPrefix'],
    'notes.text': ['expectedPrefix'],
    'notes.comment': ['expectedPrefix'],
    'notes.deleteComment': ['expectedPrefix'],
  },
}
