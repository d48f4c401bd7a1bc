import { existsSync } from 'node:fs'
import path from 'node:path'
import { loadBuiltinSqlite } from '../../electron/services/journal/database.ts'
import { findingSchema, type Finding, type FindingRuleId } from '../../shared/protocol/finding.ts'

/** Callers that are not this program. */
const guests: ReadonlySet<string> = new Set(['panel', 'recorded'])

/**
 * Reads the findings about the program itself from an ended run, except for the rules in
 * `announced`, which a spec breaks on purpose. Empty if the run stored no findings.
 */
export function readOwnFindings(dataDir: string, announced: readonly FindingRuleId[]): Finding[] {
  const file = path.join(dataDir, 'traffic.db')
  if (!existsSync(file)) return []
  try {
    const Database = loadBuiltinSqlite()?.DatabaseSync
    if (!Database) return []
    const database = new Database(file, { readOnly: true })
    const rows = database.prepare('SELECT finding FROM findings').all()
    database.close()
    return rows
      .map(({ finding }) => findingSchema.parse(JSON.parse(String(finding))))
      .filter(({ origin, rule }) => !guests.has(origin.kind) && !announced.includes(rule))
  } catch (error) {
    // A spec may have damaged the file on purpose.
    if (/not a database|no such table|malformed|unable to open/i.test(String(error))) return []
    throw error
  }
}
