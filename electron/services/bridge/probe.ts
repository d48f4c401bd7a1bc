import { capabilitiesSchema, statusSchema, type Capabilities } from '../../../shared/bridge/resources/state.ts'
import { endpoint } from '../../../shared/bridge/endpoints/index.ts'
import { AppError } from '../../../shared/errors.ts'
import type { HostSummary } from '../../../shared/ipc/connection.ts'
import type { BridgeClient, BridgeTarget } from './types.ts'

/** What one heartbeat found. */
export interface Probed {
  readonly host: HostSummary
  /** False when the host says itself that the token is not good; null when it does not say. */
  readonly authorized: boolean | null
  readonly latencyMs: number
  /** Present when the capabilities were read. */
  readonly capabilities: Capabilities | null
}

const quick = { connectTimeoutMs: 3_000, idleTimeoutMs: 5_000, totalTimeoutMs: 10_000, maxBytes: 8_000_000 }

/** `GET /status`; a host without it is asked for its capabilities instead. Throws the client's errors. */
export async function probe(client: BridgeClient, target: BridgeTarget, signal: AbortSignal): Promise<Probed> {
  const request = { limits: quick, attempts: 1, signal }
  try {
    const { value, meta } = await client.requestJson(target, { endpoint: endpoint('status.get'), ...request })
    const status = statusSchema.safeParse(value)
    if (status.success) {
      const { data } = status
      return {
        host: {
          app: data.app ?? null,
          appVersion: data.appVersion ?? null,
          bridgeApiVersion: data.bridgeApiVersion ?? null,
          routeCount: data.routeCount ?? null,
          apiFingerprint: data.apiFingerprint ?? null,
          guideHash: data.guideHash ?? null,
          instanceNonce: data.instanceNonce ?? null,
        },
        authorized: data.authorized ?? null,
        latencyMs: meta.durationMs,
        capabilities: null,
      }
    }
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const { capabilities, latencyMs } = await readCapabilities(client, target, signal)
  return {
    host: {
      app: null,
      appVersion: null,
      bridgeApiVersion: capabilities.bridgeApiVersion ?? null,
      routeCount: capabilities.routes.length,
      apiFingerprint: null,
      guideHash: null,
      instanceNonce: null,
    },
    authorized: true,
    latencyMs,
    capabilities,
  }
}

/** `GET /capabilities`, parsed. Throws the client's errors and `CAPABILITIES_MALFORMED`. */
export async function readCapabilities(
  client: BridgeClient,
  target: BridgeTarget,
  signal: AbortSignal,
): Promise<{ capabilities: Capabilities; latencyMs: number }> {
  const { value, meta } = await client.requestJson(target, {
    endpoint: endpoint('capabilities.get'),
    limits: quick,
    attempts: 1,
    signal,
  })
  const parsed = capabilitiesSchema.safeParse(value)
  if (!parsed.success) {
    throw new AppError({
      kind: 'malformed',
      code: 'CAPABILITIES_MALFORMED',
      message: 'The host answered /capabilities, but the answer lists no routes. Is this a bridge?',
      retryable: false,
    })
  }
  return { capabilities: parsed.data, latencyMs: meta.durationMs }
}

/** The host is there but has no such route. */
function isMissing(error: unknown): boolean {
  return error instanceof AppError && (error.wire.status === 404 || error.wire.status === 501)
}
