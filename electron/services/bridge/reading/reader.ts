import { findEndpointRow } from '../../../../shared/bridge/listed-row.ts'
import { AppError, createRefusedError } from '../../../../shared/errors.ts'
import type { BinaryReply } from '../../../../shared/ipc/method-definition.ts'
import type { ResponseMeta, ReadInput } from '../../../../shared/ipc/bridge.ts'
import { guessNextCursor, queryAt } from '../../../../shared/bridge/listing-cursor.ts'
import type { Connection } from '../connection/connection.ts'
import { assertRead } from '../client/access-check.ts'
import { TokenMask } from '../../mask/mask.ts'
import { ReadAhead } from './read-ahead.ts'
import type { BridgeResponse, BridgeClient, BridgeRequest } from '../types.ts'

/**
 * Reads an endpoint for a page and returns the bytes as they came; `ahead` holds requests made on a guess. Throws `ENDPOINT_UNKNOWN`,
 * `NOT_A_READ`, `BODY_MISSING`, `NOT_CONNECTED` and the errors of the client. The host judges what a body holds, because bodies change
 * with it (spec §1).
 */
export function createReader(client: BridgeClient, connection: Connection, ahead = new ReadAhead()) {
  /** The answer, from a guess or from the host. The next page of the listing is requested as soon as the bytes of this one are here. */
  async function answerOf(input: ReadInput, request: BridgeRequest, signal: AbortSignal): Promise<BridgeResponse> {
    const target = connection.target()
    if (input.readAhead !== true) return client.request(target, { ...request, signal })
    // A listing that starts over, or is given up, has no use for guesses about the old one.
    if (input.query['cursor'] === undefined) ahead.clear()
    signal.addEventListener('abort', () => ahead.clear(), { once: true })
    const key = (query: ReadInput['query']): string =>
      JSON.stringify([target.baseUrl, target.epoch, request.endpoint.id, request.params, query, input.maxBytes])
    const follow = (bytes: Uint8Array): void => {
      const cursor = guessNextCursor(bytes)
      if (signal.aborted || cursor === null || cursor === input.query['cursor']) return
      // The page sees it masked and will ask for another one.
      if (TokenMask.forToken(target.token).conceal(cursor) !== cursor) return
      const query = queryAt(input.query, cursor)
      ahead.start(key(query), (stop, onArrived) =>
        client.request(target, { ...request, query, signal: stop, attempts: 1, onArrived }),
      )
    }
    const ask = (): Promise<BridgeResponse> => client.request(target, { ...request, signal, onArrived: follow })
    const guessed = ahead.take(key(input.query), signal, follow)
    // A failed guess is repeated in earnest, with all the attempts of a read.
    return guessed?.catch(ask) ?? ask()
  }

  return async function read(input: ReadInput, signal: AbortSignal): Promise<BinaryReply<ResponseMeta>> {
    const row = findEndpointRow(input.endpoint, connection.capabilities())
    if (!row) {
      throw createRefusedError(
        'ENDPOINT_UNKNOWN',
        'The page requested an endpoint that is neither in the table nor listed by the host.',
      )
    }
    assertRead(row, input)
    if (row.body && input.body === undefined) {
      throw createRefusedError('BODY_MISSING', `${row.method} ${row.path} needs a body.`, { endpoint: row.id })
    }
    try {
      const request: BridgeRequest = {
        endpoint: row,
        params: input.params,
        query: input.query,
        ...(row.body ? { body: input.body } : {}),
        ...(input.maxBytes === undefined ? {} : { limits: { maxBytes: input.maxBytes } }),
      }
      const { bytes, meta } = await answerOf(input, request, signal)
      return { meta, bytes: bytes.buffer }
    } catch (error) {
      if (error instanceof AppError) connection.checkSoon(error)
      throw error
    }
  }
}

export type Reader = ReturnType<typeof createReader>
