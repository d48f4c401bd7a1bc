import type { EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { without, type Trait } from './trait.ts'

/** Routes for which 0.49 documents `persisted`; spec-0.91 shows it for a verdict and for session commands. */
const documented: readonly EndpointId[] = [
  'notes.hashtags',
  'notes.metadata',
  'notes.copy',
  'notes.imageOcclusions',
  'notes.practiceVerdict',
  'writing.sessionFocusBegin',
  'writing.sessionReserve',
  'writing.sessionPause',
]

export const persistedWhereDocumented: Trait = {
  name: 'persisted',
  what: 'Only the writes that document `persisted` return it; the others return what they document.',
  on: null,
  out: (value, endpointId) => (documented.some((id) => id === endpointId) ? value : without(value, 'persisted')),
}
