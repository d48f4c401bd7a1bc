import { accessOf } from '../../../../shared/bridge/access.ts'
import { routeOf } from '../../../../shared/bridge/capabilities.ts'
import { member, isObject } from '../../../../shared/json/object.ts'
import {
  parsedBody,
  type Earlier,
  type operationWarnings,
  type Prepared,
} from '../../../../shared/operations/commands.ts'
import type { BodyMisfit } from '../../../../shared/bridge/body-misfits.ts'
import type { Described } from '../../bridge/types.ts'
import type { Command } from './command.ts'
import { earlierOf } from '../records/earlier.ts'
import type { Here } from '../../bridge/connection/connected-host.ts'
import type { OperationRecord } from '../records/record.ts'

interface Known {
  /** The request as the client would send it. */
  readonly request: Described
  readonly obstacles: Obstacles
  readonly journaled: boolean
}

/** What stands in the way of a command. */
interface Obstacles {
  /** The unfinished commit of the same window. */
  readonly blocker: OperationRecord | null
  /** An earlier command with the same request id. */
  readonly same: Earlier | null
}

/** `records`: those of the same host, oldest first. */
export function obstaclesOf(command: Command, { nonce }: Here, records: readonly OperationRecord[]): Obstacles {
  const { endpoint, path, bodyText, requestId } = command
  return {
    blocker: blockerOf(command, records, nonce),
    same: earlierOf({ endpoint: endpoint.id, path, body: bodyText, requestId }, records, nonce),
  }
}

/** Short forms of the obstacles, to compare what the user saw with what is in the way when the command is sent. */
export const troubleIn = ({ blocker, same }: Obstacles): readonly string[] => [
  ...(blocker ? [`blocked by ${blocker.id}`] : []),
  ...(same ? [`${same.relation} of ${same.operationId}`] : []),
]

/** Everything that the user should know about a command before it is sent. */
export function describeCommand(
  command: Command,
  here: Here,
  { request, obstacles: { blocker, same }, journaled }: Known,
): Omit<Prepared, 'ticket' | 'expiresAt'> {
  const { endpoint, added, ignored, misfits, file } = command
  const access = accessOf(endpoint, command.body)
  const route = here.capabilities && routeOf(endpoint, here.capabilities)
  const requiresMax = route?.requiresMax ?? null
  const listed = here.capabilities === null ? null : route !== null
  const warnings: Prepared['warnings'] = []
  const warn = (
    when: boolean,
    code: (typeof operationWarnings)[number],
    params: Record<string, string> = {},
  ): unknown => when && warnings.push({ code, params })
  warn(access === 'navigate', 'takes-over-screen')
  warn(endpoint.final, 'cannot-be-undone')
  warn((access === 'write' || access === 'task') && endpoint.confirm === 'none', 'no-confirm-gate')
  warn(endpoint.confirm === 'unknown', requiresMax === false ? 'not-known-no-max' : 'not-known')
  warn(endpoint.confirm === 'body' && added.length === 0, 'confirm-not-added')
  warn(endpoint.approval, 'may-need-approval')
  warn(misfits.length > 0, 'body-differs', { places: misfits.map(placeOf).join(', ') })
  warn(member(command.body, 'addon') !== undefined, 'addon-is-rewritten')
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
const placeOf = ({ at, code, expected }: BodyMisfit): string =>
  code === 'together' ? expected : `${at === '' ? '/' : at} (${[code, expected].filter(Boolean).join(': ')})`

/**
 * The unfinished commit of the same window: each window may have only one (spec §4, §8). Which window a surface belongs to is known only
 * from earlier acknowledgements.
 */
function blockerOf(
  { endpoint, body, requestId }: Command,
  records: readonly OperationRecord[],
  nonce: string | null,
): OperationRecord | null {
  if (endpoint.command !== 'pencil') return null
  const surface = member(body, 'surfaceId')
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
function mayBeUnfinished({ state, stored, open }: OperationRecord, nonce: string | null): boolean {
  if (state === 'unknown-host-restart' || state === 'unknown-no-record' || (!open && state !== 'given-up')) return false
  return stored.instanceNonce === null || nonce === null || stored.instanceNonce === nonce
}

const windowOf = (record: OperationRecord): string | null => record.derived.facts.windowId

function surfaceOf(body: string | null): unknown {
  const value = parsedBody(body)
  return isObject(value) ? value['surfaceId'] : undefined
}
