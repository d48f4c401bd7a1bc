import { AppError } from '../../../shared/errors.ts'
import type { Journal } from './types.ts'

/** No journal: records live in memory and end with the program. `reason` says why, for the person. */
export function noJournal(reason: string): Journal {
  let closed = false
  const taken = (): void => {
    if (closed) throw ended()
  }
  return {
    load: () => [],
    events: () => [],
    create: taken,
    append: taken,
    seen: () => undefined,
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

/** Nothing may leave after the end of the program, as with a journal that is closed. */
const ended = () =>
  new AppError({ kind: 'refused', code: 'JOURNAL_FAILED', message: 'The program has ended.', retryable: false })
