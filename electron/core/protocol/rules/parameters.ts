import { isBinding } from '../../../../shared/bridge/basis.ts'
import { getParameterBasis, type Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { getLimit, applyHostLimits, type HostLimits } from '../../../../shared/bridge/host-limits.ts'
import { getMember } from '../../../../shared/json/object.ts'
import type { RuleState } from '../rule-state.ts'
import type { ObservedExchange } from '../observed-exchange.ts'

/** Values outside the endpoint table's ranges, and lists that are too long (spec §4, §8). */
export function createParameterRule(): RuleState {
  return {
    observe(exchange, context) {
      const row = exchange.endpoint === null ? undefined : findEndpointById(exchange.endpoint)
      if (!row) return
      const reportOutOfRange = (name: string, value: string, min: number, max: number | undefined): void => {
        const params = { name, value, min: String(min), max: max === undefined ? '' : String(max) }
        context.report('parameter-out-of-range', [exchange.seq], params, name)
      }
      for (const { name, value, min, max } of findOutOfRangeValues(exchange, row, context.limits))
        reportOutOfRange(name, value, min, max)
      for (const { member } of row.limits) {
        // The spec states no length of a list (§8), so only the host's own number counts.
        const { max, sources } = getLimit(context.limits, row.id, member)
        const count = collectValues(exchange.body, member).length
        if (max !== null && sources.max !== null && count > max) reportOutOfRange(member, String(count), 0, max)
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

/** Ranges that are only observed or open are left out, unless the host states them itself. */
function findOutOfRangeValues(exchange: ObservedExchange, row: Endpoint, limits: HostLimits | null): OutOfRangeValue[] {
  return applyHostLimits(row, limits).parameters.flatMap((parameter) => {
    const { name, in: location, type, min, max } = parameter
    if (type !== 'integer' || min === undefined) return []
    const { sources } = getLimit(limits, row.id, name)
    const isStatedByHost = sources.min !== null || sources.max !== null
    if (!isStatedByHost && !isBinding(getParameterBasis(row, parameter))) return []
    const value = location === 'path' ? exchange.params[name] : (exchange.query.get(name) ?? undefined)
    if (value === undefined || value === '') return []
    const number = Number(value)
    const isInRange = Number.isInteger(number) && number >= min && (max === undefined || number <= max)
    return isInRange ? [] : [{ name, value: value.slice(0, 100), min, max }]
  })
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
