import type { Endpoint } from '../../../shared/bridge/endpoint.ts'
import { endpoint, endpointById } from '../../../shared/bridge/endpoints/index.ts'
import { planOf, type Plan } from '../../../shared/bridge/schema-plan.ts'
import { isObject, member } from '../../../shared/json/object.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'

/** A member of the host's answer to a command that the contract documents. */
export interface AnswerFact {
  /** Names joined by dots: `inputGate.state`. */
  readonly name: string
  readonly value: string
}

/** What the host's answer to a command says, besides how it ended. */
export interface Acknowledgement {
  readonly facts: readonly AnswerFact[]
  /** Names of members that the contract does not show. */
  readonly unknown: readonly string[]
  /** Another version of the answer's schema than the contract's; null where it is that one, or none is named. */
  readonly schemaVersion: string | null
}

/** The version of session and pencil answers in the contract (spec §9). */
const KNOWN_SCHEMA_VERSION = 1
/** Maximum characters of a value, and number of unknown members. */
const MAX_VALUE_CHARS = 300
const MAX_UNKNOWN = 30
/** Members that every answer may have, or that are shown elsewhere. */
const common = new Set(['bridgeApiVersion', 'schemaVersion', 'persisted', 'outcome', 'error', 'warnings'])

/** Commands whose answer the contract shows member by member; of any other nobody can say which members are new. */
const isDocumented = ({ command, face }: Endpoint): boolean => command !== 'plain' || face?.name === 'verdict'

/** What the host last said of each member; null for commands whose answer the contract does not show. */
export function acknowledgementOf({ summary, events }: Pick<Operation, 'summary' | 'events'>): Acknowledgement | null {
  const row = endpointById(summary.endpoint)
  if (!row || !isDocumented(row)) return null
  const bodies = events.flatMap((event) =>
    event.kind === 'answer' || (event.kind === 'observation' && event.source === 'pencil-result') ? [event.body] : [],
  )
  const said: Record<string, unknown> = Object.assign({}, ...bodies.filter(isObject))
  if (Object.keys(said).length === 0) return null
  const plans = row.command === 'pencil' ? [planFor(row), planFor(endpoint('writing.pencilResult'))] : [planFor(row)]
  const facts: AnswerFact[] = []
  const unknown: string[] = []
  for (const [name, value] of Object.entries(said)) {
    if (common.has(name)) continue
    const documented = plans.flatMap((plan) => memberOf(plan, name) ?? [])
    if (documented.length > 0) take(name, value, documented, facts, unknown)
    else if (!echoed.has(name)) unknown.push(name)
  }
  const version = member(said, 'schemaVersion')
  const isOther = version !== undefined && version !== KNOWN_SCHEMA_VERSION
  return { facts, unknown: unknown.slice(0, MAX_UNKNOWN), schemaVersion: isOther ? textOf(version) : null }
}

/** Of a pencil-result the contract shows only what callers read; these are members of the commit that hosts repeat in it. */
const echoed = new Set(['requestId', 'state', 'target', 'windowId'])

function take(name: string, value: unknown, plans: readonly Plan[], facts: AnswerFact[], unknown: string[]): void {
  // A receipt that is null says nothing yet (spec §2).
  if (value === null) return
  const names = plans.flatMap((plan) => (plan.kind === 'object' ? plan.members.map((one) => one.name) : []))
  if (!isObject(value) || names.length === 0) return void facts.push({ name, value: textOf(value) })
  for (const [inner, one] of Object.entries(value)) {
    if (!names.includes(inner)) unknown.push(`${name}.${inner}`)
    else if (one !== null) facts.push({ name: `${name}.${inner}`, value: textOf(one) })
  }
}

const planFor = ({ response }: Endpoint): Plan | null => (response.kind === 'json' ? planOf(response.schema) : null)

function memberOf(plan: Plan | null, name: string): Plan | null {
  if (plan?.kind !== 'object') return null
  const found = plan.members.find((one) => one.name === name)?.plan ?? null
  return found?.kind === 'optional' || found?.kind === 'nullable' ? found.inner : found
}

function textOf(value: unknown): string {
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
  const text = typeof value === 'string' ? value : isList ? value.join(' ') : (JSON.stringify(value) ?? '')
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text
}
