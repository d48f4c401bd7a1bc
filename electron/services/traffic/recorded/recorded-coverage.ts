import { measureCoverage, type ContractCoverage } from '../../../core/contract/contract-coverage.ts'
import { parseListedRoutes } from '../../../core/protocol/rules/routes.ts'
import type { CapabilityRoute } from '../../../../shared/bridge/resources/state.ts'
import { readResponse } from '../../../../shared/bridge/response-reading.ts'
import { CoverageCounter } from '../../../../shared/panel/coverage.ts'
import type { Database } from '../../journal/database.ts'
import { BodyStore } from '../disk/body-store.ts'
import { StoredExchanges } from '../disk/contract-store.ts'
import { COVERAGE_COLUMNS, parseCoveredExchange } from '../disk/exchange-rows.ts'
import { selectExchanges, type ExchangeQuery } from './recorded-findings.ts'
import { readRecordedTraffic } from './recorded-traffic.ts'

interface RecordedCoverage {
  readonly coverage: ContractCoverage
  readonly exchanges: number
  /** False if no response tells the routes of the host, so that all of the contract are counted. */
  readonly isHostListKnown: boolean
}

/** The program asks on its own account, which no test did. */
const ownOrigins: ReadonlySet<string> = new Set(['place', 'tracker', 'heartbeat', 'scan', 'connection'])
const PART_ROWS = 10_000
/** The routes of further hosts are not read. */
const MAX_HOSTS = 20
const MAX_CAPABILITIES_BYTES = 16 * 1024 * 1024

/**
 * Holds the recorded traffic of a data directory, which stays unchanged, against the contract.
 * Without an origin, all calls count but those of the program itself.
 * @throws FLAG_ORIGIN when no caller has this name, and the errors of `readRecordedTraffic`
 */
export async function readRecordedCoverage(dataDir: string, query: ExchangeQuery): Promise<RecordedCoverage> {
  const read = await readRecordedTraffic(dataDir, (database) => countExchanges(database, query))
  return read ?? { coverage: measureCoverage([], null), exchanges: 0, isHostListKnown: false }
}

function countExchanges(database: Database, query: ExchangeQuery): RecordedCoverage {
  const { condition, values } = selectExchanges(database, query)
  const counter = new CoverageCounter()
  const select = database.prepare(
    `SELECT ${COVERAGE_COLUMNS} FROM exchanges ${condition} AND seq > ? ORDER BY seq LIMIT ${PART_ROWS}`,
  )
  let exchanges = 0
  for (let after = 0, isWhole = false; !isWhole;) {
    const rows = select.all(...values, after)
    for (const row of rows) {
      const exchange = parseCoveredExchange(row)
      if (exchange === null || (query.origin === undefined && ownOrigins.has(exchange.origin.kind))) continue
      counter.add(exchange)
      exchanges += 1
    }
    after = Number(rows.at(-1)?.['seq'] ?? after)
    isWhole = rows.length < PART_ROWS
  }
  const hosts = database
    .prepare(`SELECT DISTINCT host FROM exchanges ${condition} LIMIT ${MAX_HOSTS + 1}`)
    .all(...values)
    .map(({ host }) => String(host))
  const listed = hosts.length > MAX_HOSTS ? null : readListedRoutes(database, hosts)
  return { coverage: measureCoverage(counter.list(), listed), exchanges, isHostListKnown: listed !== null }
}

/** Returns the routes of all these hosts; null if those of one are not known. */
function readListedRoutes(database: Database, hosts: readonly string[]): CapabilityRoute[] | null {
  const stored = new StoredExchanges(database, new BodyStore(database), () => null)
  const newest = stored.newest()
  const lists = hosts.map((host) => {
    const response = stored.findCapabilities(host, 0, newest)?.readResponse(MAX_CAPABILITIES_BYTES)
    if (!response?.isWhole || response.bytes === null) return null
    try {
      const capabilities: unknown = JSON.parse(new TextDecoder().decode(response.bytes))
      const routes = readResponse('capabilities.get', capabilities).value?.routes ?? []
      return parseListedRoutes(capabilities) === null || routes.length === 0 ? null : routes
    } catch {
      return null
    }
  })
  const knownLists = lists.filter((list) => list !== null)
  return knownLists.length === 0 || knownLists.length < lists.length ? null : knownLists.flat()
}
