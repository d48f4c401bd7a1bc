import { getHostApiPath } from '../../../../shared/traffic/exchange-url.ts'
import { isObject } from '../../../../shared/json/object.ts'
import { toCanonicalJson } from '../../protocol/observed-exchange.ts'
import type { TimelineEntry } from './replay-timeline.ts'
import { volatileMembers, type RequestMeaning } from './request-meaning.ts'

/** Requests of one endpoint among which the nearest is sought: the last ones. */
const MAX_CANDIDATES = 1_000

/** The recorded request that is most like one that was not recorded. */
export interface NearestRequest {
  readonly method: string
  /** Below the base URL, with the query as it was sent. */
  readonly path: string
  /** Id of its endpoint; null if the contract does not know it. */
  readonly endpoint: string | null
  /** Names of the parameters and body members that differ; empty if the requests mean the same. */
  readonly differs: readonly string[]
}

export function findNearestRequest(meaning: RequestMeaning, entries: readonly TimelineEntry[]): NearestRequest | null {
  let nearest: { entry: TimelineEntry; differs: readonly string[] } | null = null
  const candidates = entries.filter(({ endpoint }) => endpoint?.id === meaning.endpoint?.id).slice(-MAX_CANDIDATES)
  for (const entry of candidates) {
    const recorded = entry.meaning
    if (!isSameRoute(meaning, recorded)) continue
    const differs = listDifferences(meaning, recorded)
    if (nearest === null || differs.length < nearest.differs.length) nearest = { entry, differs }
  }
  if (nearest === null) return null
  const { row } = nearest.entry.exchange
  return { method: row.method, path: getHostApiPath(row), endpoint: row.endpoint, differs: nearest.differs }
}

/** A request that the contract does not know is compared with those of its path. */
const isSameRoute = (first: RequestMeaning, second: RequestMeaning): boolean =>
  first.endpoint !== null || (first.method === second.method && first.path === second.path)

function listDifferences(first: RequestMeaning, second: RequestMeaning): string[] {
  if (first.key === second.key) return []
  const names = [
    ...listDifferingMembers(first.params, second.params),
    ...listDifferingMembers(first.query, second.query),
  ]
  if (isObject(first.body) && isObject(second.body)) names.push(...listDifferingMembers(first.body, second.body))
  else if (first.body !== undefined || second.body !== undefined) names.push('body')
  const differing = first.access === 'read' ? names : names.filter((name) => !volatileMembers.has(name))
  return differing.length > 0 ? differing : ['path']
}

function listDifferingMembers(
  first: Readonly<Record<string, unknown>>,
  second: Readonly<Record<string, unknown>>,
): string[] {
  const names = new Set([...Object.keys(first), ...Object.keys(second)])
  return [...names].filter((name) => toCanonicalJson(first[name]) !== toCanonicalJson(second[name]))
}
