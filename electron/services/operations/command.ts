import { createHash } from 'node:crypto'
import type { Endpoint } from '../../../shared/bridge/endpoint.ts'
import { endpointById } from '../../../shared/bridge/endpoints/index.ts'
import { buildPath } from '../../../shared/bridge/request.ts'
import { refused } from '../../../shared/errors.ts'
import type { CommandDraft } from '../../../shared/ipc/operations.ts'
import type { BridgeTarget } from '../bridge/types.ts'

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
  if (endpoint.access === 'read' || endpoint.id === 'pair.post') {
    throw refused('NOT_A_WRITE', `${endpoint.method} ${endpoint.path} is no write of this gate.`, {
      endpoint: endpoint.id,
    })
  }
  const path = buildPath(endpoint, draft.params, draft.query, target.pathOverrides[endpoint.id])
  const given = isObject(draft.body) ? draft.body : {}
  if (draft.body !== undefined && !isObject(draft.body)) throw invalid(endpoint)
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
    requestId: text(rest['requestId']),
    topicid: draft.params['topicid'] ?? text(inner['topicid']) ?? text(practice['topic']),
    noteid: draft.params['noteid'] ?? text(inner['noteid']) ?? text(rest['questionId']) ?? text(ids[0]),
  }
}

/** The same command without `confirm`: a host executes nothing of it (observed-0.49 `CONFIRM_REQUIRED`). */
export function unconfirmed({ body }: Command): Readonly<Record<string, unknown>> | undefined {
  return body === undefined ? undefined : without(body, 'confirm')
}

/** What a ticket is bound to: exactly this request to exactly this host on this connection. */
export function bindingOf(command: Command, profileId: string, target: BridgeTarget, nonce: string | null): string {
  const { endpoint, path, bodyText } = command
  const parts = [endpoint.id, endpoint.method, path, bodyText, profileId, target.baseUrl, String(target.epoch), nonce]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

const invalid = (endpoint: Endpoint) =>
  refused('BODY_INVALID', `The body does not fit ${endpoint.method} ${endpoint.path}.`, { endpoint: endpoint.id })
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const without = (value: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
