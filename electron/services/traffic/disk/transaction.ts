import { getSqliteErrorCode, type Database } from '../../journal/database.ts'

/** Runs `work` as one transaction. Throws what it throws; nothing of it is kept then. */
export function runTransaction(database: Database, work: () => void): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    work()
    database.exec('COMMIT')
  } catch (error) {
    // A full disk may already have ended it.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** Runs what the disk may refuse without anybody missing it. Only a defect of ours is thrown. */
export function ignoreSqliteErrors(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (getSqliteErrorCode(error) === 0) throw error
  }
}
