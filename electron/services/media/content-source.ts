import { createHash } from 'node:crypto'
import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { buildHostPath } from '../bridge/client/request-path.ts'
import { AppError, createRefusedError } from '../../../shared/errors.ts'
import type { ContentRef } from '../../../shared/ipc/content.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import { assertRead } from '../bridge/client/access-check.ts'
import type { BridgeClient, BridgeRequest, BridgeStream, BridgeTarget, ByteRange } from '../bridge/types.ts'

/** Content that can be requested repeatedly, but only from the host of the first request. */
export interface ContentPlan {
  readonly ref: ContentRef
  readonly endpoint: Endpoint
  /** Digest of host, credentials, epoch and request: equal keys mean equal bytes. */
  readonly key: string
  /** Digest of host and credentials. */
  readonly hostDigest: string
}

export interface ContentSource {
  /** Sends nothing. @throws ENDPOINT_UNKNOWN, NOT_A_READ, NOT_CONNECTED, as `buildPath` */
  planRequest(ref: ContentRef): ContentPlan
  /** Throws the errors of the client, and CONTENT_ELSEWHERE if another host is connected now. */
  open(plan: ContentPlan, range: ByteRange | null, signal: AbortSignal): Promise<BridgeStream>
}

type FindEndpoint = (id: string) => Endpoint | undefined

export function createContentSource(
  client: BridgeClient,
  connection: Connection,
  findEndpoint: FindEndpoint = findEndpointById,
): ContentSource {
  return {
    planRequest(ref) {
      const endpoint = findEndpoint(ref.endpoint)
      if (!endpoint || endpoint.response.kind !== 'binary') {
        throw createRefusedError('ENDPOINT_UNKNOWN', 'The page requested an endpoint that is not in the table.')
      }
      assertRead(endpoint)
      const target = connection.target()
      const hostRequest = toHostNames(endpoint, ref)
      const path = buildHostPath(target, hostRequest.endpoint, ref.params, hostRequest.query)
      const hostDigest = computeHostDigest(target)
      return {
        ref,
        endpoint,
        hostDigest,
        key: computeDigest([hostDigest, target.epoch, endpoint.method, path]),
      }
    },
    async open({ ref, endpoint, hostDigest }, range, signal) {
      const target = connection.target()
      if (computeHostDigest(target) !== hostDigest) {
        throw createRefusedError('CONTENT_ELSEWHERE', 'This content belongs to another connection. Open it again.')
      }
      try {
        return await client.openStream(target, { ...toHostNames(endpoint, ref), params: ref.params, range, signal })
      } catch (error) {
        if (error instanceof AppError) connection.checkSoon(error)
        throw error
      }
    },
  }
}

/** Replaces the name of the parameter `layers` by the host's own name for it. */
function toHostNames(endpoint: Endpoint, { query, layersName }: ContentRef): Pick<BridgeRequest, 'endpoint' | 'query'> {
  const isTaken = endpoint.parameters.some(({ name }) => name === layersName)
  if (layersName === undefined || isTaken) return { endpoint, query }
  const toHost = (name: string): string => (name === 'layers' ? layersName : name)
  return {
    endpoint: {
      ...endpoint,
      parameters: endpoint.parameters.map((parameter) => ({ ...parameter, name: toHost(parameter.name) })),
    },
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [toHost(name), value])),
  }
}

const computeHostDigest = ({ baseUrl, auth, token, tlsFingerprint }: BridgeTarget): string =>
  computeDigest([baseUrl, auth.header, auth.scheme, token, tlsFingerprint])

const computeDigest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')
