import { createHash } from 'node:crypto'
import type { Endpoint } from '../../../shared/bridge/endpoint.ts'
import { accessOf } from '../../../shared/bridge/access.ts'
import { endpointById } from '../../../shared/bridge/endpoints/index.ts'
import { buildPath } from '../../../shared/bridge/request.ts'
import { refused } from '../../../shared/errors.ts'
import type { CommandDraft } from '../../../shared/ipc/commands.ts'
import type { BridgeTarget } from '../bridge/types.ts'
import type { Here } from './here.ts'
import { isObject } from '../../../shared/json/object.ts'

/** A command as it will be sent, checked by its row. */
export interface Command {
  readonly endpoint: Endpoint
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | number>>
  /** With what the gate adds; undefined = no body. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  readonly bodyText: string | null
  readonly path: string
  /** Places of the body that are not as the table has them, as JSON pointers; what does not fit may be sent all the same. */
  readonly misfits: readonly string[]
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
 * What the body holds is the person's and the host's matter (spec §1: bodies change with the host): a misfit is told, never refused.
 * Throws `ENDPOINT_UNKNOWN`, `NOT_A_WRITE`, `UPLOAD_NEEDS_FILE`, `BODY_INVALID` for what is no JSON object, and what `buildPath` throws.
 */
export function prepareCommand(draft: CommandDraft, target: BridgeTarget): Command {
  const endpoint = endpointById(draft.endpoint)
  if (!endpoint) throw refused('ENDPOINT_UNKNOWN', 'The page asked for an endpoint that is not in the table.')
  // Pairing makes a profile of its own; it has its own door. What gives a token away is written down nowhere.
  if (accessOf(endpoint, draft.body) === 'read' || endpoint.secret) {
    throw refused('NOT_A_WRITE', `${endpoint.method} ${endpoint.path} is no write of this gate.`, {
      endpoint: endpoint.id,
    })
  }
  if (endpoint.upload) {
    throw refused('UPLOAD_NEEDS_FILE', `${endpoint.method} ${endpoint.path} takes a file, not a command.`, {
      endpoint: endpoint.id,
    })
  }
  const path = buildPath(endpoint, draft.params, draft.query, target.pathOverrides[endpoint.id])
  const given = bodyOf(draft.body, endpoint)
  const rest = without(given, 'confirm')
  const added = endpoint.confirm === 'body' ? ['confirm'] : []
  const body = endpoint.body === null ? undefined : { ...rest, ...(added.length > 0 ? { confirm: true } : {}) }
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
    misfits: misfitsOf(endpoint, body),
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
export function ticketBinding({ endpoint, path, bodyText }: Command, { target, profileId, nonce }: Here): string {
  const { baseUrl, epoch } = target
  const parts = [endpoint.id, endpoint.method, path, bodyText, profileId, baseUrl, epoch, nonce]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

function bodyOf(given: unknown, endpoint: Endpoint): Readonly<Record<string, unknown>> {
  if (given === undefined) return {}
  if (!isObject(given)) throw invalid(endpoint)
  return given
}

/** Where a body is not as the table has it, the first places; the members that matter to a person stand there by name. */
function misfitsOf(endpoint: Endpoint, body: unknown): readonly string[] {
  const issues = endpoint.body?.safeParse(body).error?.issues ?? []
  return [...new Set(issues.map(({ path }) => path.map((step) => `/${String(step)}`).join('') || '/'))].slice(0, 10)
}

const invalid = (endpoint: Endpoint) =>
  refused('BODY_INVALID', `The body does not fit ${endpoint.method} ${endpoint.path}.`, { endpoint: endpoint.id })
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const without = (value: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
