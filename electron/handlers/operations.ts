import type { Journal } from '../services/journal/types.ts'
import type { Operations } from '../services/operations/operations.ts'
import type { Records } from '../services/operations/records.ts'
import type { Tracker } from '../services/operations/tracker.ts'
import type { WriteLock } from '../services/operations/lock.ts'
import type { Handlers } from './types.ts'

export interface OperationServices {
  readonly operations: Operations
  readonly records: Records
  readonly tracker: Tracker
  readonly lock: WriteLock
  readonly journal: Journal
}

type Own = Pick<Handlers, Extract<keyof Handlers, `operations.${string}` | `journal.${string}`>>

/** Operations: each method to one call of a service. */
export function operationHandlers({ operations, records, tracker, lock, journal }: OperationServices): Own {
  return {
    'operations.prepare': (draft) => operations.prepare(draft),
    'operations.preview': ({ ticket }) => operations.preview(ticket),
    'operations.send': ({ ticket }) => operations.send(ticket),
    'operations.list': (filter) => records.list(filter),
    'operations.get': ({ id }) => records.detail(records.get(id)),
    'operations.seen': ({ id }) => {
      records.seen(id)
      return {}
    },
    'operations.watch': ({ requestId }) => operations.watch(requestId),
    'operations.look': async ({ id }, { signal }) => {
      const record = records.get(id)
      await tracker.look(record, signal)
      return records.detail(record)
    },
    'operations.stop': ({ id }) => {
      const record = records.get(id)
      if (record.open) records.append(record, { kind: 'given-up', at: Date.now(), by: 'person' })
      tracker.stop(record, 'stopped')
      return records.detail(record)
    },
    'operations.resume': ({ id }) => {
      const record = records.get(id)
      if (record.derived.state === 'given-up') records.append(record, { kind: 'resumed', at: Date.now() })
      tracker.watch(record)
      return records.detail(record)
    },
    'operations.readBack': async ({ id }) => {
      const record = records.get(id)
      await operations.readAgain(record)
      return records.detail(record)
    },
    'operations.readBackAll': async () => {
      let read = 0
      let failed = 0
      for (const record of [...records.all].filter((one) => records.summary(one).beforeRestart)) {
        if (await operations.readAgain(record)) read += 1
        else failed += 1
      }
      return { read, failed }
    },
    'operations.writing': ({ profileId }) => lock.of(profileId),
    'operations.unlock': ({ profileId, scope }) => lock.set(profileId, scope),
    'journal.info': () => journal.info(),
    'journal.clear': ({ before }) => ({ removed: records.clear(before) }),
  }
}
