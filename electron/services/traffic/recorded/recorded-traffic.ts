// The traffic that a data directory holds, read without the app, which may be running there:
// requests (this file), findings, deviations and learned shapes. Nothing here changes a file.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { createRefusedError } from '../../../../shared/errors.ts'
import { assertRegularFiles, closeQuietly, loadBuiltinSqlite, type Database } from '../../journal/database.ts'
import { getSchemaVersion } from '../../journal/schema.ts'
import { TRAFFIC_FILE } from '../traffic-store.ts'
import { SCHEMA_VERSION } from '../disk/schema.ts'

/**
 * Reads the recorded traffic of a data directory, which stays unchanged, and in which the app may
 * be running.
 * @returns null if nothing was ever recorded
 * @throws TRAFFIC_NO_DATABASE when this runtime has no database, TRAFFIC_OTHER_VERSION when another
 *   version of the program recorded the traffic, TRAFFIC_UNAVAILABLE when it cannot be read
 */
export async function readRecordedTraffic<T>(
  dataDir: string,
  read: (database: Database) => T | Promise<T>,
): Promise<T | null> {
  const sqlite = loadBuiltinSqlite()
  if (sqlite === null)
    throw createRefusedError('TRAFFIC_NO_DATABASE', 'This runtime has no database, in which traffic is recorded.')
  const file = path.join(dataDir, TRAFFIC_FILE)
  if (!existsSync(file)) return null
  let database: Database | null = null
  try {
    assertRegularFiles(file)
    database = new sqlite.DatabaseSync(file, { readOnly: true })
    if (getSchemaVersion(database) !== SCHEMA_VERSION) throw createVersionError()
    return await read(database)
  } catch (error) {
    if (error instanceof Error && error.name === 'AppError') throw error
    throw createRefusedError('TRAFFIC_UNAVAILABLE', 'The recorded traffic of this data directory cannot be read.')
  } finally {
    if (database) closeQuietly(database)
  }
}

/** The most recent different requests, newest first, for completion; none without traffic. */
export async function readRecentRequests(
  dataDir: string,
  maxCount: number,
): Promise<{ method: string; path: string }[]> {
  const requests = await readRecordedTraffic(dataDir, (database) =>
    database
      .prepare('SELECT method, path FROM exchanges GROUP BY method, path ORDER BY max(seq) DESC LIMIT ?')
      .all(maxCount)
      .map((row) => ({ method: String(row['method']), path: String(row['path']) })),
  ).catch(() => null)
  return requests ?? []
}

const createVersionError = () =>
  createRefusedError(
    'TRAFFIC_OTHER_VERSION',
    'Another version of the program recorded the traffic of this data directory. Start this one with it once.',
  )
