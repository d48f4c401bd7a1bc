import { z } from 'zod'
import { isObject } from '../../../shared/json/object.ts'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import type { EndpointId, KnownEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { DemoError } from './reply.ts'

type Body = Readonly<Record<string, unknown>>

interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
}

/**
 * Returns the paths of body members that the schema does not name. An object whose schema names no
 * members accepts any member.
 */
export function findUnknownMembers(endpoint: Endpoint, body: Body): string[] {
  if (!endpoint.body) return []
  return listUnknownMembers(toJsonSchema(endpoint.body), body, '')
}

const toJsonSchema = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

function listUnknownMembers(schema: JsonSchema, value: unknown, prefix: string): string[] {
  if (Array.isArray(value)) {
    const { items } = schema
    return items
      ? value.flatMap((element: unknown, n) => listUnknownMembers(items, element, `${prefix.slice(0, -1)}[${n}].`))
      : []
  }
  const { properties } = schema
  // The spec leaves the contents of `state`, `plan` and `params` open.
  if (typeof value !== 'object' || value === null || !properties) return []
  if (Object.keys(properties).length === 0 && prefix !== '') return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined
    return member ? listUnknownMembers(member, inner, `${prefix}${name}.`) : [`${prefix}${name}`]
  })
}

/**
 * Checks a body against the endpoint's schema and limits.
 *
 * @param required members beyond those that the schema requires.
 * @throws BODY_INVALID (422) that lists unknown, missing and wrong members, lists that are empty or
 *   too long, and alternatives of which none or several are given.
 */
export function assertValidBody(endpoint: KnownEndpoint, body: Body, required: readonly string[] = []): void {
  const unknown = ignoresUnknownMembers.has(endpoint.id) ? [] : findUnknownMembers(endpoint, body)
  const issues = endpoint.body?.safeParse(body).error?.issues ?? []
  const paths = issues.map(({ path }) =>
    path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)),
  )
  const names = paths.map((steps) => steps.join('').replace(/^\./, '') || 'body')
  const isMissing = issues.map(({ path }) => getValue(body, path) === undefined)
  const missing = [
    ...names.filter((_, index) => isMissing[index]),
    ...required.filter((name) => body[name] === undefined),
  ]
  const wrong = [
    ...names.filter((_, index) => !isMissing[index]),
    ...listTooLong(endpoint, body),
    ...listEmpty(endpoint, body),
  ]
  const choice = findChoiceProblem(endpoint, body)
  if (unknown.length + missing.length + wrong.length === 0 && choice === null) return
  const parts = [
    ['unknown', unknown],
    ['missing', missing],
    ['wrong', wrong],
  ] as const
  const problems = parts
    .filter(([, list]) => list.length > 0)
    .map(([kind, list]) => `${kind}: ${list.slice(0, 5).join(', ')}`)
  if (choice !== null) problems.push(choice)
  throw new DemoError(
    422,
    'BODY_INVALID',
    `The body is not as documented (${problems.join('; ')}). Nothing was done.`,
    {
      details: { unknown, missing, wrong },
    },
  )
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

function getValue(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (current, step) => (typeof current === 'object' && current !== null ? Reflect.get(current, step) : undefined),
    value,
  )
}

/**
 * Returns the names of empty lists in a body, because a write without ids would do nothing. Only
 * `replace` may have an empty list of tags, which clears the tags (observed §5).
 */
function listEmpty({ id, access, body: schema }: KnownEndpoint, body: Body): string[] {
  if (!schema || access === 'read') return []
  const clears = id === 'notes.hashtags' && body['operation'] === 'replace'
  const lists = findEmptyLists(toJsonSchema(schema), body, '')
  return lists.filter((name) => !(clears && name === 'hashtags')).map((name) => `${name} (empty)`)
}

function findEmptyLists({ items, properties }: JsonSchema, value: unknown, name: string): string[] {
  if (Array.isArray(value)) {
    if (!items) return []
    return value.length === 0
      ? [name]
      : value.flatMap((element: unknown, n) => findEmptyLists(items, element, `${name}[${n}]`))
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(properties ?? {}).flatMap(([member, memberSchema]) =>
    findEmptyLists(memberSchema, Reflect.get(value, member), name === '' ? member : `${name}.${member}`),
  )
}

/** For a body with several batches, the ids of all batches are counted together. */
function listTooLong({ limits }: Endpoint, body: Body): string[] {
  return limits.flatMap(({ member, max }) => {
    const [head = '', tail] = member.split('.')
    const list = body[head]
    if (!Array.isArray(list)) return []
    const count =
      tail === undefined ? list.length : list.reduce((sum: number, batch) => sum + getLength(batch, tail), 0)
    return count > max ? [`${member} (${count} of at most ${max})`] : []
  })
}

function getLength(value: unknown, name: string): number {
  const list = isObject(value) ? value[name] : null
  return Array.isArray(list) ? list.length : 0
}

function findChoiceProblem({ alternatives }: Endpoint, body: Body): string | null {
  if (alternatives.length === 0) return null
  const begun = alternatives.filter((group) => group.some((name) => body[name] !== undefined && body[name] !== false))
  const complete = begun.filter((group) => group.every((name) => body[name] !== undefined))
  if (begun.length === 1 && complete.length === 1) return null
  return `one of: ${alternatives.map((group) => group.join(' + ')).join(' | ')}`
}
