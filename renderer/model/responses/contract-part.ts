import { z } from 'zod'
import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { getSchemaPlan, type SchemaPlan } from '../../../shared/bridge/resources/schema-plan.ts'
import { parsePointer, toPointer } from '../../../shared/json/pointer.ts'

export interface ContractPart {
  /** The innermost place on the way that the contract shows. */
  readonly pointer: string
  /** JSON schema. */
  readonly schema: string
}

/** Finds it by a pointer whose lists are folded to `*`; null without a JSON response. */
export function findContractPart(endpointId: string | null, pointer: string): ContractPart | null {
  const response = findEndpointById(endpointId ?? '')?.response
  if (response?.kind !== 'json') return null
  const steps = parsePointer(pointer)
  const { plan, depth } = descend(getSchemaPlan(response.schema), steps, 0)
  const schema = z.toJSONSchema(plan.schema, { io: 'input', unrepresentable: 'any' })
  const text = JSON.stringify({ ...schema, $schema: undefined }, null, 2)
  return { pointer: toPointer(steps.slice(0, depth)), schema: text }
}

interface FoundPlan {
  readonly plan: SchemaPlan
  readonly depth: number
}

function descend(plan: SchemaPlan, steps: readonly string[], depth: number): FoundPlan {
  const step = steps[depth]
  const next = step === undefined ? [] : listInnerPlans(plan, step)
  return next
    .map(([inner, stepCount]) => descend(inner, steps, depth + stepCount))
    .reduce((best, candidate) => (candidate.depth > best.depth ? candidate : best), { plan, depth })
}

/** Lists where a step may lead, with the number of steps that lead there. */
function listInnerPlans(plan: SchemaPlan, step: string): readonly (readonly [SchemaPlan, number])[] {
  switch (plan.kind) {
    case 'leaf':
      return []
    case 'optional':
    case 'nullable':
      return [[plan.inner, 0]]
    case 'list':
      return step === '*' ? [[plan.element, 1]] : []
    case 'object':
      return plan.members.filter(({ name }) => name === step).map((member) => [member.plan, 1] as const)
    case 'union':
      return plan.options.map((option) => [option, 0] as const)
  }
}
