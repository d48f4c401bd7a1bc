import { onTestFinished } from 'vitest'
import type { Sqlite } from '../../electron/services/journal/database.ts'
import { openJournal } from '../../electron/services/journal/sqlite.ts'
import type { Journal, StoredOperation } from '../../electron/services/journal/types.ts'
import { surroundings, noticeCodes } from './services.ts'

export interface OpenedJournal {
  readonly journal: Journal
  readonly close: () => void
  /** Codes of the notices that opening it gave. */
  readonly codes: () => string[]
}

/** The journal of a data directory, as the program opens it at a start. */
export function journalIn(dataDir: string, more: { sqlite?: Sqlite | null; conceal?: (text: string) => string } = {}) {
  const around = surroundings()
  const journal = openJournal({ dataDir, notices: around.notices, log: around.log, ...more })
  let closed = false
  const close = (): void => {
    if (!closed) journal.close()
    closed = true
  }
  onTestFinished(close)
  return { journal, close, codes: () => noticeCodes(around) }
}

export const storedOperation = (id: string, more: Partial<StoredOperation> = {}): StoredOperation => ({
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
  ...more,
})

export const intentEvent = { kind: 'intent', at: 1 } as const
export const sentEvent = { kind: 'sent', at: 2 } as const
