// Reads endpoints for pages, and requests in advance the data that a page will probably read next.
// Requests of services go directly to bridge/client. Read this file first, then read-ahead.ts.
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { getLimit, readHostLimits } from '../../../../shared/bridge/host-limits.ts'
import { findEndpointRow } from '../../../../shared/bridge/listed-row.ts'
import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import { AppError, createRefusedError } from '../../../../shared/errors.ts'
import type { BinaryReply } from '../../../../shared/ipc/method-definition.ts'
import type { ResponseMeta, ReadInput } from '../../../../shared/ipc/bridge.ts'
import { guessNextCursor, withCursor } from '../../../../shared/bridge/listing-cursor.ts'
import type { Connection } from '../connection/connection.ts'
import { assertRead } from '../client/access-check.ts'
import { TokenMask } from '../../mask/mask.ts'
import { ReadAhead } from './read-ahead.ts'
import type { BridgeResponse, BridgeClient, BridgeRequest } from '../types.ts'

/**
 * Creates the function that reads an endpoint for a page and returns the bytes as they came.
 * Request bodies are left to the host, because their members change with its version.
 * @param ahead Holds the requests that were made on a guess.
 * @throws ENDPOINT_UNKNOWN, NOT_A_READ, BODY_MISSING or NOT_CONNECTED; also the errors of the
 *   client.
 * @see spec §1
 */
export function createEndpointReader(client: BridgeClient, connection: Connection, ahead = new ReadAhead()) {
  /** Requests the next page of a listing as soon as the bytes of the current one have arrived. */
  async function fetchResponse(input: ReadInput, request: BridgeRequest, signal: AbortSignal): Promise<BridgeResponse> {
    const target = connection.target()
    if (input.readAhead !== true) return client.request(target, { ...request, signal })
    // Guesses are useless once a listing starts over or is aborted.
    if (input.query['cursor'] === undefined) ahead.clear()
    signal.addEventListener('abort', () => ahead.clear(), { once: true })
    const toKey = (query: ReadInput['query']): string =>
      JSON.stringify([target.baseUrl, target.epoch, request.endpoint.id, request.params, query, input.maxBytes])
    const startNextGuess = (bytes: Uint8Array): void => {
      const cursor = guessNextCursor(bytes)
      if (signal.aborted || cursor === null || cursor === input.query['cursor']) return
      // The page receives this cursor masked, so its next request will carry a different cursor.
      if (TokenMask.forToken(target.token).conceal(cursor) !== cursor) return
      const query = withCursor(input.query, cursor)
      ahead.start(toKey(query), (guessSignal, onArrived) =>
        client.request(target, { ...request, query, signal: guessSignal, attempts: 1, onArrived }),
      )
    }
    const requestFromHost = (): Promise<BridgeResponse> =>
      client.request(target, { ...request, signal, onArrived: startNextGuess })
    const guess = ahead.take(toKey(input.query), signal, startNextGuess)
    // A failed guess is repeated as a normal read, with all its attempts.
    return guess?.catch(requestFromHost) ?? requestFromHost()
  }

  return async function read(input: ReadInput, signal: AbortSignal): Promise<BinaryReply<ResponseMeta>> {
    const capabilities = connection.capabilities()
    const row = findEndpointRow(input.endpoint, capabilities)
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
    const query = input.readAhead === true ? clampPageSize(row, input.query, capabilities) : input.query
    try {
      const request: BridgeRequest = {
        endpoint: row,
        params: input.params,
        query,
        ...(row.body ? { body: input.body } : {}),
        ...(input.maxBytes === undefined ? {} : { limits: { maxBytes: input.maxBytes } }),
      }
      const { bytes, meta } = await fetchResponse({ ...input, query }, request, signal)
      return { meta, bytes: bytes.buffer }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      connection.checkSoon(error)
      throw error
    }
  }
}

/** The `limit` of a listing comes from the settings and may be outside what the host allows. */
function clampPageSize(
  row: Endpoint,
  query: ReadInput['query'],
  capabilities: Capabilities | null,
): ReadInput['query'] {
  const pageSize = query['limit']
  if (typeof pageSize !== 'number') return query
  const { min, max } = getLimit(readHostLimits(capabilities), row.id, 'limit')
  return { ...query, limit: Math.max(min ?? 1, Math.min(pageSize, max ?? pageSize)) }
}

export type EndpointReader = ReturnType<typeof createEndpointReader>
