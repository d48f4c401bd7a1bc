// Derives from a call alone what it may have changed in the host's data. Runs in a browser, too.

import { collectIds, type DataChange } from '../../../../shared/bridge/data-change.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { decodePercent, matchPathTemplate } from '../../../../shared/bridge/endpoints/path-template.ts'
import { getRowAccess } from '../../../../shared/bridge/row-access.ts'
import { unacceptedStates } from '../../../../shared/operations/operation-events.ts'
import { deriveOperation } from './derived-operation.ts'
import { judgeOutcome } from './reported-facts.ts'

const MAX_PATH_CHARS = 500

export interface EndedCall {
  readonly id: string
  readonly endpoint: Endpoint
  readonly origin: NonNullable<DataChange['cause']>['origin']
  readonly method: string
  readonly path: string
  /** The host's own path for the endpoint, if it has another one. */
  readonly pathOverride: string | undefined
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  readonly status: number | null
  readonly isComplete: boolean
  /** False if nothing of it left. */
  readonly isSent: boolean
  /** JSON values; null if they were not read. */
  readonly body: unknown
  readonly response: unknown
}

export function canChangeData(row: Endpoint): boolean {
  const isEffective = row.access !== 'read' || row.navigationMember !== null
  return isEffective && !row.createsProfile && !row.returnsSecret && row.dataKinds?.length !== 0
}

/** @returns null if the call changed nothing */
export function findDataChange(call: EndedCall): DataChange | null {
  const { id, endpoint, origin, method, path, pathOverride, body, response } = call
  if (!canChangeData(endpoint) || getRowAccess(endpoint, body) === 'read') return null
  const effect = getEffect(call)
  if (effect === 'none') return null
  // A read that takes over the screen changes no other data.
  const dataKinds = endpoint.access === 'read' ? (['screen'] as const) : endpoint.dataKinds
  return {
    // The clock is not asked, because the call may be of an earlier day.
    at: call.startedAt + call.durationMs,
    cause: { exchangeId: id, origin, endpoint: endpoint.id, method, path: path.slice(0, MAX_PATH_CHARS) },
    fact: null,
    matters: dataKinds && [...dataKinds],
    ids: collectChangedIds(endpoint, pathOverride, path, body, response),
    isCertain: effect === 'done',
  }
}

/** Returns the change of an ended command, which its acknowledgement did not make; or null. */
export function findCommandChange(
  row: Endpoint,
  { at, cause, body }: Pick<DataChange, 'at'> & { readonly cause: NonNullable<DataChange['cause']>; body: unknown },
): DataChange | null {
  if (row.command === 'plain' || !canChangeData(row)) return null
  return {
    at,
    cause: { ...cause, path: cause.path.slice(0, MAX_PATH_CHARS) },
    fact: null,
    matters: row.dataKinds && [...row.dataKinds],
    ids: collectChangedIds(row, undefined, cause.path, body, null),
    isCertain: false,
  }
}

function getEffect(call: EndedCall): 'done' | 'unknown' | 'none' {
  const { id, status, isComplete, isSent, startedAt, durationMs, response: body } = call
  if (status === null || !isComplete) return isSent ? 'unknown' : 'none'
  const events = [
    { kind: 'intent' as const, at: startedAt },
    { kind: 'sent' as const, at: startedAt },
    {
      kind: 'answer' as const,
      at: startedAt,
      status,
      body,
      cut: false,
      durationMs,
      exchangeId: id,
      instanceNonce: null,
    },
  ]
  const { state } = deriveOperation(call.endpoint.id, events)
  if (unacceptedStates.has(state)) return 'none'
  if (state === 'unknown-no-answer') return 'unknown'
  const { done } = judgeOutcome(call.endpoint.id, body)
  if (done === 'no') return 'none'
  return state === 'persisted' || done === 'partly' ? 'done' : 'unknown'
}

/** The ids in a request and, for each kind that it names, those in its response. */
function collectChangedIds(
  { path: template, parameters }: Endpoint,
  override: string | undefined,
  path: string,
  body: unknown,
  response: unknown,
): DataChange['ids'] {
  const [pathname = '', query = ''] = path.split('?', 2)
  const values = matchPathTemplate(override ?? template, pathname) ?? []
  const names = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const params = Object.fromEntries(names.map((name, index) => [name, decodePercent(values[index] ?? '')]))
  const requestIds = collectIds(params, Object.fromEntries(new URLSearchParams(query)), body)
  const responseIds = collectIds(response)
  const mergeIds = (fromRequest: readonly string[], fromResponse: readonly string[]): string[] =>
    fromRequest.length === 0 ? [] : [...new Set([...fromRequest, ...fromResponse])].slice(0, 500)
  return {
    cards: mergeIds(requestIds.cards, responseIds.cards),
    sets: mergeIds(requestIds.sets, responseIds.sets),
    documents: mergeIds(requestIds.documents, responseIds.documents),
    bundles: mergeIds(requestIds.bundles, responseIds.bundles),
  }
}
