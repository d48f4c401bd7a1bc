import { createHash } from 'node:crypto'
import type { Endpoint } from '../../../shared/bridge/endpoint.ts'
import { endpointById } from '../../../shared/bridge/endpoints/index.ts'
import { buildPath } from '../../../shared/bridge/request.ts'
import { isObject } from '../../../shared/bridge/operation-facts.ts'
import { refused } from '../../../shared/errors.ts'
import type { CommandDraft } from '../../../shared/ipc/commands.ts'
import type { BridgeTarget } from '../bridge/types.ts'
import type { Here } from './here.ts'

/** A command as it will be sent, checked by its row. */
export interface Command {
  readonly endpoint: Endpoint
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | number>>
  /** With what the gate adds; undefined = no body. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  readonly bodyText: string | null
  readonly path: string
  /** Members that the gate added. */
  readonly added: readonly string[]
  /** Members that the page gave and that do not count. */
  readonly ignored: readonly string[]
  readonly requestId: string | null
  readonly topicid: string | null
  readonly noteid: string | null
}

/**
 * Checks a draft against its row and adds what only the gate may add (spec §4: `confirm`). What the page says of `confirm` does not count.
 * Throws `ENDPOINT_UNKNOWN`, `NOT_A_WRITE`, `BODY_INVALID` and what `buildPath` throws.
 */
export function commandOf(draft: CommandDraft, target: BridgeTarget): Command {
  const endpoint = endpointById(draft.endpoint)
  if (!endpoint) throw refused('ENDPOINT_UNKNOWN', 'The page asked for an endpoint that is not in the table.')
  // Pairing makes a profile of its own; it has its own door.
  if (endpoint.access === 'read' || endpoint.id === 'pair.post') {
    throw refused('NOT_A_WRITE', `${endpoint.method} ${endpoint.path} is no write of this gate.`, {
      endpoint: endpoint.id,
    })
  }
  const path = buildPath(endpoint, draft.params, draft.query, target.pathOverrides[endpoint.id])
  const given = bodyOf(draft.body, endpoint)
  const rest = without(given, 'confirm')
  const added = endpoint.confirm === 'required' ? ['confirm'] : []
  const body = endpoint.body === null ? undefined : { ...rest, ...(added.length > 0 ? { confirm: true } : {}) }
  if (endpoint.body && !endpoint.body.safeParse(body).success) throw invalid(endpoint)
  const inner = isObject(rest['target']) ? rest['target'] : {}
  const practice = isObject(rest['practice']) ? rest['practice'] : {}
  const ids = Array.isArray(rest['noteIds']) ? (rest['noteIds'] as unknown[]) : []
  return {
    endpoint,
    params: draft.params,
    query: draft.query,
    body,
    bodyText: body === undefined ? null : JSON.stringify(body),
    path,
    added,
    ignored: Object.hasOwn(given, 'confirm') ? ['confirm'] : [],
    requestId: text(rest['requestId']),
    topicid: draft.params['topicid'] ?? text(inner['topicid']) ?? text(practice['topic']),
    noteid: draft.params['noteid'] ?? text(inner['noteid']) ?? text(rest['questionId']) ?? text(ids[0]),
  }
}

/** The same command without `confirm`: a host executes nothing of it (observed-0.49 `CONFIRM_REQUIRED`). */
export function withoutConfirm(command: Command): Command {
  if (command.body === undefined) return command
  const body = without(command.body, 'confirm')
  return { ...command, body, bodyText: JSON.stringify(body), added: [] }
}

/** What a ticket is bound to: exactly this request, by this profile, to this host, on this connection (spec: a restart is another one). */
export function bindingOf({ endpoint, path, bodyText }: Command, { target, profileId, nonce }: Here): string {
  const { baseUrl, epoch } = target
  const parts = [endpoint.id, endpoint.method, path, bodyText, profileId, baseUrl, epoch, nonce]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

function bodyOf(given: unknown, endpoint: Endpoint): Readonly<Record<string, unknown>> {
  if (given === undefined) return {}
  if (!isObject(given)) throw invalid(endpoint)
  return given
}

const invalid = (endpoint: Endpoint) =>
  refused('BODY_INVALID', `The body does not fit ${endpoint.method} ${endpoint.path}.`, { endpoint: endpoint.id })
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const without = (value: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
