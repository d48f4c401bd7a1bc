import { findBodyViolations, findTooLongLists } from '../../../shared/bridge/body-violations.ts'
import type { EndpointId, KnownEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { getSchemaPlan, type SchemaPlan } from '../../../shared/bridge/resources/schema-plan.ts'
import { isObject } from '../../../shared/json/object.ts'
import { parsePointer } from '../../../shared/json/pointer.ts'
import { DemoError } from './reply.ts'

type Body = Readonly<Record<string, unknown>>

/** Returns the paths of body members that the contract does not document. */
export function findUnknownMembers(endpoint: KnownEndpoint, body: Body): string[] {
  return findBodyViolations(endpoint, body).flatMap(({ code, pointer }) =>
    code === 'unknown' ? [toName(pointer)] : [],
  )
}

/** `/moves/0/noteIds` as `moves[0].noteIds`. */
function toName(pointer: string): string {
  const steps = parsePointer(pointer).map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
  return steps.join('').replace(/^\./, '') || 'body'
}

/**
 * Checks a body against the endpoint's schema and limits.
 *
 * @param required members beyond those that the schema requires.
 * @throws BODY_INVALID (422) that lists unknown, missing and wrong members, lists that are empty or
 *   too long, and alternatives of which none or several are given.
 */
export function assertValidBody(endpoint: KnownEndpoint, body: Body, required: readonly string[] = []): void {
  const violations = findBodyViolations(endpoint, body)
  const listNames = (...codes: readonly string[]): string[] =>
    violations.filter(({ code }) => codes.includes(code)).map(({ pointer }) => toName(pointer))
  const unknown = ignoresUnknownMembers.has(endpoint.id) ? [] : listNames('unknown')
  const missing = [...listNames('missing'), ...required.filter((name) => body[name] === undefined)]
  const wrong = [
    ...listNames('type', 'choice', 'other'),
    ...findTooLongLists(endpoint, body).map(({ member, count, max }) => `${member} (${count} of at most ${max})`),
    ...listEmpty(endpoint, body),
  ]
  const choices = violations.flatMap(({ code, expected }) => (code === 'together' ? [`one of: ${expected}`] : []))
  const problems = Object.entries({ unknown, missing, wrong })
    .filter(([, list]) => list.length > 0)
    .map(([kind, list]) => `${kind}: ${list.slice(0, 5).join(', ')}`)
  if (problems.length + choices.length === 0) return
  const text = [...problems, ...choices].join('; ')
  throw new DemoError(422, 'BODY_INVALID', `The body is not as documented (${text}). Nothing was done.`, {
    details: { unknown, missing, wrong },
  })
}

/**
 * The endpoints that accept unknown members. The preparation of a bundle reports ignored members
 * (observed §7 `ignoredFields`). The three session commands get the same body, and each reads only
 * some members (spec §4).
 */
const ignoresUnknownMembers: ReadonlySet<string> = new Set<EndpointId>([
  'bundles.prepare',
  'mcp.post',
  'writing.sessionPause',
])

/**
 * Returns the names of empty lists in a body, because a write without ids would do nothing. Only
 * `replace` may have an empty list of tags, which clears the tags (observed §5).
 */
function listEmpty({ id, access, body: schema }: KnownEndpoint, body: Body): string[] {
  if (!schema || access === 'read') return []
  const clears = id === 'notes.hashtags' && body['operation'] === 'replace'
  const lists = findEmptyLists(getSchemaPlan(schema), body, '')
  return lists.filter((name) => !(clears && name === 'hashtags')).map((name) => `${name} (empty)`)
}

function findEmptyLists(plan: SchemaPlan, value: unknown, name: string): string[] {
  if (plan.kind === 'optional' || plan.kind === 'nullable') return findEmptyLists(plan.inner, value, name)
  if (plan.kind === 'list' && Array.isArray(value)) {
    return value.length === 0
      ? [name]
      : value.flatMap((entry: unknown, index) => findEmptyLists(plan.element, entry, `${name}[${index}]`))
  }
  if (plan.kind !== 'object' || !isObject(value)) return []
  return plan.members.flatMap((member) =>
    findEmptyLists(member.plan, value[member.name], name === '' ? member.name : `${name}.${member.name}`),
  )
}
