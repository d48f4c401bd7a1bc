import { getNextSteps } from '../outcome/next-steps.ts'
import { getRowAccess } from '../../../../shared/bridge/row-access.ts'
import { findRowRoute, isRouteListed } from '../../../../shared/bridge/capabilities.ts'
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

interface DescriptionContext {
  readonly request: RequestDescription
  readonly obstacles: Obstacles
  readonly isJournaled: boolean
}

/** Earlier operations that stand in the way of a command. */
interface Obstacles {
  /** The unfinished commit of the same window. */
  readonly blocker: OperationRecord | null
  /** An earlier command with the same request id. */
  readonly earlier: EarlierCommand | null
}

/** @param records those of the same host, oldest first. */
export function findObstacles(
  command: PreparedCommand,
  { instanceNonce: nonce }: ConnectedHost,
  records: readonly OperationRecord[],
): Obstacles {
  const { endpoint, path, bodyText, requestId } = command
  return {
    blocker: findBlocker(command, records, nonce),
    earlier: findEarlierOperation({ endpoint: endpoint.id, path, body: bodyText, requestId }, records, nonce),
  }
}

/** Compared when the command is sent, so that new obstacles stop it. */
export function summarizeObstacles({ blocker, earlier }: Obstacles): readonly string[] {
  return [
    ...(blocker ? [`blocked by ${blocker.id}`] : []),
    ...(earlier ? [`${earlier.relation} of ${earlier.operationId}`] : []),
  ]
}

/** Collects everything that the user should know about a command before it is sent. */
export function describeCommand(
  command: PreparedCommand,
  host: ConnectedHost,
  { request, obstacles: { blocker, earlier }, isJournaled }: DescriptionContext,
): Omit<PreparedWrite, 'ticket' | 'expiresAt'> {
  const { endpoint, addedMembers, ignoredMembers, mismatches, file } = command
  const access = getRowAccess(endpoint, command.body)
  const route = host.capabilities && findRowRoute(endpoint, host.capabilities)
  const requiresMax = route?.requiresMax ?? null
  const isListed = isRouteListed(endpoint, host)
  const warnings: PreparedWrite['warnings'] = []
  const warn = (
    isApplicable: boolean,
    code: (typeof operationWarnings)[number],
    params: Record<string, string> = {},
  ): unknown => isApplicable && warnings.push({ code, params })
  warn(access === 'navigate', 'takes-over-screen')
  warn(endpoint.isIrreversible, 'cannot-be-undone')
  warn((access === 'write' || access === 'task') && endpoint.confirm === 'none', 'no-confirm-gate')
  warn(endpoint.confirm === 'unknown', requiresMax === false ? 'not-known-no-max' : 'not-known')
  warn(endpoint.confirm === 'body' && addedMembers.length === 0, 'confirm-not-added')
  warn(endpoint.needsApproval, 'may-need-approval')
  warn(mismatches.length > 0, 'body-differs', { places: mismatches.map(formatViolation).join(', ') })
  warn(getMember(command.body, 'addon') !== undefined, 'addon-is-rewritten')
  warn(requiresMax === true, 'requires-max')
  warn(isListed === false, 'not-listed')
  warn(ignoredMembers.length > 0, 'confirm-ignored')
  warn(blocker !== null, 'unfinished-commit', { requestId: blocker?.stored.requestId ?? '' })
  warn(earlier?.relation === 'replay', 'replay', { operationId: earlier?.operationId ?? '' })
  warn(earlier?.relation === 'conflict', 'other-target', { operationId: earlier?.operationId ?? '' })
  warn(earlier?.relation === 'unclear', 'id-used-before', { operationId: earlier?.operationId ?? '' })
  warn(!isJournaled, 'not-journaled')
  return {
    endpoint: endpoint.id,
    access: access === 'read' ? 'write' : access,
    method: request.method,
    path: request.path,
    origin: host.origin,
    basePath: new URL(host.target.baseUrl).pathname,
    headers: { ...request.headers },
    body: request.body,
    added: [...addedMembers],
    file: file && { size: file.size, sha256: file.sha256 },
    requiresMax,
    listed: isListed,
    // A preview of an upload would transfer every byte only for the host to refuse it.
    canPreview: endpoint.confirm === 'body' && addedMembers.length > 0,
    warnings,
    blockedBy: blocker?.id ?? null,
    sameRequestId: earlier,
  }
}

/** Example: `/cards/0/sourceNoteId (missing)`. Texts of exclusive members already name them. */
const formatViolation = ({ pointer, code, expected }: BodyViolation): string =>
  code === 'together' ? expected : `${pointer === '' ? '/' : pointer} (${[code, expected].filter(Boolean).join(': ')})`

/**
 * The unfinished commit of the same window, because each window may have only one unfinished commit
 * (spec §4, §8). The window of a surface is known only from earlier acknowledgements.
 */
function findBlocker(
  { endpoint, body, requestId }: PreparedCommand,
  records: readonly OperationRecord[],
  nonce: string | null,
): OperationRecord | null {
  if (endpoint.command !== 'pencil') return null
  const surface = getMember(body, 'surfaceId')
  const isOfSurface = ({ stored }: OperationRecord): boolean => getSurfaceId(stored.body) === surface
  const commits = records.filter(({ stored }) => stored.endpoint === endpoint.id)
  const window = commits.findLast((record) => isOfSurface(record) && windowIdOf(record) !== null)
  const blocker = commits.find(
    (record) =>
      mayBeUnfinished(record, nonce) &&
      record.stored.requestId !== requestId &&
      (isOfSurface(record) || (window !== undefined && windowIdOf(record) === windowIdOf(window))),
  )
  return blocker ?? null
}

/**
 * The tracking state does not matter, because the host may still be working on a commit that is no
 * longer watched here. A commit of another run of the host is gone.
 */
function mayBeUnfinished({ state, stored }: OperationRecord, nonce: string | null): boolean {
  if (!getNextSteps(state).mayBeRunning) return false
  return stored.instanceNonce === null || nonce === null || stored.instanceNonce === nonce
}

const windowIdOf = (record: OperationRecord): string | null => record.derived.facts.windowId

function getSurfaceId(body: string | null): unknown {
  const value = parseBodyText(body)
  return isObject(value) ? value['surfaceId'] : undefined
}
