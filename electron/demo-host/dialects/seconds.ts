import { everywhere, type Trait } from './trait.ts'

const times = new Set(['lastModifiedAt', 'createdAt', 'capturedAt', 'at', 'snapshotCreatedAt'])

function seconds(value: unknown): unknown {
  const at = typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN
  return Number.isNaN(at) ? value : Math.floor(at / 1000)
}

export const timesInSeconds: Trait = {
  name: 'seconds',
  what: 'Times are numbers: seconds since 1970.',
  on: [
    'studySets.list',
    'studySets.snapshots',
    'decks.list',
    'bundles.list',
    'context.get',
    'notes.batchGet',
    'notes.practiceVerdict',
    'sync.events',
  ],
  out: (value) => everywhere(value, (name, member) => (times.has(name) ? seconds(member) : member)),
}
