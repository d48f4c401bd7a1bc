import {
  getCallAccess,
  listCallTargets,
  toCommandParameters,
  type CallMatch,
  type CallTarget,
} from '../../shared/bridge/call-target.ts'
import { classifyRequest } from '../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../shared/bridge/response-reading.ts'
import { AppError, createRefusedError } from '../../shared/errors.ts'
import type { CommandDraft } from '../../shared/operations/prepared-write.ts'
import { createUsageError } from '../base/flags.ts'
import type { ConnectedSession } from '../base/session.ts'
import { parseJson } from '../output/response-list.ts'

/** Joins the contract with the capabilities of the host, which are read once. */
export async function readCallTargets({ call, state }: ConnectedSession): Promise<readonly CallTarget[]> {
  return listCallTargets(await readCapabilities(call), state.profile?.paths)
}

/** Null if the capabilities cannot be read: the contract knows most routes anyway. */
export async function readCapabilities(call: ConnectedSession['call']) {
  try {
    const { bytes } = await call('bridge.read', { endpoint: 'capabilities.get', params: {}, query: {} })
    return readResponse('capabilities.get', parseJson(new Uint8Array(bytes))).value ?? null
  } catch (error) {
    if (error instanceof AppError && ['host', 'http', 'malformed'].includes(error.kind)) return null
    throw error
  }
}

/** Decides by the contract alone, without a request to the host. */
export function mayWrite(method: string, path: string, body: string | null): boolean {
  const { endpoint: row } = classifyRequest(method, path)
  if (row === null) return false
  const callable: CallTarget = { id: row.id, row, method, path: row.path, knownBy: 'unread', requiresMax: null }
  return getCallAccess(method, { target: callable, rawParameters: {} }, body) !== 'read'
}

export function toWriteDraft(match: CallMatch | null, path: string, body: string | null): CommandDraft {
  if (!match) {
    throw createRefusedError(
      'ROUTE_UNKNOWN',
      'Neither the contract nor the host lists this route, so it can’t be written to. Nothing was sent.',
    )
  }
  const parts = toCommandParameters(match, path)
  if (!parts) throw createUsageError('The query of a write is a list of pairs, each name once.')
  return { endpoint: match.target.id, ...parts, ...(body === null ? {} : { bodyText: body }) }
}
