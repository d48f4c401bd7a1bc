import { watch } from 'vue'
import { getPathFields } from '../../model/console/request-path.ts'
import {
  matchCallTarget,
  type CallTarget,
  type CallMatch,
  toCommandParameters,
} from '../../../shared/bridge/call-target.ts'
import { isJson } from '../../../shared/json/inspection.ts'
import type { FilledRequest, StepResponse } from '../../model/console/request-sequence.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'
import { readExchangeBody, readExchange } from '../../stores/exchange.ts'
import { useOperations } from '../../stores/operations.ts'

/** Why a request that may write cannot go through the gate (`console.cannot.<code>`). */
export type ReviewObstacle = 'unlisted' | 'query' | 'not-json'

interface WriteReview {
  /** Null if it can be reviewed. */
  findObstacle(request: FilledRequest): ReviewObstacle | null
  /** Opens the review, with exactly this body, and waits until it is closed. Null if it was not sent there. */
  openReview(request: FilledRequest, signal?: AbortSignal): Promise<Operation | null>
}

/** The way to the host for whatever may write: nothing of it is sent without its review. */
export function useWriteReview(all: () => readonly CallTarget[]): WriteReview {
  const operations = useOperations()

  function hindrance({ method, path, body }: FilledRequest): ReviewObstacle | null {
    const match = matchCallTarget(method, path, all())
    if (!match) return 'unlisted'
    if (valuesOf(match, path) === null) return 'query'
    return body === null || isJson(body) ? null : 'not-json'
  }

  async function review(request: FilledRequest, signal?: AbortSignal): Promise<Operation | null> {
    const match = matchCallTarget(request.method, request.path, all())
    const values = match && valuesOf(match, request.path)
    if (!match || !values) return null
    let sent: Operation | null = null
    operations.compose(match.target.id, values, {
      review: true,
      onSent: (operation) => (sent = operation),
      ...(request.body === null ? {} : { body: request.body }),
    })
    const mine = operations.composedWrite
    return new Promise((resolve) => {
      const stop = watch(
        () => operations.composedWrite,
        (now) => {
          if (now === mine) return
          stop()
          resolve(sent)
        },
      )
      signal?.addEventListener('abort', () => {
        if (operations.composedWrite === mine) operations.composedWrite = null
      })
    })
  }
  return { findObstacle: hindrance, openReview: review }
}

/** The path as the fields of the review; null if they would not say the same. */
function valuesOf(match: CallMatch, path: string): Readonly<Record<string, string>> | null {
  const parts = toCommandParameters(match, path)
  if (!parts) return null
  const fields = getPathFields(match)
  const named = new Set(fields.map(({ name }) => name))
  const others = Object.entries(parts.query).filter(([name]) => !named.has(name))
  const pairs = fields.find(({ type }) => type === 'pairs')
  if (others.length > 0 && !pairs) return null
  const rest = pairs ? { [pairs.name]: others.map(([name, value]) => `${name}=${value}`).join('\n') } : {}
  const query = Object.fromEntries(Object.entries(parts.query).filter(([name]) => named.has(name)))
  return { ...parts.params, ...query, ...rest }
}

/** What the host answered to a write that was sent; throws what kept it from an answer. */
export async function readWriteResponse({ summary, events }: Operation): Promise<StepResponse> {
  const answer = events.find((event) => event.kind === 'answer')
  if (answer?.kind !== 'answer') return { seq: null, operationId: summary.id, status: 0, readBody: async () => null }
  const seq = await readExchange({ id: answer.exchangeId }).then(
    ({ row }) => row.seq,
    () => null,
  )
  const body = async (): Promise<string | null> => {
    // The record has the body parsed; what was recorded has it as it was sent.
    if (seq !== null) return readResponseText(seq)
    return answer.cut || answer.body === null ? null : JSON.stringify(answer.body)
  }
  return { seq, operationId: summary.id, status: answer.status, readBody: body }
}

/** The body of an answer as text. */
export const readResponseText = async (seq: number): Promise<string> =>
  new TextDecoder().decode(await readExchangeBody(seq, 'response'))
