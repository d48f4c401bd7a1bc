import type { Endpoint, ListLimit } from '../../bridge/endpoints/endpoint.ts'
import { findEndpointById } from '../../bridge/endpoints/index.ts'
import { getLimit, applyHostLimits } from '../../bridge/host-limits.ts'
import { getMember } from '../../json/object.ts'
import type { RuleContext, RuleState } from '../rule-state.ts'
import { isSuccess, type ObservedExchange } from '../observed-exchange.ts'

/**
 * Page numbers in these body members begin with 1, like those in paths (spec §4; observed: rules
 * common to all routes).
 */
const pagesInBodies: Readonly<Record<string, readonly string[]>> = {
  'documents.locate': ['page'],
  'documents.export': ['selectedPageNos'],
  'bundles.prepare': ['segments.startPage', 'segments.endPage'],
}

/**
 * Reports values outside the ranges of the endpoint table, and lists that are too long (spec §4,
 * §8).
 */
export function createParameterRule(): RuleState {
  return {
    observe(exchange, context) {
      const row = exchange.endpoint === null ? undefined : findEndpointById(exchange.endpoint)
      if (!row) return
      const reportOutOfRange = (name: string, value: string, min: number, max: number | undefined): void => {
        const params = { name, value, min: String(min), max: max === undefined ? '' : String(max) }
        context.report('parameter-out-of-range', [exchange.seq], params, name)
      }
      for (const { name, value, min, max } of findOutOfRangeValues(exchange, applyHostLimits(row, context.limits)))
        reportOutOfRange(name, value, min, max)
      for (const limit of row.limits) {
        const count = collectValues(exchange.body, limit.member).length
        const max = getMaxEntries(row.id, limit, exchange, context)
        if (max !== null && count > max) reportOutOfRange(limit.member, String(count), 0, max)
      }
      for (const path of pagesInBodies[row.id] ?? []) {
        const invalidPage = collectValues(exchange.body, path).find((page) => typeof page === 'number' && page < 1)
        if (typeof invalidPage === 'number') reportOutOfRange(path, String(invalidPage), 1, undefined)
      }
    },
  }
}

interface OutOfRangeValue {
  readonly name: string
  readonly value: string
  readonly min: number
  readonly max: number | undefined
}

function findOutOfRangeValues(exchange: ObservedExchange, { parameters }: Endpoint): OutOfRangeValue[] {
  return parameters.flatMap(({ name, in: location, type, min, max }) => {
    // A flag (`1` or absent) has no range.
    if (type !== 'integer' || min === undefined || min === max) return []
    const value = location === 'path' ? exchange.params[name] : (exchange.query.get(name) ?? undefined)
    if (value === undefined || value === '') return []
    const number = Number(value)
    const isInRange = Number.isInteger(number) && number >= min && (max === undefined || number <= max)
    return isInRange ? [] : [{ name, value: value.slice(0, 100), min, max }]
  })
}

/**
 * Returns the maximum number of entries, or null if the host gives no limit but accepted the
 * request: the host's own limit may then be higher than the one in the contract.
 */
function getMaxEntries(
  endpoint: string,
  { member }: ListLimit,
  exchange: ObservedExchange,
  { limits }: RuleContext,
): number | null {
  const { max, sources } = getLimit(limits, endpoint, member)
  return sources.max === null && isSuccess(exchange) ? null : max
}

/** Collects the values at a dotted path. Lists on the path are flattened. */
function collectValues(value: unknown, path: string): unknown[] {
  const steps = path.split('.')
  return steps.reduce<unknown[]>(
    (parents, name) =>
      parents.flatMap((parent) => {
        const next = getMember(parent, name)
        return Array.isArray(next) ? (next as unknown[]) : next === undefined ? [] : [next]
      }),
    [value],
  )
}
