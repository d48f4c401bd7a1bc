import { onTestFinished } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import type { Sqlite } from '../../../electron/services/journal/database.ts'
import { openJournal } from '../../../electron/services/journal/journal.ts'
import type { Journal, StoredOperation } from '../../../electron/services/journal/types.ts'
import type { Notices } from '../../../electron/services/notices.ts'
import { createServiceEnvironment, listNoticeCodes } from './service-environment.ts'

export interface OpenJournal {
  readonly journal: Journal
  readonly close: () => void
  readonly listNotices: Notices['list']
  /** Codes of the notices raised by opening it. */
  readonly listNoticeCodes: () => string[]
}

/** The journal of a data directory, as the program opens it at startup. */
export function openTestJournal(
  dataDir: string,
  more: { sqlite?: Sqlite | null; conceal?: (text: string) => string } = {},
) {
  const around = createServiceEnvironment()
  const journal = openJournal({ dataDir, notices: around.notices, log: around.log, ...more })
  let closed = false
  const close = (): void => {
    if (!closed) journal.close()
    closed = true
  }
  onTestFinished(close)
  return { journal, close, listNotices: around.notices.list, listNoticeCodes: () => listNoticeCodes(around) }
}

export const createStoredOperation = (id: string, more: Partial<StoredOperation> = {}): StoredOperation => ({
  id,
  endpoint: 'notes.title',
  source: 'sent',
  profileId: 'p',
  profileName: 'P',
  host: 'http://127.0.0.1:1',
  method: 'POST',
  path: '/notes/N/title',
  body: '{"title":"T","confirm":true}',
  createdAt: 5,
  requestId: null,
  topicid: null,
  noteid: 'N',
  instanceNonce: null,
  caller: null,
  ...more,
})

export const intentEvent = { kind: 'intent', at: 1 } as const
export const sentEvent = { kind: 'sent', at: 2 } as const

/** A journal on a disk that is full while `disk.full` is set. */
export function createFillableJournal(journal: Journal): { journal: Journal; disk: { full: boolean } } {
  const disk = { full: false }
  const unlessFull = <A extends unknown[]>(write: (...args: A) => void) => {
    return (...args: A): void => {
      if (disk.full) throw new AppError({ kind: 'refused', code: 'JOURNAL_FAILED', message: 'full', retryable: true })
      write(...args)
    }
  }
  return {
    disk,
    journal: {
      ...journal,
      create: unlessFull(journal.create),
      append: unlessFull(journal.append),
      setSeen: unlessFull(journal.setSeen),
      remove: unlessFull(journal.remove),
    },
  }
}
