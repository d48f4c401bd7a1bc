import { watch } from 'vue'
import { getPathFields } from '../../model/console/request-path.ts'
import {
  matchCallTarget,
  type CallTarget,
  type CallMatch,
  toCommandParameters,
} from '../../../shared/bridge/call-target.ts'
import { isValidJsonText } from '../../../shared/json/inspection.ts'
import type { FilledRequest, StepResponse } from '../../../shared/collections/request-sequence.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'
import { readExchangeBody, readExchange } from '../../stores/exchange.ts'
import { useOperations } from '../../stores/operations.ts'

/** Why a request that may write cannot be reviewed: a message key below `console.cannot`. */
export type ReviewObstacle = 'unlisted' | 'query' | 'not-json'

interface WriteReview {
  /** Null if the request can be reviewed. */
  findObstacle(request: FilledRequest): ReviewObstacle | null
  /** Opens the review with exactly this body. Resolves with null if nothing was sent. */
  openReview(request: FilledRequest, signal?: AbortSignal): Promise<Operation | null>
}

/** Opens the review for requests that may write, which are sent in no other way. */
export function useWriteReview(listTargets: () => readonly CallTarget[]): WriteReview {
  const operations = useOperations()

  function findObstacle({ method, path, body }: FilledRequest): ReviewObstacle | null {
    const match = matchCallTarget(method, path, listTargets())
    if (!match) return 'unlisted'
    if (toFieldValues(match, path) === null) return 'query'
    return body === null || isValidJsonText(body) ? null : 'not-json'
  }

  async function openReview(request: FilledRequest, signal?: AbortSignal): Promise<Operation | null> {
    const match = matchCallTarget(request.method, request.path, listTargets())
    const values = match && toFieldValues(match, request.path)
    if (!match || !values) return null
    let sentOperation: Operation | null = null
    operations.compose(match.target.id, values, {
      review: true,
      onSent: (operation) => (sentOperation = operation),
      ...(request.body === null ? {} : { body: request.body }),
    })
    const reviewedWrite = operations.composedWrite
    return new Promise((resolve) => {
      const stopWatching = watch(
        () => operations.composedWrite,
        (current) => {
          if (current === reviewedWrite) return
          stopWatching()
          resolve(sentOperation)
        },
      )
      signal?.addEventListener('abort', () => {
        if (operations.composedWrite === reviewedWrite) operations.composedWrite = null
      })
    })
  }
  return { findObstacle, openReview }
}

/** Null if the fields of the review cannot express the path. */
function toFieldValues(match: CallMatch, path: string): Readonly<Record<string, string>> | null {
  const parameters = toCommandParameters(match, path)
  if (!parameters) return null
  const fields = getPathFields(match)
  const fieldNames = new Set(fields.map(({ name }) => name))
  const otherPairs = Object.entries(parameters.query).filter(([name]) => !fieldNames.has(name))
  const pairsField = fields.find(({ type }) => type === 'pairs')
  if (otherPairs.length > 0 && !pairsField) return null
  const pairsValue = pairsField
    ? { [pairsField.name]: otherPairs.map(([name, value]) => `${name}=${value}`).join('\n') }
    : {}
  const query = Object.fromEntries(Object.entries(parameters.query).filter(([name]) => fieldNames.has(name)))
  return { ...parameters.params, ...query, ...pairsValue }
}

/** Reads the response to a sent write. Status 0 means that the host has not responded. */
export async function readWriteResponse({ summary, events }: Operation): Promise<StepResponse> {
  const response = events.find((event) => event.kind === 'answer')
  if (response?.kind !== 'answer') return { seq: null, operationId: summary.id, status: 0, readBody: async () => null }
  const seq = await readExchange({ id: response.exchangeId }).then(
    ({ row }) => row.seq,
    () => null,
  )
  const readBody = async (): Promise<string | null> => {
    // The record has the parsed body; the recorded exchange has it exactly as sent.
    if (seq !== null) return readResponseText(seq)
    return response.cut || response.body === null ? null : JSON.stringify(response.body)
  }
  return { seq, operationId: summary.id, status: response.status, readBody }
}

/** `seq` is the position of the exchange in the traffic store. */
export async function readResponseText(seq: number): Promise<string> {
  return new TextDecoder().decode(await readExchangeBody(seq, 'response'))
}
