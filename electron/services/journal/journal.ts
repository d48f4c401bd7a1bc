import { copyFileSync, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { describeError, type Log } from '../files/log.ts'
import type { Notices } from '../notices.ts'
import {
  BrokenJournalError,
  loadBuiltinSqlite,
  closeQuietly,
  copyDatabase,
  isBrokenFileError,
  openDatabase,
  readSchemaVersion,
  assertRegularFiles,
  moveFileAside,
  UpgradeError,
  type Database,
  type Sqlite,
} from './database.ts'
import { loadJournal, type LoadedJournal } from './loaded-journal.ts'
import { createMemoryJournal } from './memory-journal.ts'
import { hasTriggersOrViews, hasJournalTables, migrateJournal, SCHEMA_VERSION, getSchemaVersion } from './schema.ts'
import type { Journal } from './types.ts'
import { createJournal } from './database-journal.ts'

/** The journal's file name in the data directory. */
export const JOURNAL_FILE = 'journal.db'

/** Maximum age of the copy when the program starts. */
const BACKUP_AGE_MS = 24 * 3_600_000

interface Options {
  readonly dataDir: string
  readonly notices: Notices
  readonly log: Log
  readonly conceal?: (text: string) => string
  /** For tests: another SQLite, or none. */
  readonly sqlite?: Sqlite | null
}

/**
 * Opens the journal of operations in SQLite (rollback journal, `synchronous=FULL`). Never throws. A broken file is set aside, and the last copy is used or a new journal begun. A file of a newer version, or one
 * that cannot be opened, is left as it is and nothing is kept; a runtime without SQLite keeps nothing either. Each of these adds a
 * notice.
 */
export function openJournal({ dataDir, notices, log, conceal = (text) => text, sqlite }: Options): Journal {
  const module = sqlite === undefined ? loadBuiltinSqlite() : sqlite
  const file = path.join(dataDir, JOURNAL_FILE)
  const none = (code: string, message: string): Journal => {
    notices.add({ level: 'warning', code, message })
    return createMemoryJournal(message)
  }
  if (!module) {
    return none(
      'JOURNAL_NO_DATABASE',
      'This runtime has no database, so no journal is kept: operation records last only until the app closes.',
    )
  }
  try {
    assertRegularFiles(file)
    const { database, loaded, aside, fromBackup } = opened(module, file, log)
    if (loaded.unreadableCount > 0) log.warn('rows of the journal could not be read', { rows: loaded.unreadableCount })
    if (aside !== null) notices.add(asideNotice(aside, fromBackup ? loaded.records.length : null))
    copyNowAndThen(database, file, loaded, log)
    return createJournal({
      database,
      file,
      records: loaded.records,
      setAside: aside,
      log,
      conceal,
    })
  } catch (error) {
    if (error instanceof NewerJournal) {
      return none(
        'JOURNAL_NEWER',
        'The journal was written by a newer version. It is left unchanged, and nothing is recorded in it.',
      )
    }
    log.error('the journal could not be opened', { reason: describeError(error) })
    return none('JOURNAL_UNUSABLE', 'The journal cannot be used. Operation records last only until the app closes.')
  }
}

class NewerJournal extends Error {}

interface Opened {
  readonly database: Database
  readonly loaded: LoadedJournal
  /** Where the broken file was moved. */
  readonly aside: string | null
  readonly fromBackup: boolean
}

function opened(sqlite: Sqlite, file: string, log: Log): Opened {
  try {
    return { ...readable(sqlite, file), aside: null, fromBackup: false }
  } catch (error) {
    if (error instanceof NewerJournal || !isBrokenFileError(error)) throw error
    log.error('the journal is broken', { reason: describeError(error) })
  }
  const aside = moveFileAside(file)
  if (existsSync(`${file}.bak`)) {
    try {
      copyFileSync(`${file}.bak`, file)
      return { ...readable(sqlite, file), aside, fromBackup: true }
    } catch (error) {
      log.error('the copy of the journal is broken', { reason: describeError(error) })
      moveFileAside(file)
      moveFileAside(`${file}.bak`)
    }
  }
  return { ...readable(sqlite, file), aside, fromBackup: false }
}

/** Opened, upgraded and read in full: damage that no check finds shows up then, while the file can still be set aside. */
function readable(sqlite: Sqlite, file: string): { database: Database; loaded: LoadedJournal } {
  if (readSchemaVersion(sqlite, file) > SCHEMA_VERSION) throw new NewerJournal()
  const database = openDatabase(sqlite, file, 'TRUNCATE')
  try {
    const version = getSchemaVersion(database)
    if (version > 0 !== hasJournalTables(database))
      throw new BrokenJournalError('its tables are missing, or its version')
    if (hasTriggersOrViews(database)) throw new BrokenJournalError('it holds triggers or views')
    // There is a copy, so this is not the first start: somebody emptied the file.
    if (version === 0 && existsSync(`${file}.bak`)) throw new BrokenJournalError('it is empty')
    if (version > 0 && version < SCHEMA_VERSION) copyDatabase(database, `${file}.v${version}`)
    upgrade(database)
    makeShrinkable(database)
    return { database, loaded: loadJournal(database) }
  } catch (error) {
    closeQuietly(database)
    throw error
  }
}

function upgrade(database: Database): void {
  try {
    migrateJournal(database)
  } catch (error) {
    throw new UpgradeError('the journal could not be upgraded', { cause: error })
  }
}

/** Files of early versions keep their free pages forever unless they are rewritten once. */
function makeShrinkable(database: Database): void {
  const { auto_vacuum: mode } = database.prepare('PRAGMA auto_vacuum').get() as { auto_vacuum: number }
  if (mode !== 0) return
  try {
    database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM')
  } catch {
    // No space for that: removed records still free space within the file, and its size is counted without it.
  }
}

/** Makes a copy for the day the journal breaks. */
function copyNowAndThen(
  database: Database,
  file: string,
  { records, unreadableCount: unreadable }: LoadedJournal,
  log: Log,
): void {
  const made = statSync(`${file}.bak`, { throwIfNoEntry: false })?.mtimeMs ?? 0
  // Never replace a good copy with a damaged one.
  if (records.length === 0 || unreadable > 0 || Date.now() - made < BACKUP_AGE_MS) return
  try {
    copyDatabase(database, `${file}.bak`)
  } catch (error) {
    log.warn('the journal could not be copied', { reason: describeError(error) })
  }
}

/** `restored` is the number of records in the copy; null if there was none. */
function asideNotice(aside: string, restored: number | null) {
  const params = { file: path.basename(aside) }
  if (restored === null) {
    const message = 'The journal could not be read and was set aside; a new one was started.'
    return { level: 'warning' as const, code: 'JOURNAL_SET_ASIDE', message, params }
  }
  const message = `The journal could not be read and was set aside; the ${restored} records of its last copy are shown. Anything sent after that copy is missing.`
  return { level: 'warning' as const, code: 'JOURNAL_FROM_BACKUP', message, params: { ...params, count: restored } }
}
