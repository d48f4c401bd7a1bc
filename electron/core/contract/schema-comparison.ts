import { compatibilityRules, type CompatibilityRuleId } from '../../../shared/contract/compatibility-rules.ts'
import type { RouteSchema, SchemaBundle } from '../../../shared/contract/route-schema.ts'
import { toRouteKey } from '../../../shared/contract/route-schema.ts'
import type { SchemaDifference } from '../../../shared/contract/schema-difference.ts'
import { toMembers, type JsonSchema } from '../../../shared/contract/json-schema.ts'
import { compareSchemas, type SideCompleteness } from './type-comparison.ts'

/** Lists the differences between two bundles, the breaking ones first. */
export function compareBundles(before: SchemaBundle, after: SchemaBundle): SchemaDifference[] {
  const sides = { isBeforePartial: before.isPartial, isAfterPartial: after.isPartial }
  const routesBefore = new Map(before.routes.map((route) => [toRouteKey(route), route]))
  const routesAfter = new Map(after.routes.map((route) => [toRouteKey(route), route]))
  const differences = [...new Set([...routesBefore.keys(), ...routesAfter.keys()])]
    .sort()
    .flatMap((key) => compareRoutes(routesBefore.get(key), routesAfter.get(key), sides))
  return [...differences.filter(({ isBreaking }) => isBreaking), ...differences.filter(({ isBreaking }) => !isBreaking)]
}

function compareRoutes(
  before: RouteSchema | undefined,
  after: RouteSchema | undefined,
  sides: SideCompleteness,
): SchemaDifference[] {
  const route = before ?? after
  if (!route) return []
  const differences: SchemaDifference[] = []
  const report = (
    part: SchemaDifference['part'],
    rule: CompatibilityRuleId,
    {
      isOpen = false,
      ...facts
    }: Partial<Pick<SchemaDifference, 'pointer' | 'variant' | 'before' | 'after'>> & { isOpen?: boolean } = {},
  ): void => {
    const { isBreaking, consequence } = compatibilityRules[rule]
    differences.push({
      method: route.method,
      template: route.template,
      part,
      pointer: '',
      variant: null,
      rule,
      before: '',
      after: '',
      ...facts,
      // A caller may not rely on what the contract does not state.
      isBreaking: isBreaking && !isOpen,
      consequence,
    })
  }
  if (!before || !after) {
    const isUnrecorded = before ? sides.isAfterPartial : sides.isBeforePartial
    report('route', isUnrecorded ? 'route-unrecorded' : before ? 'route-removed' : 'route-added')
    return differences
  }
  compareRouteFacts(before, after, (rule, facts) => report('route', rule, facts))
  const toReport =
    (part: SchemaDifference['part']): Parameters<typeof compareSchemas>[3] =>
    (rule, facts) =>
      report(part, rule, facts)
  // Recorded responses show nothing of what is sent.
  if (!sides.isBeforePartial && !sides.isAfterPartial) {
    const parameters = [toParameterObject(before), toParameterObject(after)] as const
    compareSchemas(...parameters, { direction: 'request', ...sides }, toReport('parameters'))
    if (before.body && after.body) {
      compareSchemas(before.body, after.body, { direction: 'request', ...sides }, toReport('body'))
    } else if (before.body || after.body) report('body', after.body ? 'body-required' : 'body-dropped')
  }
  const responses = { direction: 'response', ...sides } as const
  compareSchemas(before.response ?? {}, after.response ?? {}, responses, toReport('response'))
  // The contract shows no shape of a route's errors, and an error that never occurred is not gone.
  if (before.error && after.error) compareSchemas(before.error, after.error, responses, toReport('error'))
  return differences
}

function compareRouteFacts(
  before: RouteSchema,
  after: RouteSchema,
  report: (rule: CompatibilityRuleId, facts?: { before: string; after: string }) => void,
): void {
  const [mediaTypesBefore, mediaTypesAfter] = [before, after].map(({ mediaTypes }) => [...mediaTypes].sort().join(', '))
  if (mediaTypesBefore !== mediaTypesAfter) {
    report('media-type-changed', { before: mediaTypesBefore ?? '', after: mediaTypesAfter ?? '' })
  }
  if (before.needsToken !== after.needsToken) report(after.needsToken ? 'token-required' : 'token-dropped')
  if (before.isUpload !== after.isUpload) report('upload-changed')
  for (const code of after.errorCodes) {
    if (!before.errorCodes.includes(code)) report('error-code-added', { before: '', after: code })
  }
  for (const code of before.errorCodes) {
    if (!after.errorCodes.includes(code)) report('error-code-removed', { before: code, after: '' })
  }
}

/** Query and path parameters as members of one object, so that the rules of bodies hold. */
const toParameterObject = ({ parameters }: RouteSchema): JsonSchema => ({ type: 'object', ...toMembers(parameters) })
