import sqlite, { DatabaseSync } from 'node:sqlite'

/** SQLite that loses its disk for good at the nth modifying statement. */
export function createFailingSqlite(nth: number): typeof sqlite {
  let count = 0
  class FailingDatabase extends DatabaseSync {
    override exec(sql: string): void {
      for (const statement of /^\s*(BEGIN|COMMIT|ROLLBACK|PRAGMA)/.test(sql) ? [sql] : sql.split(';')) {
        if (statement.trim() === '') continue
        count += 1
        if (count >= nth) throw Object.assign(new Error('disk I/O error'), { errcode: 10 })
        super.exec(statement)
      }
    }
  }
  return { ...sqlite, DatabaseSync: FailingDatabase }
}
