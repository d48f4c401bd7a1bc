import { AppError } from '../../../shared/errors.ts'
import type { Journal } from './types.ts'

/** Lost when the program ends; `reason` tells the user why nothing is stored. */
export function createMemoryJournal(reason: string): Journal {
  let isClosed = false
  const assertOpen = (): void => {
    if (isClosed) throw createEndedError()
  }
  return {
    load: () => [],
    events: () => [],
    create: assertOpen,
    append: assertOpen,
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
      isClosed = true
    },
  }
}

/** Nothing may be sent once the program has ended, just as with a closed journal. */
const createEndedError = () =>
  new AppError({ kind: 'refused', code: 'JOURNAL_FAILED', message: 'The program has ended.', retryable: false })
