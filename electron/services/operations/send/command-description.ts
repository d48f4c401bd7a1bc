import { getRowAccess } from '../../../../shared/bridge/row-access.ts'
import { findRowRoute } from '../../../../shared/bridge/capabilities.ts'
import { getMember, isObject } from '../../../../shared/json/object.ts'
import {
  parseBodyText,
  type EarlierCommand,
  type operationWarnings,
  type PreparedWrite,
} from '../../../../shared/operations/prepared-write.ts'
import type { BodyViolation } from '../../../../shared/bridge/body-violations.ts'
import type { RequestDescription } from '../../bridge/types.ts'
import type { PreparedCommand } from './prepared-command.ts'
import { findEarlierOperation } from '../records/related-operations.ts'
import type { ConnectedHost } from '../../bridge/connection/connected-host.ts'
import type { OperationRecord } from '../records/record.ts'

interface Known {
  /** The request as the client would send it. */
  readonly request: RequestDescription
  readonly obstacles: Obstacles
  readonly isJournaled: boolean
}

/** What stands in the way of a command. */
interface Obstacles {
  /** The unfinished commit of the same window. */
  readonly blocker: OperationRecord | null
  /** An earlier command with the same request id. */
  readonly earlier: EarlierCommand | null
}

/** `records`: those of the same host, oldest first. */
export function findObstacles(
  command: PreparedCommand,
  { instanceNonce: nonce }: ConnectedHost,
  records: readonly OperationRecord[],
): Obstacles {
  const { endpoint, path, bodyText, requestId } = command
  return {
    blocker: blockerOf(command, records, nonce),
    earlier: findEarlierOperation({ endpoint: endpoint.id, path, body: bodyText, requestId }, records, nonce),
  }
}

/** Short forms of the obstacles, to compare what the user saw with what is in the way when the command is sent. */
export const summarizeObstacles = ({ blocker, earlier: same }: Obstacles): readonly string[] => [
  ...(blocker ? [`blocked by ${blocker.id}`] : []),
  ...(same ? [`${same.relation} of ${same.operationId}`] : []),
]

/** Everything that the user should know about a command before it is sent. */
export function describeCommand(
  command: PreparedCommand,
  here: ConnectedHost,
  { request, obstacles: { blocker, earlier: same }, isJournaled: journaled }: Known,
): Omit<PreparedWrite, 'ticket' | 'expiresAt'> {
  const { endpoint, addedMembers: added, ignoredMembers: ignored, mismatches: misfits, file } = command
  const access = getRowAccess(endpoint, command.body)
  const route = here.capabilities && findRowRoute(endpoint, here.capabilities)
  const requiresMax = route?.requiresMax ?? null
  const listed = here.capabilities === null ? null : route !== null
  const warnings: PreparedWrite['warnings'] = []
  const warn = (
    when: boolean,
    code: (typeof operationWarnings)[number],
    params: Record<string, string> = {},
  ): unknown => when && warnings.push({ code, params })
  warn(access === 'navigate', 'takes-over-screen')
  warn(endpoint.isIrreversible, 'cannot-be-undone')
  warn((access === 'write' || access === 'task') && endpoint.confirm === 'none', 'no-confirm-gate')
  warn(endpoint.confirm === 'unknown', requiresMax === false ? 'not-known-no-max' : 'not-known')
  warn(endpoint.confirm === 'body' && added.length === 0, 'confirm-not-added')
  warn(endpoint.needsApproval, 'may-need-approval')
  warn(misfits.length > 0, 'body-differs', { places: misfits.map(placeOf).join(', ') })
  warn(getMember(command.body, 'addon') !== undefined, 'addon-is-rewritten')
  warn(requiresMax === true, 'requires-max')
  warn(listed === false, 'not-listed')
  warn(ignored.length > 0, 'confirm-ignored')
  warn(blocker !== null, 'unfinished-commit', { requestId: blocker?.stored.requestId ?? '' })
  warn(same?.relation === 'replay', 'replay', { operationId: same?.operationId ?? '' })
  warn(same?.relation === 'conflict', 'other-target', { operationId: same?.operationId ?? '' })
  warn(same?.relation === 'unclear', 'id-used-before', { operationId: same?.operationId ?? '' })
  warn(!journaled, 'not-journaled')
  return {
    endpoint: endpoint.id,
    access: access === 'read' ? 'write' : access,
    method: request.method,
    path: request.path,
    origin: here.origin,
    basePath: new URL(here.target.baseUrl).pathname,
    headers: { ...request.headers },
    body: request.body,
    added: [...added],
    file: file && { size: file.size, sha256: file.sha256 },
    requiresMax,
    listed,
    // Of an upload all bytes would travel to be refused.
    canPreview: endpoint.confirm === 'body' && added.length > 0,
    warnings,
    blockedBy: blocker?.id ?? null,
    sameRequestId: same,
  }
}

/** `/cards/0/sourceNoteId (missing)`; mutually exclusive members are named by themselves. */
const placeOf = ({ pointer: at, code, expected }: BodyViolation): string =>
  code === 'together' ? expected : `${at === '' ? '/' : at} (${[code, expected].filter(Boolean).join(': ')})`

/**
 * The unfinished commit of the same window: each window may have only one (spec §4, §8). Which window a surface belongs to is known only
 * from earlier acknowledgements.
 */
function blockerOf(
  { endpoint, body, requestId }: PreparedCommand,
  records: readonly OperationRecord[],
  nonce: string | null,
): OperationRecord | null {
  if (endpoint.command !== 'pencil') return null
  const surface = getMember(body, 'surfaceId')
  const ofSurface = ({ stored }: OperationRecord): boolean => surfaceOf(stored.body) === surface
  const commits = records.filter(({ stored }) => stored.endpoint === endpoint.id)
  const window = commits.findLast((record) => ofSurface(record) && windowOf(record) !== null)
  const found = commits.find(
    (record) =>
      mayBeUnfinished(record, nonce) &&
      record.stored.requestId !== requestId &&
      (ofSurface(record) || (window !== undefined && windowOf(record) === windowOf(window))),
  )
  return found ?? null
}

/** Independent of the tracking: a commit that was given up here is still unfinished, and one of another run of the host is gone. */
function mayBeUnfinished({ state, stored, isOpen: open }: OperationRecord, nonce: string | null): boolean {
  if (state === 'unknown-host-restart' || state === 'unknown-no-record' || (!open && state !== 'given-up')) return false
  return stored.instanceNonce === null || nonce === null || stored.instanceNonce === nonce
}

const windowOf = (record: OperationRecord): string | null => record.derived.facts.windowId

function surfaceOf(body: string | null): unknown {
  const value = parseBodyText(body)
  return isObject(value) ? value['surfaceId'] : undefined
}
