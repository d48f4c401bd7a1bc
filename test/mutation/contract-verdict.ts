import { findEndpointById, getResponseSchema, isJsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { noteItemSchema } from '../../shared/bridge/resources/notes.ts'
import { getSchemaPlan, type SchemaPlan } from '../../shared/bridge/resources/schema-plan.ts'
import { readResponse } from '../../shared/bridge/response-reading.ts'
import { salvage } from '../../shared/bridge/salvage.ts'
import { judgeExchange, UNKNOWN_HOST } from '../../electron/core/contract/exchange-judge.ts'
import { isObject } from '../../shared/json/object.ts'
import { parsePointer } from '../../shared/json/pointer.ts'

/**
 * What the judge of the contract says about a changed response. `reported`: it deviates. `open`:
 * the contract shows nothing at this place. `lawful`: the contract allows the new value. `missed`:
 * the judge says nothing although a reader of the response finds a mistake.
 */
export const contractVerdicts = ['reported', 'open', 'lawful', 'missed'] as const
export type ContractVerdict = (typeof contractVerdicts)[number]

export const countVerdicts = (verdicts: readonly ContractVerdict[]): Readonly<Record<ContractVerdict, number>> => {
  const counts = { reported: 0, open: 0, lawful: 0, missed: 0 }
  for (const verdict of verdicts) counts[verdict] += 1
  return counts
}

/** @param pointer where the response was changed, with `*` for each index */
export function judgeChange(
  endpoint: string,
  pointer: string,
  original: unknown,
  changed: unknown,
  request: { readonly method: string; readonly path: string },
): ContractVerdict {
  const common = { ...request, endpoint, status: 200, mediaType: 'application/json' }
  const { deviations } = judgeExchange(
    { ...common, body: { kind: 'json', value: changed }, imageSize: null, requestBody: undefined },
    UNKNOWN_HOST,
  )
  if (deviations.length > 0) return 'reported'
  if (!isDescribed(endpoint, parsePointer(pointer))) return 'open'
  return countProblems(endpoint, changed) > countProblems(endpoint, original) ? 'missed' : 'lawful'
}

/** The reader of the page, which is independent of the judge. */
function countProblems(endpoint: string, value: unknown): number {
  if (!isJsonEndpointId(endpoint)) return 0
  const { problemCount } = readResponse(endpoint, value)
  const items = endpoint === 'notes.batchGet' && isObject(value) ? value['items'] : []
  const cards = Array.isArray(items) ? (items as unknown[]) : []
  return cards.reduce<number>((sum, card) => sum + salvage(noteItemSchema, card).problemCount, problemCount)
}

function isDescribed(endpoint: string, steps: readonly string[]): boolean {
  if (!isJsonEndpointId(endpoint) || findEndpointById(endpoint)?.response.kind !== 'json') return false
  const isInCard = endpoint === 'notes.batchGet' && steps[0] === 'items' && steps.length > 2
  return isInCard
    ? isDescribedIn(getSchemaPlan(noteItemSchema), steps.slice(2))
    : isDescribedIn(getSchemaPlan(getResponseSchema(endpoint)), steps)
}

function isDescribedIn(plan: SchemaPlan, steps: readonly string[]): boolean {
  const [step, ...rest] = steps
  switch (plan.kind) {
    case 'optional':
    case 'nullable':
      return isDescribedIn(plan.inner, steps)
    case 'union':
      return plan.options.some((option) => isDescribedIn(option, steps))
    case 'list':
      return step === undefined || (step === '*' && isDescribedIn(plan.element, rest))
    case 'leaf':
      return step === undefined && plan.expected !== 'unknown'
    case 'object':
      return (
        step === undefined ||
        plan.members.some(({ name, plan: member }) => name === step && isDescribedIn(member, rest))
      )
  }
}
