import { existsSync, readdirSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { describeError, type Log } from '../files/log.ts'
import { closeQuietly, copyDatabase, type Database, type Sqlite } from './database.ts'
import { loadJournal, type LoadedJournal } from './loaded-journal.ts'

/** What happened since the copy was made is lost if the journal breaks. */
const MAX_BACKUP_AGE_MS = 3_600_000
const MAX_RECORDS_AFTER_BACKUP = 100

const INTACT_SUFFIX = '.intact-'

/** The copy that is used when the journal breaks. */
export interface Backup {
  /** Must be called after each change. The copy is made later, so that nothing waits for it. */
  scheduleRenewal(newRecordCount: number): void
  stop(): void
}

export function createBackup(
  sqlite: Sqlite,
  database: Database,
  file: string,
  loaded: LoadedJournal,
  log: Log,
): Backup {
  const copy = `${file}.bak`
  let copiedAt = statSync(copy, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const newestCopiedAt = readNewestRecordTime(sqlite, copy)
  let newRecordCount = loaded.records.filter(({ createdAt }) => createdAt > newestCopiedAt).length
  let timer: NodeJS.Timeout | null = null

  function renew(): void {
    timer = null
    // A copy that fails is tried again no sooner than a new one would be due.
    copiedAt = Date.now()
    newRecordCount = 0
    try {
      copyDatabase(database, copy)
    } catch (error) {
      log.warn('the journal could not be copied', { reason: describeError(error) })
    }
  }

  const isDue = (): boolean => newRecordCount >= MAX_RECORDS_AFTER_BACKUP || Date.now() - copiedAt >= MAX_BACKUP_AGE_MS
  if (loaded.records.length > 0 && isDue()) renew()
  return {
    scheduleRenewal(addedCount) {
      newRecordCount += addedCount
      const isFull = newRecordCount >= MAX_RECORDS_AFTER_BACKUP
      if (timer && !isFull) return
      if (timer) clearTimeout(timer)
      timer = setTimeout(renew, isFull ? 0 : Math.max(0, copiedAt + MAX_BACKUP_AGE_MS - Date.now())).unref()
    },
    stop() {
      if (timer) clearTimeout(timer)
    },
  }
}

/** Epoch milliseconds; 0 if there is no copy, or it cannot be read. */
function readNewestRecordTime(sqlite: Sqlite, copy: string): number {
  if (!existsSync(copy)) return 0
  try {
    const database = new sqlite.DatabaseSync(copy, { readOnly: true })
    try {
      return Number(database.prepare('SELECT max(created_at) AS newest FROM operations').get()?.['newest'] ?? 0)
    } finally {
      closeQuietly(database)
    }
  } catch {
    return 0
  }
}

/** Keeps it apart, because the journal's next copy has the damage. Returns the last one's name. */
export function keepIntactCopy(sqlite: Sqlite, file: string, { unreadable }: LoadedJournal): string | null {
  const copy = `${file}.bak`
  const countRows = ({ operations, events }: LoadedJournal['unreadable']): number => operations + events
  if (existsSync(copy)) {
    try {
      const database = new sqlite.DatabaseSync(copy, { readOnly: true })
      try {
        if (countRows(loadJournal(database).unreadable) < countRows(unreadable))
          renameSync(copy, `${file}${INTACT_SUFFIX}${Date.now()}`)
      } finally {
        closeQuietly(database)
      }
    } catch {
      // The copy is broken, so nothing can be restored from it.
    }
  }
  const name = `${path.basename(file)}${INTACT_SUFFIX}`
  const keptNames = readdirSync(path.dirname(file)).filter((other) => other.startsWith(name))
  return keptNames.sort().at(-1) ?? null
}
