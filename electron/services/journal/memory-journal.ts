import { AppError } from '../../../shared/errors.ts'
import type { Journal } from './types.ts'

/** Stands in for the journal: records live in memory and end with the program. `reason` tells the user why. */
export function createMemoryJournal(reason: string): Journal {
  let closed = false
  const taken = (): void => {
    if (closed) throw ended()
  }
  return {
    load: () => [],
    events: () => [],
    create: taken,
    append: taken,
    setSeen: () => undefined,
    remove: () => undefined,
    info: () => ({
      kind: 'none',
      reason,
      file: null,
      bytes: 0,
      operations: 0,
      events: 0,
      oldestAt: null,
      setAside: null,
    }),
    close() {
      closed = true
    },
  }
}

/** Nothing may be sent once the program has ended, just as with a closed journal. */
const ended = () =>
  new AppError({ kind: 'refused', code: 'JOURNAL_FAILED', message: 'The program has ended.', retryable: false })
