import { without, type Trait } from './trait.ts'

/** Routes of which 0.49 documents `persisted`; spec-0.91 shows it of a verdict and of session commands. */
const documented = new Set([
  'notes.hashtags',
  'notes.metadata',
  'notes.copy',
  'notes.imageOcclusions',
  'notes.practiceVerdict',
  'writing.sessionFocusBegin',
  'writing.sessionReserve',
  'writing.sessionPause',
])

export const persistedWhereDocumented: Trait = {
  name: 'persisted',
  what: 'Only the writes of which it is documented answer `persisted`; others say what they say.',
  on: null,
  out: (value, endpointId) => (documented.has(endpointId) ? value : without(value, 'persisted')),
}
