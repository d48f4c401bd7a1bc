import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import { getEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../../../shared/bridge/response-reading.ts'
import { AppError, type WireError } from '../../../../shared/errors.ts'
import type { HostSummary } from '../../../../shared/ipc/connection.ts'
import type { BridgeClient, BridgeTarget } from '../types.ts'
import type { TokenStatus } from '../../../../shared/ipc/profiles.ts'

/** What one heartbeat found. */
interface ProbeResult {
  readonly host: HostSummary
  /** False if the host itself says that the token is not good; null if it does not say. */
  readonly isAuthorized: boolean | null
  readonly latencyMs: number
  /** Present if the capabilities were read. */
  readonly capabilities: Capabilities | null
}

/** Maximum characters of a fact about the host. */
const MAX_TEXT_CHARS = 500

const quick = { connectTimeoutMs: 3_000, idleTimeoutMs: 5_000, totalTimeoutMs: 10_000 }
/** A host that is not known yet may send anything; these limits are far above what the two answers hold. */
const statusBudget = { limits: { ...quick, maxBytes: 262_144 }, maxValues: 10_000 }
const listBudget = { limits: { ...quick, maxBytes: 2 * 1024 * 1024 }, maxValues: 50_000 }

/** `GET /status`; a host without it is asked for its capabilities instead. Throws the client's errors. */
export async function probeHost(client: BridgeClient, target: BridgeTarget, signal: AbortSignal): Promise<ProbeResult> {
  const request = { ...statusBudget, attempts: 1, signal }
  try {
    const { value, meta } = await client.requestJson(target, { endpoint: getEndpoint('status.get'), ...request })
    const host = summaryOf(value)
    if (host) {
      const authorized = readResponse('status.get', value).value?.authorized ?? null
      return { host, isAuthorized: authorized, latencyMs: meta.durationMs, capabilities: null }
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
    isAuthorized: true,
    latencyMs,
    capabilities,
  }
}

/**
 * Reads a status member by member, so that one in an unknown form does not cost the others; null if nothing in it is specific to a
 * bridge.
 */
function summaryOf(value: unknown): HostSummary | null {
  const status = readResponse('status.get', value).value
  if (!status) return null
  const short = (text: string | undefined): string | null => text?.slice(0, MAX_TEXT_CHARS) || null
  const host = {
    app: short(status.app),
    appVersion: short(status.appVersion),
    bridgeApiVersion: short(status.bridgeApiVersion),
    routeCount: status.routeCount ?? null,
    apiFingerprint: short(status.apiFingerprint),
    guideHash: short(status.guideHash),
    instanceNonce: short(status.instanceNonce),
  }
  return (host.bridgeApiVersion ?? host.instanceNonce ?? host.apiFingerprint ?? host.app) ? host : null
}

/** `GET /capabilities`, parsed. Throws the client's errors and `CAPABILITIES_MALFORMED`. */
export async function readCapabilities(
  client: BridgeClient,
  target: BridgeTarget,
  signal: AbortSignal,
): Promise<{ capabilities: Capabilities; latencyMs: number }> {
  const { value: sent, meta } = await client.requestJson(target, {
    endpoint: getEndpoint('capabilities.get'),
    ...listBudget,
    attempts: 1,
    signal,
  })
  const { value: capabilities } = readResponse('capabilities.get', sent)
  if (!capabilities) {
    throw new AppError({
      kind: 'malformed',
      code: 'CAPABILITIES_MALFORMED',
      message: 'The host answered /capabilities, but its answer lists no routes. Is this a bridge?',
      retryable: false,
    })
  }
  return { capabilities, latencyMs: meta.durationMs }
}

/** The host answers but has no such route. */
function isMissing(error: unknown): boolean {
  return error instanceof AppError && [404, 405, 410, 501].includes(error.wire.status ?? 0)
}

/** The host answered, and said that the token is not good without refusing the request. */
export class TokenRefusedError extends AppError {
  constructor() {
    super({
      kind: 'host',
      code: 'UNAUTHORIZED',
      status: 401,
      message: 'The host does not accept the token of this profile.',
      retryable: false,
    })
  }
}

/** What the user is told when a host wants a token: that there is none, that it is locked, or what the host said. */
export function toTokenError(error: AppError, { state }: TokenStatus): WireError {
  if (state === 'none') {
    return {
      ...error.wire,
      kind: 'refused',
      code: 'TOKEN_NONE',
      message: 'The host requires a token, and the profile has none. Set one on the Connect page.',
    }
  }
  if (state === 'locked') {
    return {
      ...error.wire,
      kind: 'refused',
      code: 'TOKEN_LOCKED',
      message:
        'The token of this profile is stored, but cannot be decrypted now. Unlock the keyring and connect again, or set the token again.',
    }
  }
  return error.wire
}
