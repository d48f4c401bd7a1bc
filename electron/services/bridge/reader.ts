import { endpointById } from '../../../shared/bridge/endpoints/index.ts'
import { AppError, refused } from '../../../shared/errors.ts'
import type { BinaryReply } from '../../../shared/ipc/define.ts'
import type { AnswerMeta, ReadInput } from '../../../shared/ipc/bridge.ts'
import type { Connection } from './connection.ts'
import { assertRead } from './gate.ts'
import type { BridgeClient } from './types.ts'

/**
 * Reads a row of the endpoint table for a page and gives the bytes as they came. Throws `ENDPOINT_UNKNOWN`, `NOT_A_READ`,
 * `BODY_INVALID`, `NOT_CONNECTED` and the errors of the client.
 */
export function createReader(client: BridgeClient, connection: Connection) {
  return async function read(input: ReadInput, signal: AbortSignal): Promise<BinaryReply<AnswerMeta>> {
    const row = endpointById(input.endpoint)
    if (!row) throw refused('ENDPOINT_UNKNOWN', 'The page asked for an endpoint that is not in the table.')
    assertRead(row)
    if (row.body && !row.body.safeParse(input.body).success) {
      throw refused('BODY_INVALID', `The body does not fit ${row.method} ${row.path}.`, { endpoint: row.id })
    }
    try {
      const { bytes, meta } = await client.request(connection.target(), {
        endpoint: row,
        params: input.params,
        query: input.query,
        signal,
        ...(row.body ? { body: input.body } : {}),
        ...(input.maxBytes === undefined ? {} : { limits: { maxBytes: input.maxBytes } }),
      })
      return { meta, bytes: bytes.buffer }
    } catch (error) {
      if (error instanceof AppError) connection.nudge(error)
      throw error
    }
  }
}

export type Reader = ReturnType<typeof createReader>
