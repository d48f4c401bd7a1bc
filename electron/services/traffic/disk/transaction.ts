import { getSqliteErrorCode, type Database } from '../../journal/database.ts'

/** Runs `work` as one transaction, which is rolled back if `work` throws. */
export function runTransaction(database: Database, work: () => void): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    work()
    database.exec('COMMIT')
  } catch (error) {
    // SQLite itself may have rolled back already, for example because the disk is full.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** False on SQLite's errors, such as a full disk; all others are defects and are thrown. */
export function ignoreSqliteErrors(work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (getSqliteErrorCode(error) === 0) throw error
    return false
  }
}
