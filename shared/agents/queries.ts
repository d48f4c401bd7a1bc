import { z } from 'zod'
import { trafficFilterSchema } from '../traffic/filter.ts'
import type { Input, MethodName, Output } from '../ipc/index.ts'
import { operationFilterSchema } from '../ipc/operations.ts'

const offset = z.number().int().nonnegative()
const limit = z.number().int().min(1).max(200)
const seq = z.number().int().positive()

/** Bytes of one piece of a body. */
const MAX_PIECE_BYTES = 1_000_000

/** What an agent may ask the running app about what was recorded. Nothing of it changes anything, here or on the host. */
export const agentQuerySchema = z.discriminatedUnion('ask', [
  z.strictObject({ ask: z.literal('findings'), offset, limit }),
  z.strictObject({ ask: z.literal('exchanges'), filter: trafficFilterSchema, offset, limit }),
  z.strictObject({ ask: z.literal('exchange'), seq }),
  z.strictObject({ ask: z.literal('body'), seq, side: z.enum(['request', 'response']), start: offset }),
  z.strictObject({ ask: z.literal('operations'), filter: operationFilterSchema.extend({ limit }) }),
  z.strictObject({ ask: z.literal('operation'), id: z.string().min(1).max(100) }),
])
export type AgentQuery = z.infer<typeof agentQuerySchema>

/** A method of the contract, in the same process or another. */
export type CallMethod = <M extends MethodName>(method: M, input: Input<M>) => Promise<Output<M>>

/** Answers a query by the methods that the page uses; `toBase64` is the platform's. Throws what they throw. */
export async function answerQuery(
  call: CallMethod,
  query: AgentQuery,
  toBase64: (bytes: ArrayBuffer) => string,
): Promise<unknown> {
  switch (query.ask) {
    case 'findings':
      return call('findings.list', { offset: query.offset, limit: query.limit })
    case 'exchanges':
      return findExchanges(call, query)
    case 'exchange': {
      const { seq } = query
      const [detail, { findings }] = await Promise.all([
        call('traffic.exchange', { seq }),
        call('findings.of', { seq }),
      ])
      return { ...detail, findings }
    }
    case 'body': {
      const { seq, side, start } = query
      const { bytes } = await call('traffic.body', { seq, side, start, end: start + MAX_PIECE_BYTES })
      return { base64: toBase64(bytes) }
    }
    case 'operations':
      return call('operations.list', query.filter)
    case 'operation':
      return call('operations.get', { id: query.id })
  }
}

/** The newest first. */
async function findExchanges(
  call: CallMethod,
  { filter, offset, limit }: Extract<AgentQuery, { ask: 'exchanges' }>,
): Promise<unknown> {
  const sort = { by: 'time', descending: true } as const
  const { bytes, meta } = await call('traffic.find', { filter, sort })
  const seqs = [...new Uint32Array(bytes).subarray(offset, offset + limit)]
  const { rows } = await call('traffic.rows', { seqs })
  return { rows, total: meta.total, incomplete: meta.incomplete }
}
