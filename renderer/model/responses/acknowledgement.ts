import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { getEndpoint, findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { getSchemaPlan, type SchemaPlan } from '../../../shared/bridge/resources/schema-plan.ts'
import { isObject, getMember } from '../../../shared/json/object.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'

/** A member of the host's answer to a command that the contract documents. */
export interface AcknowledgementFact {
  /** Names joined by dots: `inputGate.state`. */
  readonly name: string
  readonly value: string
}

/** What one answer of the host about a command says, besides how it ended. */
export interface Acknowledgement {
  /** The answer to the command itself, or the last result that was asked for. What the first says may not hold any more. */
  readonly from: 'answer' | 'result'
  readonly timestamp: number
  readonly facts: readonly AcknowledgementFact[]
  /** Names of members that the contract does not show. */
  readonly unknownMembers: readonly string[]
  /** Another version of the answer's schema than the contract's; null where it is that one, or none is named. */
  readonly unexpectedSchemaVersion: string | null
}

/** The version of session and pencil answers in the contract (spec §9). */
const KNOWN_SCHEMA_VERSION = 1
/** Maximum characters of a value, and number of unknown members. */
const MAX_VALUE_CHARS = 300
const MAX_UNKNOWN_MEMBERS = 30
/** Members that every answer may have, or that a record shows elsewhere. */
const elsewhere = new Set([
  ...['bridgeApiVersion', 'schemaVersion', 'error', 'warnings', 'requestId', 'topicid', 'noteid'],
  ...['persisted', 'outcome', 'persistedSnapshotVerified', 'snapshotCurrent'],
])

/** Commands whose answer the contract shows member by member; of any other nobody can say which members are new. */
const isDocumented = ({ command, face }: Endpoint): boolean => command !== 'plain' || face?.name === 'verdict'

/** The answer to the command and the last result, member by member; empty for commands whose answer the contract does not show. */
export function parseAcknowledgements({ summary, events }: Pick<Operation, 'summary' | 'events'>): Acknowledgement[] {
  const row = findEndpointById(summary.endpoint)
  if (!row || !isDocumented(row)) return []
  const answer = events.find((event) => event.kind === 'answer')
  // A check that said the same as the one before has no body of its own.
  const result = events.findLast((event) => event.kind === 'observation' && event.asBefore !== true)
  const isResult = result?.kind === 'observation' && result.source === 'pencil-result'
  return [
    ...(answer ? readOut('answer', answer.at, answer.body, row) : []),
    ...(isResult ? readOut('result', result.at, result.body, row) : []),
  ]
}

function readOut(from: Acknowledgement['from'], at: number, body: unknown, row: Endpoint): Acknowledgement[] {
  if (!isObject(body)) return []
  const plans = from === 'result' ? [planFor(getEndpoint('writing.pencilResult')), planFor(row)] : [planFor(row)]
  const facts: AcknowledgementFact[] = []
  const unknown: string[] = []
  for (const [name, value] of Object.entries(body)) {
    if (elsewhere.has(name)) continue
    const documented = plans.flatMap((plan) => memberOf(plan, name) ?? [])
    if (documented.length > 0) take(name, value, documented, facts, unknown)
    else unknown.push(name)
  }
  const version = getMember(body, 'schemaVersion')
  const isOther = version !== undefined && version !== KNOWN_SCHEMA_VERSION
  if (facts.length + unknown.length === 0 && !isOther) return []
  const schemaVersion = isOther ? textOf(version) : null
  return [
    {
      from,
      timestamp: at,
      facts,
      unknownMembers: unknown.slice(0, MAX_UNKNOWN_MEMBERS),
      unexpectedSchemaVersion: schemaVersion,
    },
  ]
}

function take(
  name: string,
  value: unknown,
  plans: readonly SchemaPlan[],
  facts: AcknowledgementFact[],
  unknown: string[],
): void {
  // A receipt that is null says nothing yet (spec §2).
  if (value === null) return
  const names = plans.flatMap((plan) => (plan.kind === 'object' ? plan.members.map((one) => one.name) : []))
  if (!isObject(value) || names.length === 0) return void facts.push({ name, value: textOf(value) })
  for (const [inner, one] of Object.entries(value)) {
    if (!names.includes(inner)) unknown.push(`${name}.${inner}`)
    else if (one !== null) facts.push({ name: `${name}.${inner}`, value: textOf(one) })
  }
}

const planFor = ({ response }: Endpoint): SchemaPlan | null =>
  response.kind === 'json' ? getSchemaPlan(response.schema) : null

function memberOf(plan: SchemaPlan | null, name: string): SchemaPlan | null {
  if (plan?.kind !== 'object') return null
  const found = plan.members.find((one) => one.name === name)?.plan ?? null
  return found?.kind === 'optional' || found?.kind === 'nullable' ? found.inner : found
}

function textOf(value: unknown): string {
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
  const text = typeof value === 'string' ? value : isList ? value.join(' ') : (JSON.stringify(value) ?? '')
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text
}
