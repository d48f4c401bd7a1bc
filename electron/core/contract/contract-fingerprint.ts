import { documentedLimits } from '../../../shared/bridge/documented-limits.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { knownErrors } from '../../../shared/bridge/errors.ts'
import { getSchemaPlan, type SchemaPlan } from '../../../shared/bridge/resources/schema-plan.ts'
import { hashText } from '../../../shared/format/text-hash.ts'

/** Raised when the judge itself judges otherwise, as by other statuses, promises or open codes. */
const JUDGE_VERSION = 2

/** Tells results of another version of the contract apart. */
export function getContractFingerprint(): string {
  return (fingerprint ??= computeFingerprint())
}
let fingerprint: string | null = null

function computeFingerprint(): string {
  const rows = endpoints.map(({ id, method, path, response }) => [
    id,
    method,
    path,
    response.kind,
    response.kind === 'json' ? [describePlan(getSchemaPlan(response.schema)), response.list ?? null] : null,
  ])
  return `${JUDGE_VERSION}-${hashText(JSON.stringify([rows, documentedLimits, Object.keys(knownErrors)])).toString(16)}`
}

function describePlan(plan: SchemaPlan): unknown {
  switch (plan.kind) {
    case 'leaf':
      return [plan.expected, plan.range, plan.isCount, plan.knownValues, plan.format?.name]
    case 'optional':
    case 'nullable':
      return [plan.kind, describePlan(plan.inner)]
    case 'list':
      return [describePlan(plan.element)]
    case 'union':
      return ['union', ...plan.options.map(describePlan)]
    case 'object':
      return [
        plan.isTable,
        plan.variants,
        plan.members.map((member) => [
          member.name,
          member.isOptional,
          member.presence,
          member.type,
          describePlan(member.plan),
        ]),
      ]
  }
}
