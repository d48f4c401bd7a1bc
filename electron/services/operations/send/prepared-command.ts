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
import { setMember } from '../../../core/json/text-edit.ts'
import type { BridgeRequest, BridgeTarget } from '../../bridge/types.ts'
import type { UploadFile } from '../../uploads/uploads.ts'
import type { ConnectedHost } from '../../bridge/connection/connected-host.ts'

/** A command as it will be sent, checked against its endpoint. */
export interface PreparedCommand {
  readonly endpoint: Endpoint
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | number>>
  /** The parsed `bodyText`, for inspection; undefined if there is no body. */
  readonly body: unknown
  /** JSON that is shown, recorded and sent, with the gate's members; null without a body. */
  readonly bodyText: string | null
  readonly file: UploadFile | null
  readonly path: string
  /** Places where the body differs from the endpoint table. The body is sent anyway. */
  readonly mismatches: readonly BodyViolation[]
  readonly addedMembers: readonly string[]
  /** Members of the draft that the gate removed or replaced. */
  readonly ignoredMembers: readonly string[]
  readonly requestId: string | null
  readonly topicid: string | null
  readonly noteid: string | null
  /** Name of the program that composed the command; null if unknown. */
  readonly caller: string | null
}

/**
 * Checks a draft against its endpoint and adds what only the gate may add (spec §4: `confirm`). A
 * `confirm` from the page counts only if it is not documented whether the endpoint requires
 * `confirm`. The content of the body is up to the user and the host (spec §1: bodies change with
 * the host), so a mismatch is reported and never refused.
 * @throws ENDPOINT_UNKNOWN, NOT_A_WRITE, UPLOAD_NEEDS_FILE or BODY_NOT_JSON when the draft does not
 *   fit its endpoint, and the errors of `buildHostPath` and `findUpload`
 */
export function prepareCommand(
  draft: CommandDraft,
  target: BridgeTarget,
  capabilities: Capabilities | null,
  findUpload: UploadLookup = rejectUpload,
): PreparedCommand {
  const endpoint = getRow(draft.endpoint, capabilities)
  const draftBody = parseDraftBody(draft, endpoint)
  // Pairing has its own method. Responses that contain a token are never recorded.
  if (getRowAccess(endpoint, draftBody?.value) === 'read' || endpoint.returnsSecret) {
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
  const { query, confirmed: isConfirmed } = applyQueryGate(draft.query, endpoint)
  const path = buildHostPath(target, endpoint, draft.params, query)
  const { body, bodyText, added: addedMembers, ignored: ignoredMembers } = applyBodyGate(draftBody, endpoint)
  return {
    endpoint,
    params: draft.params,
    query,
    body,
    bodyText,
    file: draft.upload === undefined ? null : findUpload(draft.upload),
    path,
    mismatches: body === undefined ? [] : findBodyViolations(endpoint, body),
    addedMembers: isConfirmed ? ['confirm'] : addedMembers,
    ignoredMembers: isConfirmed && Object.hasOwn(draft.query, 'confirm') ? ['confirm'] : ignoredMembers,
    ...findNamedIds(draft.params, body),
    caller: draft.caller ?? null,
  }
}

export function findNamedIds(
  params: Readonly<Record<string, string>>,
  body: unknown,
): Pick<PreparedCommand, 'requestId' | 'topicid' | 'noteid'> {
  const target = getMember(body, 'target')
  const noteIds = getMember(body, 'noteIds')
  return {
    requestId: toNonEmptyText(getMember(body, 'requestId')),
    topicid:
      params['topicid'] ??
      toNonEmptyText(getMember(target, 'topicid')) ??
      toNonEmptyText(getMember(getMember(body, 'practice'), 'topic')),
    noteid:
      params['noteid'] ??
      toNonEmptyText(getMember(target, 'noteid')) ??
      toNonEmptyText(Array.isArray(noteIds) ? noteIds[0] : undefined),
  }
}

/** Returns an endpoint of the table, or one for a route that only the connected host lists. */
function getRow(id: string, capabilities: Capabilities | null): Endpoint {
  const row = findEndpointRow(id, capabilities)
  if (row) return row
  throw createRefusedError(
    'ENDPOINT_UNKNOWN',
    'The page requested an endpoint that is neither in the table nor listed by the host.',
  )
}

interface DraftBody {
  readonly value: unknown
  readonly text: string
}

/** Keeps the text of a body that was written as text, so that no byte of it changes. */
function parseDraftBody({ body, bodyText }: CommandDraft, endpoint: Endpoint): DraftBody | null {
  if (endpoint.body === null) return null
  if (bodyText === undefined) {
    const value = body ?? {}
    // Nothing is known of the body of a route that only the host lists, so none is made up.
    const isEmpty = body === undefined || (endpoint.method === 'DELETE' && Object.keys(value).length === 0)
    if (isEmpty && endpoint.confirm === 'unknown') return null
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

function applyBodyGate(draftBody: DraftBody | null, { confirm }: Endpoint) {
  const noNames: readonly string[] = []
  if (draftBody === null) return { body: undefined, bodyText: null, added: noNames, ignored: noNames }
  // Only an object can hold `confirm`; a list of JSON-RPC calls, say, is sent unchanged.
  if (confirm === 'unknown' || !isObject(draftBody.value)) {
    return { body: draftBody.value, bodyText: draftBody.text, added: noNames, ignored: noNames }
  }
  const ignored = Object.hasOwn(draftBody.value, 'confirm') ? ['confirm'] : noNames
  const added = confirm === 'body' ? ['confirm'] : noNames
  const json = added.length > 0 ? 'true' : null
  const bodyText = added.length + ignored.length > 0 ? setMember(draftBody.text, 'confirm', json) : draftBody.text
  return { body: JSON.parse(bodyText) as unknown, bodyText, added, ignored }
}

/** The file that a page has uploaded, by its id. @throws UPLOAD_UNKNOWN, UPLOAD_INCOMPLETE */
export type UploadLookup = (id: string) => UploadFile

const rejectUpload: UploadLookup = () => {
  throw createRefusedError('UPLOAD_UNKNOWN', 'The file is no longer here. Choose it again.')
}

/** Adds `confirm` to the query for the routes that take it there (observed-0.49 §2). */
function applyQueryGate(query: CommandDraft['query'], { confirm }: Endpoint) {
  return confirm === 'query' ? { query: { ...query, confirm: 1 }, confirmed: true } : { query, confirmed: false }
}

/** A host does not execute a command without `confirm` (observed-0.49 `CONFIRM_REQUIRED`). */
export function removeConfirm(command: PreparedCommand): PreparedCommand {
  if (command.bodyText === null) return command
  const bodyText = setMember(command.bodyText, 'confirm', null)
  return { ...command, body: JSON.parse(bodyText) as unknown, bodyText, addedMembers: [] }
}

export function toBridgeRequest({ endpoint, params, query, body, bodyText, file }: PreparedCommand): BridgeRequest {
  return {
    endpoint,
    params,
    query,
    ...(bodyText === null ? {} : { body, bodyText }),
    ...(file === null ? {} : { file: { path: file.path, size: file.size } }),
  }
}

/** Binds to exactly this request, by this profile, to this run of the host, on this connection. */
export function computeTicketBinding(
  { endpoint, path, bodyText, file }: PreparedCommand,
  { target, profileId, instanceNonce: nonce }: ConnectedHost,
): string {
  const { baseUrl, epoch } = target
  const parts = [endpoint.id, endpoint.method, path, bodyText, file?.id, file?.sha256, profileId, baseUrl, epoch, nonce]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
