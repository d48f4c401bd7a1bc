import { capabilitiesSchema, type Capabilities } from '../../../shared/bridge/resources/state.ts'
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

/** Characters of a fact about the host. */
const LONGEST = 500

const quick = { connectTimeoutMs: 3_000, idleTimeoutMs: 5_000, totalTimeoutMs: 10_000, maxBytes: 8_000_000 }

/** `GET /status`; a host without it is asked for its capabilities instead. Throws the client's errors. */
export async function probe(client: BridgeClient, target: BridgeTarget, signal: AbortSignal): Promise<Probed> {
  const request = { limits: quick, attempts: 1, signal }
  try {
    const { value, meta } = await client.requestJson(target, { endpoint: endpoint('status.get'), ...request })
    const host = summaryOf(value)
    if (host) {
      const authorized = isObject(value) && typeof value['authorized'] === 'boolean' ? value['authorized'] : null
      return { host, authorized, latencyMs: meta.durationMs, capabilities: null }
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

/**
 * What a status says, member by member, so that one of an unknown form costs no other; null when it says nothing that only
 * a bridge would.
 */
function summaryOf(value: unknown): HostSummary | null {
  if (!isObject(value)) return null
  const text = (name: string): string | null => {
    const member = value[name]
    return typeof member === 'string' && member !== '' ? member.slice(0, LONGEST) : null
  }
  const count = value['routeCount']
  const host = {
    app: text('app'),
    appVersion: text('appVersion'),
    bridgeApiVersion: text('bridgeApiVersion'),
    routeCount: typeof count === 'number' && Number.isFinite(count) ? count : null,
    apiFingerprint: text('apiFingerprint'),
    guideHash: text('guideHash'),
    instanceNonce: text('instanceNonce'),
  }
  return (host.bridgeApiVersion ?? host.instanceNonce ?? host.apiFingerprint ?? host.app) ? host : null
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
  return error instanceof AppError && [404, 405, 410, 501].includes(error.wire.status ?? 0)
}
