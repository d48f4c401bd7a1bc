import type { Journal } from './types.ts'

/** No journal: records live in memory and end with the program. `reason` says why, for the person. */
export function noJournal(reason: string): Journal {
  return {
    load: () => [],
    events: () => [],
    create: () => undefined,
    append: () => undefined,
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
    close: () => undefined,
  }
}
