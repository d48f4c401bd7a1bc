import { compareCapabilities } from '../../../shared/bridge/capabilities.ts'
import { endpoint } from '../../../shared/bridge/endpoints/index.ts'
import { listedIn } from '../../../shared/bridge/listed.ts'
import type { Capabilities } from '../../../shared/bridge/resources/state.ts'
import type { OperationEvent } from '../../../shared/bridge/operation-states.ts'
import { AppError, toWire } from '../../../shared/errors.ts'
import type { BridgeClient, BridgeTarget } from '../bridge/types.ts'

type ReadBack = Extract<OperationEvent, { kind: 'read-back' }>
const quick = { totalTimeoutMs: 15_000, maxBytes: 4 * 1024 * 1024 }

/** What a command touches, by its endpoint: a card, or the record of the practice session. */
export interface Subject {
  readonly endpoint: string
  readonly noteid: string | null
  readonly topicid: string | null
}

/**
 * Reads what a command touches, independently of what the host says of the command: the members of the card that a write can change, or
 * the session record. Never rejects: what could not be read is part of the event.
 */
export async function readBack(
  client: BridgeClient,
  target: BridgeTarget,
  subject: Subject,
  when: ReadBack['when'],
): Promise<ReadBack | null> {
  const at = (): number => Date.now()
  try {
    const facts = subject.endpoint.startsWith('writing.session')
      ? await sessionFacts(client, target)
      : subject.noteid === null
        ? null
        : await cardFacts(client, target, subject.noteid)
    return facts === null ? null : { kind: 'read-back', at: at(), when, facts, error: null }
  } catch (error) {
    return { kind: 'read-back', at: at(), when, facts: null, error: toWire(error) }
  }
}

async function cardFacts(client: BridgeClient, target: BridgeTarget, noteid: string): Promise<Record<string, unknown>> {
  const { value } = await client.requestJson(target, {
    endpoint: endpoint('notes.batchGet'),
    body: { noteIds: [noteid] },
    limits: quick,
  })
  const [item] = listedIn<Record<string, unknown>>(value, 'items').items
  if (!item) return { exists: false }
  // Parts are left out: their bytes are no part of this, and there may be hundreds.
  return { exists: true, ...Object.fromEntries(Object.entries(item).filter(([name]) => name !== 'parts')) }
}

/** The session record, where the host has one: `GET /writing/context` is the route that could hold it (spec §4, shape not shown). */
async function sessionFacts(client: BridgeClient, target: BridgeTarget): Promise<Record<string, unknown>> {
  const { value } = await client.requestJson(target, { endpoint: endpoint('writing.context'), limits: quick })
  const session = typeof value === 'object' && value !== null ? Reflect.get(value, 'session') : undefined
  return typeof session === 'object' && session !== null
    ? { ...(session as Record<string, unknown>) }
    : { session: session ?? null }
}

/** Whether the host lists the route that a session command could be confirmed by. */
export function listsSessionRoute(capabilities: Pick<Capabilities, 'routes'> | null): boolean {
  return capabilities !== null && !compareCapabilities(capabilities).missing.includes('writing.context')
}

/** Whether a failed request may have reached the host. Where it is not certain, it may. */
export function reachedHost(error: unknown): 'no' | 'maybe' {
  if (!(error instanceof AppError)) return 'maybe'
  const { kind, code = '' } = error.wire
  if (kind === 'refused') return 'no'
  return /^(CONNECTION_REFUSED|DNS_|CERTIFICATE|TLS_NOT_SPOKEN|NOT_ALLOWED)/.test(code) ? 'no' : 'maybe'
}
