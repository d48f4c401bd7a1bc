import { watch } from 'vue'
import { addressFields } from '../../model/console/address.ts'
import { matchOf, type Callable, type Match, commandParts } from '../../../shared/bridge/callable.ts'
import { isJson } from '../../../shared/json/inspect.ts'
import type { FilledRequest, Sent } from '../../model/console/sequence.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'
import { readBody, readExchange } from '../../stores/exchange.ts'
import { useOperations } from '../../stores/operations.ts'

/** Why a request that may write cannot go through the gate (`console.cannot.<code>`). */
export type Hindrance = 'unlisted' | 'query' | 'not-json'

interface Gate {
  /** Null if it can be reviewed. */
  hindrance(request: FilledRequest): Hindrance | null
  /** Opens the review, with exactly this body, and waits until it is closed. Null if it was not sent there. */
  review(request: FilledRequest, signal?: AbortSignal): Promise<Operation | null>
}

/** The way to the host for whatever may write: nothing of it is sent without its review. */
export function useGate(all: () => readonly Callable[]): Gate {
  const operations = useOperations()

  function hindrance({ method, path, body }: FilledRequest): Hindrance | null {
    const match = matchOf(method, path, all())
    if (!match) return 'unlisted'
    if (valuesOf(match, path) === null) return 'query'
    return body === null || isJson(body) ? null : 'not-json'
  }

  async function review(request: FilledRequest, signal?: AbortSignal): Promise<Operation | null> {
    const match = matchOf(request.method, request.path, all())
    const values = match && valuesOf(match, request.path)
    if (!match || !values) return null
    let sent: Operation | null = null
    operations.compose(match.callable.id, values, {
      review: true,
      sent: (operation) => (sent = operation),
      ...(request.body === null ? {} : { body: request.body }),
    })
    const mine = operations.composing
    return new Promise((resolve) => {
      const stop = watch(
        () => operations.composing,
        (now) => {
          if (now === mine) return
          stop()
          resolve(sent)
        },
      )
      signal?.addEventListener('abort', () => {
        if (operations.composing === mine) operations.composing = null
      })
    })
  }
  return { hindrance, review }
}

/** The path as the fields of the review; null if they would not say the same. */
function valuesOf(match: Match, path: string): Readonly<Record<string, string>> | null {
  const parts = commandParts(match, path)
  if (!parts) return null
  const fields = addressFields(match)
  const named = new Set(fields.map(({ name }) => name))
  const others = Object.entries(parts.query).filter(([name]) => !named.has(name))
  const pairs = fields.find(({ type }) => type === 'pairs')
  if (others.length > 0 && !pairs) return null
  const rest = pairs ? { [pairs.name]: others.map(([name, value]) => `${name}=${value}`).join('\n') } : {}
  const query = Object.fromEntries(Object.entries(parts.query).filter(([name]) => named.has(name)))
  return { ...parts.params, ...query, ...rest }
}

/** What the host answered to a write that was sent; throws what kept it from an answer. */
export async function answerTo({ summary, events }: Operation): Promise<Sent> {
  const answer = events.find((event) => event.kind === 'answer')
  if (answer?.kind !== 'answer') return { seq: null, operation: summary.id, status: 0, body: async () => null }
  const seq = await readExchange({ id: answer.exchangeId }).then(
    ({ row }) => row.seq,
    () => null,
  )
  const body = async (): Promise<string | null> => {
    // The record has the body parsed; what was recorded has it as it was sent.
    if (seq !== null) return textOf(seq)
    return answer.cut || answer.body === null ? null : JSON.stringify(answer.body)
  }
  return { seq, operation: summary.id, status: answer.status, body }
}

/** The body of an answer as text. */
export const textOf = async (seq: number): Promise<string> => new TextDecoder().decode(await readBody(seq, 'response'))
