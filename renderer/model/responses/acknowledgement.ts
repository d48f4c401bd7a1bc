import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { getEndpoint, findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { getSchemaPlan, type SchemaPlan } from '../../../shared/bridge/resources/schema-plan.ts'
import { errorCodeOf } from '../../../shared/bridge/errors.ts'
import { isObject, getMember } from '../../../shared/json/object.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'

export interface AcknowledgementFact {
  /** Member names joined by dots: `inputGate.state`. */
  readonly name: string
  readonly value: string
}

/** The contents of one response to a command, without the outcome. */
export interface Acknowledgement {
  /** The command's response or refusal, or the last result, which is more recent. */
  readonly from: 'answer' | 'refusal' | 'result'
  readonly timestamp: number
  readonly facts: readonly AcknowledgementFact[]
  /** Names of members that the contract does not show. */
  readonly unknownMembers: readonly string[]
  /** The schema version of the response if the contract has a different one; otherwise null. */
  readonly unexpectedSchemaVersion: string | null
}

/** The version of session and pencil responses in the contract (spec §9). */
const KNOWN_SCHEMA_VERSION = 1
const MAX_VALUE_CHARS = 300
const MAX_UNKNOWN_MEMBERS = 30
/** Members that every response may have, or that the operation page shows in another section. */
const membersShownElsewhere = new Set([
  'bridgeApiVersion',
  'schemaVersion',
  'error',
  'warnings',
  'requestId',
  'topicid',
  'noteid',
  'persisted',
  'outcome',
  'persistedSnapshotVerified',
  'snapshotCurrent',
])

/** Unknown members can be told only if the contract shows the command's response. */
const isDocumented = ({ command, face }: Endpoint): boolean => command !== 'plain' || face?.name === 'verdict'

/** Reads the response and the last result; empty if the contract shows no response. */
export function parseAcknowledgements({ summary, events }: Pick<Operation, 'summary' | 'events'>): Acknowledgement[] {
  const row = findEndpointById(summary.endpoint)
  if (!row || !isDocumented(row)) return []
  const responseEvent = events.find((event) => event.kind === 'answer')
  // A check that found no change has no body of its own.
  const lastObservation = events.findLast((event) => event.kind === 'observation' && event.asBefore !== true)
  const isResult = lastObservation?.kind === 'observation' && lastObservation.source === 'pencil-result'
  return [
    ...(responseEvent
      ? toAcknowledgements(isError(responseEvent) ? 'refusal' : 'answer', responseEvent.at, responseEvent.body, row)
      : []),
    ...(isResult ? toAcknowledgements('result', lastObservation.at, lastObservation.body, row) : []),
  ]
}

const isError = ({ status, body }: { readonly status: number; readonly body: unknown }): boolean =>
  status >= 400 || errorCodeOf(body) !== null

function toAcknowledgements(
  from: Acknowledgement['from'],
  timestamp: number,
  body: unknown,
  row: Endpoint,
): Acknowledgement[] {
  if (!isObject(body)) return []
  const schemaPlans = from === 'result' ? [getPlan(getEndpoint('writing.pencilResult')), getPlan(row)] : [getPlan(row)]
  const facts: AcknowledgementFact[] = []
  const unknownMembers: string[] = []
  for (const [name, value] of Object.entries(body)) {
    if (membersShownElsewhere.has(name)) continue
    const memberPlans = schemaPlans.flatMap((plan) => findMemberPlan(plan, name) ?? [])
    if (memberPlans.length > 0) addFacts(name, value, memberPlans, facts, unknownMembers)
    else unknownMembers.push(name)
  }
  const sentVersion = getMember(body, 'schemaVersion')
  const isUnexpectedVersion = sentVersion !== undefined && sentVersion !== KNOWN_SCHEMA_VERSION
  if (facts.length + unknownMembers.length === 0 && !isUnexpectedVersion) return []
  const unexpectedVersion = isUnexpectedVersion ? formatValue(sentVersion) : null
  return [
    {
      from,
      timestamp,
      facts,
      unknownMembers: unknownMembers.slice(0, MAX_UNKNOWN_MEMBERS),
      unexpectedSchemaVersion: unexpectedVersion,
    },
  ]
}

function addFacts(
  name: string,
  value: unknown,
  plans: readonly SchemaPlan[],
  facts: AcknowledgementFact[],
  unknownMembers: string[],
): void {
  // A null member states no fact; `receipt` is null in every observed response (spec §2).
  if (value === null) return
  const names = plans.flatMap((plan) => (plan.kind === 'object' ? plan.members.map((member) => member.name) : []))
  if (!isObject(value) || names.length === 0) return void facts.push({ name, value: formatValue(value) })
  for (const [memberName, memberValue] of Object.entries(value)) {
    if (!names.includes(memberName)) unknownMembers.push(`${name}.${memberName}`)
    else if (memberValue !== null) facts.push({ name: `${name}.${memberName}`, value: formatValue(memberValue) })
  }
}

const getPlan = ({ response }: Endpoint): SchemaPlan | null =>
  response.kind === 'json' ? getSchemaPlan(response.schema) : null

function findMemberPlan(plan: SchemaPlan | null, name: string): SchemaPlan | null {
  if (plan?.kind !== 'object') return null
  const memberPlan = plan.members.find((member) => member.name === name)?.plan ?? null
  return memberPlan?.kind === 'optional' || memberPlan?.kind === 'nullable' ? memberPlan.inner : memberPlan
}

function formatValue(value: unknown): string {
  const isList = Array.isArray(value) && value.every((entry) => typeof entry === 'string')
  const text = typeof value === 'string' ? value : isList ? value.join(' ') : (JSON.stringify(value) ?? '')
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text
}
