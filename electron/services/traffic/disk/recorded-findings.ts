import { existsSync } from 'node:fs'
import path from 'node:path'
import { createRefusedError } from '../../../../shared/errors.ts'
import { findingSchema, type FindingGroup, type MutedRule } from '../../../../shared/protocol/finding.ts'
import { groupFindings, readMutedRules } from '../../findings/findings.ts'
import { assertRegularFiles, closeQuietly, loadBuiltinSqlite, type Database } from '../../journal/database.ts'
import { getSchemaVersion } from '../../journal/schema.ts'
import { TRAFFIC_FILE } from '../traffic-store.ts'
import { parseStoredJson } from './exchange-rows.ts'
import { SCHEMA_VERSION } from './schema.ts'

interface FindingQuery {
  /** Kind or name of the callers; all callers if undefined. */
  readonly origin?: string | undefined
  /** Number of a run of the program, or the last one; all runs if undefined. */
  readonly run?: number | 'last' | undefined
}

interface RecordedFindings {
  /** One group for each rule and resource, the newest first, without muted rules. */
  readonly findings: readonly FindingGroup[]
  readonly muted: readonly MutedRule[]
  /** Number of exchanges of these runs and of all callers; 0 if nothing was recorded. */
  readonly exchanges: number
}

/**
 * Reads the findings of a data directory, which stays unchanged, and in which the app may be
 * running.
 * @throws TRAFFIC_NO_DATABASE when this runtime has no database, TRAFFIC_OTHER_VERSION when another
 *   version of the program recorded the traffic, TRAFFIC_UNAVAILABLE when it cannot be read
 */
export function readRecordedFindings(dataDir: string, query: FindingQuery): RecordedFindings {
  const sqlite = loadBuiltinSqlite()
  if (sqlite === null)
    throw createRefusedError('TRAFFIC_NO_DATABASE', 'Recorded traffic is read with Node 22.16 or newer.')
  const file = path.join(dataDir, TRAFFIC_FILE)
  const muted = readMutedRules(dataDir)
  if (!existsSync(file)) return { findings: [], muted, exchanges: 0 }
  let database: Database | null = null
  try {
    assertRegularFiles(file)
    database = new sqlite.DatabaseSync(file, { readOnly: true })
    if (getSchemaVersion(database) !== SCHEMA_VERSION) throw createVersionError()
    return { ...readFindings(database, query, muted), muted }
  } catch (error) {
    if (error instanceof Error && error.name === 'AppError') throw error
    throw createRefusedError('TRAFFIC_UNAVAILABLE', 'The recorded traffic of this data directory cannot be read.')
  } finally {
    if (database) closeQuietly(database)
  }
}

function readFindings(
  database: Database,
  { origin, run }: FindingQuery,
  muted: readonly MutedRule[],
): Omit<RecordedFindings, 'muted'> {
  const selectedRun =
    run === 'last'
      ? Number(database.prepare('SELECT max(run) AS run FROM exchanges').get()?.['run'] ?? 0)
      : (run ?? null)
  const condition = 'WHERE ?1 IS NULL OR exchanges.run = ?1'
  const count = database.prepare(`SELECT count(*) AS count FROM exchanges ${condition}`).get(selectedRun)?.['count']
  const rows = database
    .prepare(`SELECT finding FROM findings JOIN exchanges ON exchanges.seq = findings.seq ${condition}`)
    .all(selectedRun)
  const findings = rows
    .flatMap(({ finding }) => {
      const parsed = findingSchema.safeParse(parseStoredJson(finding))
      return parsed.success ? [parsed.data] : []
    })
    .filter(({ rule }) => !muted.some((mutedRule) => mutedRule.rule === rule))
    .filter(({ origin: { kind, label } }) => origin === undefined || kind === origin || label === origin)
    .sort((first, second) => first.at - second.at)
  return { findings: groupFindings(findings), exchanges: Number(count ?? 0) }
}

const createVersionError = () =>
  createRefusedError(
    'TRAFFIC_OTHER_VERSION',
    'Another version of the program recorded the traffic of this data directory. Start this one with it once.',
  )
