import { createHash } from 'node:crypto'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { getRowAccess } from '../../../../shared/bridge/row-access.ts'
import { findEndpointRow } from '../../../../shared/bridge/listed-row.ts'
import { getMember, isObject, toNonEmptyText } from '../../../../shared/json/object.ts'
import { buildHostPath } from '../../bridge/client/request-path.ts'
import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import { createRefusedError } from '../../../../shared/errors.ts'
import { findBodyViolations, type BodyViolation } from '../../../../shared/bridge/body-violations.ts'
import type { CommandDraft } from '../../../../shared/operations/prepared-write.ts'
import { setMember } from '../../../../shared/json/text-edit.ts'
import type { BridgeRequest, BridgeTarget } from '../../bridge/types.ts'
import type { UploadFile } from '../../uploads/uploads.ts'
import type { ConnectedHost } from '../../bridge/connection/connected-host.ts'

/** A command as it will be sent, checked against its row. */
export interface PreparedCommand {
  readonly endpoint: Endpoint
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | number>>
  /** The value of `bodyText`, for inspection; undefined if there is no body. */
  readonly body: unknown
  /** The JSON text that is shown, recorded and sent, including what the gate adds; null if there is no body. */
  readonly bodyText: string | null
  /** The file whose bytes are the body. */
  readonly file: UploadFile | null
  readonly path: string
  /** Where the body differs from the table; it is sent anyway. */
  readonly mismatches: readonly BodyViolation[]
  /** Members that the gate added. */
  readonly addedMembers: readonly string[]
  /** Members that the page sent but that do not count. */
  readonly ignoredMembers: readonly string[]
  readonly requestId: string | null
  readonly topicid: string | null
  readonly noteid: string | null
  /** Who composed it; null if that was not said. */
  readonly caller: string | null
}

/**
 * Checks a draft against its row and adds what only the gate may add (spec §4: `confirm`). A `confirm` from the page counts only if no
 * document says whether the route has a gate. What the body holds is up to the user and the host (spec §1: bodies change with the host):
 * a misfit is reported, never refused. Throws `ENDPOINT_UNKNOWN`, `NOT_A_WRITE`, `UPLOAD_NEEDS_FILE`, `BODY_NOT_JSON`, and what
 * `buildPath` and `fileOf` throw.
 */
export function prepareCommand(
  draft: CommandDraft,
  target: BridgeTarget,
  capabilities: Capabilities | null,
  fileOf: UploadLookup = noFile,
): PreparedCommand {
  const endpoint = rowOf(draft.endpoint, capabilities)
  const given = givenBody(draft, endpoint)
  // Pairing creates a profile and has a method of its own. What hands out a token is never recorded.
  if (getRowAccess(endpoint, given?.value) === 'read' || endpoint.returnsSecret) {
    throw createRefusedError(
      'NOT_A_WRITE',
      `${endpoint.method} ${endpoint.path} is not a write that can be sent from here.`,
      {
        endpoint: endpoint.id,
      },
    )
  }
  if (endpoint.isUpload !== (draft.upload !== undefined)) {
    throw createRefusedError(
      'UPLOAD_NEEDS_FILE',
      `${endpoint.method} ${endpoint.path} takes a file, or no file at all.`,
      {
        endpoint: endpoint.id,
      },
    )
  }
  const { query, confirmed } = gatedQuery(draft.query, endpoint)
  const path = buildHostPath(target, endpoint, draft.params, query)
  const { body, bodyText, added, ignored } = gatedBody(given, endpoint)
  return {
    endpoint,
    params: draft.params,
    query,
    body,
    bodyText,
    file: draft.upload === undefined ? null : fileOf(draft.upload),
    path,
    mismatches: body === undefined ? [] : findBodyViolations(endpoint, body),
    addedMembers: confirmed ? ['confirm'] : added,
    ignoredMembers: confirmed && Object.hasOwn(draft.query, 'confirm') ? ['confirm'] : ignored,
    ...findNamedIds(draft.params, body),
    caller: draft.caller ?? null,
  }
}

/** The request id, study set and card that a command names in its path or its body. */
export function findNamedIds(
  params: Readonly<Record<string, string>>,
  body: unknown,
): Pick<PreparedCommand, 'requestId' | 'topicid' | 'noteid'> {
  const inner = getMember(body, 'target')
  const ids = getMember(body, 'noteIds')
  return {
    requestId: toNonEmptyText(getMember(body, 'requestId')),
    topicid:
      params['topicid'] ??
      toNonEmptyText(getMember(inner, 'topicid')) ??
      toNonEmptyText(getMember(getMember(body, 'practice'), 'topic')),
    noteid:
      params['noteid'] ??
      toNonEmptyText(getMember(inner, 'noteid')) ??
      toNonEmptyText(getMember(body, 'questionId')) ??
      toNonEmptyText(Array.isArray(ids) ? ids[0] : undefined),
  }
}

/** The row from the table, or for a route that the connected host lists. */
function rowOf(id: string, capabilities: Capabilities | null): Endpoint {
  const row = findEndpointRow(id, capabilities)
  if (row) return row
  throw createRefusedError(
    'ENDPOINT_UNKNOWN',
    'The page requested an endpoint that is neither in the table nor listed by the host.',
  )
}

interface Given {
  readonly value: unknown
  readonly text: string
}

/** The body as text if it was written as text, so that nothing in it changes; otherwise as the form has it. */
function givenBody({ body, bodyText }: CommandDraft, endpoint: Endpoint): Given | null {
  if (endpoint.body === null) return null
  if (bodyText === undefined) {
    const value = body ?? {}
    return { value, text: JSON.stringify(value) }
  }
  try {
    return { value: JSON.parse(bodyText) as unknown, text: bodyText.trim() }
  } catch {
    throw createRefusedError('BODY_NOT_JSON', `The body for ${endpoint.method} ${endpoint.path} is not JSON.`, {
      endpoint: endpoint.id,
    })
  }
}

function gatedBody(given: Given | null, { confirm }: Endpoint) {
  const nothing: readonly string[] = []
  if (given === null) return { body: undefined, bodyText: null, added: nothing, ignored: nothing }
  // Only an object can hold it; anything else a host may accept, such as a list of JSON-RPC calls, is sent unchanged.
  if (confirm === 'unknown' || !isObject(given.value)) {
    return { body: given.value, bodyText: given.text, added: nothing, ignored: nothing }
  }
  const ignored = Object.hasOwn(given.value, 'confirm') ? ['confirm'] : nothing
  const added = confirm === 'body' ? ['confirm'] : nothing
  const json = added.length > 0 ? 'true' : null
  const bodyText = added.length + ignored.length > 0 ? setMember(given.text, 'confirm', json) : given.text
  return { body: JSON.parse(bodyText) as unknown, bodyText, added, ignored }
}

/** The file that a page has handed over, by its id. Throws where it is not here, or not whole. */
export type UploadLookup = (id: string) => UploadFile

const noFile: UploadLookup = () => {
  throw createRefusedError('UPLOAD_UNKNOWN', 'The file is no longer here. Choose it again.')
}

/** The gate of some routes stands in the query (observed-0.49 §2). */
function gatedQuery(query: CommandDraft['query'], { confirm }: Endpoint) {
  return confirm === 'query' ? { query: { ...query, confirm: 1 }, confirmed: true } : { query, confirmed: false }
}

/** The same command without `confirm`, which a host does not execute (observed-0.49 `CONFIRM_REQUIRED`). */
export function removeConfirm(command: PreparedCommand): PreparedCommand {
  if (command.bodyText === null) return command
  const bodyText = setMember(command.bodyText, 'confirm', null)
  return { ...command, body: JSON.parse(bodyText) as unknown, bodyText, addedMembers: [] }
}

/** The request, both as it is shown and as it is sent. */
export const toBridgeRequest = ({ endpoint, params, query, body, bodyText, file }: PreparedCommand): BridgeRequest => ({
  endpoint,
  params,
  query,
  ...(bodyText === null ? {} : { body, bodyText }),
  ...(file === null ? {} : { file: { path: file.path, size: file.size } }),
})

/** What a ticket is bound to: exactly this request, by this profile, to this run of this host, on this connection. */
export function computeTicketBinding(
  { endpoint, path, bodyText, file }: PreparedCommand,
  { target, profileId, instanceNonce: nonce }: ConnectedHost,
): string {
  const { baseUrl, epoch } = target
  const parts = [endpoint.id, endpoint.method, path, bodyText, file?.id, file?.sha256, profileId, baseUrl, epoch, nonce]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
