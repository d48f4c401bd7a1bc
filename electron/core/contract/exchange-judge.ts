import { toRouteShape } from '../../../shared/bridge/capabilities.ts'
import type { Basis } from '../../../shared/bridge/basis.ts'
import {
  getRouteBasis,
  type BinaryShape,
  type Endpoint,
  type JsonShape,
  type TextShape,
} from '../../../shared/bridge/endpoints/endpoint.ts'
import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { errorCodeOf, knownErrors } from '../../../shared/bridge/errors.ts'
import { readHostLimits, type HostLimits } from '../../../shared/bridge/host-limits.ts'
import { locateList, findWrapper } from '../../../shared/bridge/response-shape.ts'
import type { Capabilities } from '../../../shared/bridge/resources/state.ts'
import { noteItemSchema } from '../../../shared/bridge/resources/notes.ts'
import {
  getJsonType,
  getPlanBasis,
  getSchemaPlan,
  type MemberPlan,
  type SchemaPlan,
} from '../../../shared/bridge/resources/schema-plan.ts'
import { getMember, isObject } from '../../../shared/json/object.ts'
import { DeviationLog } from './deviation-log.ts'
import { getRouteTemplate, type ExchangeDeviation } from '../../../shared/contract/deviation.ts'
import type { JudgedBody, JudgedExchange } from './judged-exchange.ts'
import { judgePromises, toSentTrail, type ResponseContent } from './exchange-promises.ts'
import { ShapeJudge } from './shape-judge.ts'

/** The host's own statements about its routes and limits. */
export interface HostFacts {
  /** Null if the capabilities are unknown: then the limits of the contract apply. */
  readonly limits: HostLimits | null
  /** Null if it is unknown whether the capabilities list the route. */
  readonly isListedRoute: (method: string, path: string) => boolean | null
}

export const UNKNOWN_HOST: HostFacts = { limits: null, isListedRoute: () => null }

const MAX_LISTED_ROUTES = 2_000

/** Capabilities are authoritative at run time (spec §1, §9). */
export function toHostFacts(capabilities: Capabilities): HostFacts {
  const routes = capabilities.routes
    .slice(0, MAX_LISTED_ROUTES)
    .map(({ method, path }) => toRouteShape(method, path.slice(0, 500)).split(/[ /]/))
  return {
    limits: readHostLimits(capabilities),
    isListedRoute: (method, path) => {
      const steps = `${method.toUpperCase()} ${path.split('?', 1)[0] ?? ''}`.split(/[ /]/)
      if (routes.length === 0) return null
      const isListed = routes.some(
        (route) =>
          route.length === steps.length && route.every((step, index) => step === '{}' || step === steps[index]),
      )
      return isListed || capabilities.routes.length <= MAX_LISTED_ROUTES ? isListed : null
    },
  }
}

export interface ExchangeJudgement {
  readonly deviations: readonly ExchangeDeviation[]
  /** Places with deviations that are not listed, because one response has too many. */
  readonly ungroupedCount: number
  /** False if the body could not be judged; the status always is. */
  readonly isBodyJudged: boolean
}

/** Judges route, status, shapes, known values, limits and promises. Never throws. */
export function judgeExchange(exchange: JudgedExchange, host: HostFacts): ExchangeJudgement {
  const method = exchange.method.toUpperCase()
  const { endpoint: id, path, status, body } = exchange
  const endpoint = (id === null ? undefined : findEndpointById(id)) ?? null
  const log = new DeviationLog({ method, template: getRouteTemplate(id, path), endpoint: endpoint?.id ?? null })
  let isBodyJudged = body.kind !== 'unknown'
  if (endpoint === null) judgeUnknownRoute(exchange, method, host, log)
  else {
    if (status < 400 || host.isListedRoute(method, path) !== false) judgeStatus(endpoint, exchange, log)
    const isError = status >= 400 || hasError(body)
    // How a host refuses a route that it does not list is its own affair.
    if (isError && host.isListedRoute(method, path) !== false) judgeError(endpoint, exchange, log)
    else if (isError) isBodyJudged = true
    else if (status >= 200 && status < 300 && method !== 'HEAD') {
      let content = NO_CONTENT
      if (endpoint.response.kind === 'json') content = judgeJsonBody(endpoint.response, exchange, log)
      else {
        isBodyJudged = true
        judgeOtherBody(endpoint, endpoint.response, exchange, log)
      }
      judgePromises({ endpoint, exchange, content, limits: host.limits }, log)
    }
  }
  return { deviations: log.list(), ungroupedCount: log.ungroupedCount, isBodyJudged }
}

const NO_CONTENT: ResponseContent = { value: undefined, trail: [], movedMember: null }

/** `GET /` is an introduction that some hosts give, and no route (observed-0.49). */
function judgeUnknownRoute(
  { path, status, body, mediaType }: JudgedExchange,
  method: string,
  host: HostFacts,
  log: DeviationLog,
): void {
  const isServed = status >= 200 && status < 300 && !hasError(body)
  const isRoute = /^(?:GET|POST|PUT|PATCH|DELETE)$/.test(method) && !/^\/?(?:\?|$)/.test(path)
  if (!isServed || !isRoute || host.isListedRoute(method, path) !== false) return
  const value = body.kind === 'json' ? body.value : undefined
  log.add({ kind: 'unknown-route', basis: 'host', trail: [], actual: `${status} ${mediaType}`.trim(), value })
}

/** Statuses of errors in the contract (observed-0.49), and HTTP's own for methods and bodies. */
const ERROR_STATUSES: ReadonlySet<number> = new Set([
  ...Object.values(knownErrors).flatMap(({ status }) => (status === null ? [] : [status])),
  405,
  413,
  501,
])

/** Statuses of ranges (RFC 9110), which only contents have. */
const RANGE_STATUSES = [206, 416]

/** The spec shows few statuses. HTTP itself has 304 for what has not changed. */
function judgeStatus(endpoint: Endpoint, { status, body }: JudgedExchange, log: DeviationLog): void {
  const { id, access, response, statuses: shownStatuses } = endpoint
  const code = errorCodeOf(body.kind === 'json' ? body.value : undefined)
  const addStatus = (expected: readonly number[], basis: Basis = 'observed'): void =>
    log.add({ kind: 'unknown-status', basis, trail: [], expected: expected.join(' | '), actual: String(status) })
  if (code === PANEL_REFUSAL && status !== 403) return addStatus([403], 'spec')
  const { success, isExample = false } = shownStatuses
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && !isExample && success.length > 0 && !success.includes(status)) return addStatus(success, 'spec')
  const statuses = [
    ...(access === 'read' ? [200] : [200, 201, 202]),
    304,
    ...(response.kind === 'json' ? [] : RANGE_STATUSES),
  ]
  if (statuses.includes(status) || ERROR_STATUSES.has(status)) return
  if (status < 400) return addStatus(statuses)
  if (OPEN_CONFLICTS.has(id) || isCodeOfAnyStatus(code)) return
  addStatus([...ERROR_STATUSES].sort((first, second) => first - second))
}

/** The only code whose status the spec itself shows (§5). */
const PANEL_REFUSAL = 'IN_PROCESS_NOT_ALLOWED'

const isCodeOfAnyStatus = (code: string | null): boolean =>
  code !== null && Object.hasOwn(knownErrors, code) && knownErrors[code]?.status === null

const hasError = (body: JudgedBody): boolean =>
  body.kind === 'json' && isObject(body.value) && body.value['error'] !== undefined && body.value['error'] !== null

/** The endpoints whose refusals have other codes and statuses than are shown (spec §4, §7). */
const OPEN_CONFLICTS: ReadonlySet<string> = new Set([
  'notes.blankBands',
  'writing.pencilCommit',
  'writing.sessionFocusBegin',
  'writing.sessionReserve',
  'writing.sessionPause',
])

/**
 * The contract says of some statuses only what they mean, not their codes: 404 for objects of any
 * kind, 422 for most bad parameters, and the statuses of HTTP itself.
 */
const isOpenCode = (endpoint: string, status: number, code: string): boolean =>
  (status === 404 && /_NOT_FOUND$/.test(code)) ||
  OPEN_CONFLICTS.has(endpoint) ||
  ((status === 400 || status === 422) && /^INVALID_|_(?:INVALID|MISSING|REQUIRED)$/.test(code)) ||
  [405, 413, 501].includes(status)

/** The shape of errors is in spec §7; observed-0.49 shows further members, so it is open. */
function judgeError(endpoint: Endpoint, { status, body }: JudgedExchange, log: DeviationLog): void {
  if (body.kind !== 'json') return
  const error = isObject(body.value) ? body.value['error'] : undefined
  if (!isObject(error)) {
    const kind = error === undefined ? 'missing' : 'wrong-type'
    const actual = error === undefined ? '' : getJsonType(error)
    return log.add({ kind, basis: 'spec', trail: ['error'], expected: 'object', actual, value: error })
  }
  for (const name of ['code', 'message']) {
    const value = error[name]
    if (value === undefined) log.add({ kind: 'missing', basis: 'spec', trail: ['error', name], expected: 'string' })
    else if (typeof value !== 'string')
      log.add({
        kind: 'wrong-type',
        basis: 'spec',
        trail: ['error', name],
        expected: 'string',
        actual: getJsonType(value),
        value,
      })
  }
  const { code } = error
  if (typeof code !== 'string' || Object.hasOwn(knownErrors, code) || isOpenCode(endpoint.id, status, code)) return
  // The complete list of codes is not shown (spec §7).
  log.add({ kind: 'unknown-code', basis: 'observed', trail: ['error', 'code'], actual: code, value: code })
}

/** The listing then has a tag's cards in a member that the contract does not name (spec §4). */
const WITH_UNNAMED_MEMBERS = /^studySets\.tree .*[?&]withNotes=/

function judgeJsonBody(response: JsonShape, exchange: JudgedExchange, log: DeviationLog): ResponseContent {
  const { endpoint: id, path, body, mediaType } = exchange
  if (body.kind !== 'json') {
    const actual = body.kind === 'empty' ? 'nothing' : mediaType || 'no JSON'
    if (body.kind !== 'unknown')
      log.add({
        kind: 'wrong-type',
        basis: getPlanBasis(getSchemaPlan(response.schema)),
        trail: [],
        expected: 'JSON',
        actual,
      })
    return NO_CONTENT
  }
  const plan = getSchemaPlan(response.schema)
  const wrapper = findWrapper(plan, body.value)
  const value = wrapper !== null && isObject(body.value) ? withVersion(body.value, body.value[wrapper]) : body.value
  const trail = wrapper === null ? [] : [wrapper]
  const isOpen = WITH_UNNAMED_MEMBERS.test(`${id} ${path}`)
  const content = judgeUnwrapped({ response, plan, value, trail, isOpen }, log)
  if (id === 'notes.batchGet') judgeCards(content, log)
  return content
}

/** A wrapper may have the version beside it. */
const withVersion = (outer: Record<string, unknown>, inner: unknown): unknown =>
  isObject(inner) && outer['bridgeApiVersion'] !== undefined
    ? { bridgeApiVersion: outer['bridgeApiVersion'], ...inner }
    : inner

/** A text or a file is sent where the contract shows one, and not JSON. */
function judgeOtherBody(
  endpoint: Endpoint,
  response: TextShape | BinaryShape,
  { body, mediaType }: JudgedExchange,
  log: DeviationLog,
): void {
  if (body.kind !== 'json' || typeof body.value !== 'object' || !/json/.test(mediaType)) return
  if (response.kind === 'binary' && response.media.includes('any')) return
  const expected = response.kind === 'text' ? response.contentType : response.media.join(' | ')
  log.add({
    kind: 'wrong-type',
    basis: getRouteBasis(endpoint),
    trail: [],
    expected,
    actual: mediaType,
    value: body.value,
  })
}

interface UnwrappedResponse {
  readonly response: JsonShape
  readonly plan: SchemaPlan
  readonly value: unknown
  readonly trail: readonly string[]
  readonly isOpen: boolean
}

/** Judges with the list moved from where `readResponse` finds it to where the schema shows it. */
function judgeUnwrapped(
  { response: { list: rule }, plan, value, trail, isOpen }: UnwrappedResponse,
  log: DeviationLog,
): ResponseContent {
  const content: ResponseContent = { value, trail, movedMember: null }
  const judgeRoot = (root: unknown, rootContent = content): void =>
    new ShapeJudge(log, (steps) => toSentTrail(rootContent, steps), { hasUnnamedMembers: isOpen }).judge(plan, root)
  const located = rule ? locateList(rule, plan, value) : null
  if (!rule || located === null) {
    judgeRoot(value)
    return content
  }
  if (located.isJoined && isObject(value)) {
    const sentNames = new Set(located.parts.map(({ path: [name = ''] }) => name))
    const others = Object.entries(value).filter(([name]) => !sentNames.has(name))
    judgeRoot({ ...Object.fromEntries(others), [rule.member]: [] })
    const listPlan = getMemberPlan(plan, rule.member).plan
    for (const { path, keys } of located.parts) {
      const part = path.reduce(getMember, value as unknown)
      const entries = keys ? keys.map((key) => ({ id: key, ...Object(getMember(part, key)) }) as unknown) : part
      new ShapeJudge(log, (entrySteps) => [...trail, ...path, ...entrySteps]).judge(listPlan, entries)
    }
    return content
  }
  const steps = located.parts[0]?.path ?? []
  if (steps.length === 0 && rule.isBare !== true && rule.isUnnamed !== true) {
    log.add({ kind: 'wrong-type', basis: getPlanBasis(plan), trail, expected: 'object', actual: 'array', value })
    return content
  }
  if (rule.isUnnamed !== true && rule.isBare !== true) {
    const { presence } = getMemberPlan(plan, rule.member)
    const basis = presence === 'open' ? 'observed' : presence
    log.add({ kind: 'missing', basis, trail: [...trail, rule.member], expected: 'array' })
  }
  const locatedContent = { value: located.value, trail, movedMember: { name: rule.member, steps } }
  judgeRoot(located.value, locatedContent)
  return locatedContent
}

/** The schema of the response has only what a card needs to be shown. */
const cardPlan = omitMembers(getSchemaPlan(noteItemSchema), ['noteid', 'title'])

function omitMembers(plan: SchemaPlan, names: readonly string[]): SchemaPlan {
  return plan.kind === 'object' ? { ...plan, members: plan.members.filter(({ name }) => !names.includes(name)) } : plan
}

function judgeCards(content: ResponseContent, log: DeviationLog): void {
  const items = getMember(content.value, 'items')
  const judge = new ShapeJudge(log, (steps) => toSentTrail(content, ['items', '*', ...steps]))
  for (const item of Array.isArray(items) ? (items as unknown[]) : []) if (isObject(item)) judge.judge(cardPlan, item)
}

function getMemberPlan(plan: SchemaPlan, member: string): MemberPlan {
  const listMember = plan.kind === 'object' ? plan.members.find(({ name }) => name === member) : undefined
  if (!listMember) throw new Error(`the schema has no list ${member}`)
  return listMember
}
