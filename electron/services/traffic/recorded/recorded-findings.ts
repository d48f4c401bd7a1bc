import { createRefusedError } from '../../../../shared/errors.ts'
import {
  findingSchema,
  getShownSeq,
  locateFindings,
  type FindingGroup,
  type LocatedFinding,
  type MutedRule,
} from '../../../../shared/protocol/finding.ts'
import { groupByClass } from '../../../../shared/protocol/rule-table.ts'
import { resolveRecentFilter, type TrafficFilter } from '../../../../shared/traffic/traffic-filter.ts'
import { originKinds } from '../../../../shared/traffic/exchange.ts'
import { readMutedRules } from '../../findings/findings.ts'
import type { Database } from '../../journal/database.ts'
import { parseStoredInitiator, parseStoredJson } from '../disk/exchange-rows.ts'
import { buildFilterSql } from '../disk/filter-sql.ts'
import { readRecordedTraffic } from './recorded-traffic.ts'

export interface ExchangeQuery {
  /** Kind or name of the callers; all callers if undefined. */
  readonly origin?: string | undefined
  /** Number of a run of the program, or the last one; all runs if undefined. */
  readonly run?: number | 'last' | undefined
  /** A filter without findings, ids and bodies, for which the rows of exchanges do not suffice. */
  readonly filter?: TrafficFilter | undefined
}

interface RecordedFindings {
  /** One group for each rule and resource, the newest first, without muted rules. */
  readonly findings: readonly LocatedFinding[]
  readonly advice: readonly LocatedFinding[]
  readonly withdrawn: readonly LocatedFinding[]
  readonly muted: readonly MutedRule[]
  /** Number of exchanges of these runs and callers; 0 if nothing was recorded. */
  readonly exchanges: number
}

/**
 * Reads the findings of a data directory, which stays unchanged, and in which the app may be
 * running.
 * @throws FLAG_ORIGIN when no caller has this name, and the errors of `readRecordedTraffic`
 */
export async function readRecordedFindings(dataDir: string, query: ExchangeQuery): Promise<RecordedFindings> {
  const muted = readMutedRules(dataDir)
  const read = await readRecordedTraffic(dataDir, (database) => readFindings(database, query, muted))
  return { ...(read ?? { findings: [], advice: [], withdrawn: [], exchanges: 0 }), muted }
}

function readFindings(
  database: Database,
  query: ExchangeQuery,
  muted: readonly MutedRule[],
): Omit<RecordedFindings, 'muted'> {
  const { condition, values } = selectExchanges(database, query)
  const count = database.prepare(`SELECT count(*) AS count FROM exchanges ${condition}`).get(...values)?.['count']
  const rows = database
    .prepare(`SELECT finding FROM findings JOIN exchanges ON exchanges.seq = findings.seq ${condition}`)
    .all(...values)
  const findings = rows
    .flatMap(({ finding }) => {
      const parsed = findingSchema.safeParse(parseStoredJson(finding))
      return parsed.success ? [parsed.data] : []
    })
    .filter(({ rule }) => !muted.some((mutedRule) => mutedRule.rule === rule))
    .sort((first, second) => first.at - second.at)
  const { findings: broken, advice, withdrawn } = groupByClass(findings)
  const selectInitiator = database.prepare('SELECT initiator FROM details WHERE seq = ?')
  const locate = (groups: readonly FindingGroup[]): LocatedFinding[] =>
    locateFindings(
      groups,
      groups.map(getShownSeq).flatMap((seq) => {
        const initiator = parseStoredInitiator(selectInitiator.get(seq)?.['initiator'])
        return initiator ? [{ seq, initiator }] : []
      }),
    )
  return {
    findings: locate(broken),
    advice: locate(advice),
    withdrawn: locate(withdrawn),
    exchanges: Number(count ?? 0),
  }
}

/** The condition and its first parameters. @throws FLAG_ORIGIN when no caller has this name */
export function selectExchanges(
  database: Database,
  { origin, run, filter }: ExchangeQuery,
): { condition: string; values: (string | number | null)[] } {
  const selectedRun =
    run === 'last'
      ? Number(database.prepare('SELECT max(run) AS run FROM exchanges').get()?.['run'] ?? 0)
      : (run ?? null)
  if (origin !== undefined) assertOriginKnown(database, origin)
  const condition = 'WHERE (?1 IS NULL OR run = ?1) AND (?2 IS NULL OR origin = ?2 OR label = ?2)'
  const values = [selectedRun, origin ?? null]
  if (filter === undefined) return { condition, values }
  const matching = buildFilterSql(resolveRecentFilter(filter, Date.now()), 0, () => {
    throw new Error('Bodies are not searched here.')
  })
  return {
    condition: `${condition} AND exchanges.seq IN (SELECT seq FROM exchanges WHERE ${matching.sql})`,
    values: [...values, ...matching.values],
  }
}

const MAX_LISTED_NAMES = 20

/** A mistyped name must not look like a caller without findings. */
function assertOriginKnown(database: Database, origin: string): void {
  if (originKinds.some((kind) => kind === origin)) return
  if (database.prepare('SELECT 1 FROM exchanges WHERE label = ? LIMIT 1').get(origin)) return
  const names = database
    .prepare("SELECT DISTINCT label FROM exchanges WHERE origin IN ('panel', 'recorded') AND label <> '' LIMIT ?")
    .all(MAX_LISTED_NAMES)
    .map(({ label }) => String(label))
  throw createRefusedError(
    'FLAG_ORIGIN',
    `No caller "${origin.slice(0, 100)}" is recorded. --origin takes one of: ${[...originKinds, ...names].join(', ')}.`,
  )
}
