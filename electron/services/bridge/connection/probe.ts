import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import { getEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../../../shared/bridge/response-reading.ts'
import { AppError, type WireError } from '../../../../shared/errors.ts'
import type { HostSummary } from '../../../../shared/ipc/connection.ts'
import type { BridgeClient, BridgeTarget } from '../types.ts'
import type { TokenStatus } from '../../../../shared/ipc/profiles.ts'

interface ProbeResult {
  readonly host: HostSummary
  /** Null if the host does not say whether it accepts the token. */
  readonly isAuthorized: boolean | null
  readonly latencyMs: number
  /** Null if the probe did not need the capabilities. */
  readonly capabilities: Capabilities | null
}

/** Limit for each text in the host's status. */
const MAX_TEXT_CHARS = 500

const PROBE_TIMEOUTS = { connectTimeoutMs: 3_000, idleTimeoutMs: 5_000, totalTimeoutMs: 10_000 }
/** An unknown host may send anything; these limits are far above the size of both responses. */
const STATUS_BUDGET = { limits: { ...PROBE_TIMEOUTS, maxBytes: 262_144 }, maxValues: 10_000 }
const CAPABILITIES_BUDGET = { limits: { ...PROBE_TIMEOUTS, maxBytes: 2 * 1024 * 1024 }, maxValues: 50_000 }

/** Version 0.91 names no status route, so capabilities may do. @throws as `readCapabilities` */
export async function probeHost(client: BridgeClient, target: BridgeTarget, signal: AbortSignal): Promise<ProbeResult> {
  const request = { ...STATUS_BUDGET, attempts: 1, signal }
  let statusError: unknown = null
  try {
    const { value, meta } = await client.requestJson(target, { endpoint: getEndpoint('status.get'), ...request })
    const host = parseHostSummary(value)
    if (host) {
      const isAuthorized = readResponse('status.get', value).value?.authorized ?? null
      return { host, isAuthorized, latencyMs: meta.durationMs, capabilities: null }
    }
  } catch (error) {
    if (!mayLackRoute(error)) throw error
    if (!isUnlisted(error)) statusError = error
  }
  const { capabilities, latencyMs } = await readCapabilities(client, target, signal).catch((error: unknown) => {
    throw statusError !== null && !isRouteMissing(statusError) ? statusError : error
  })
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

/** True for a mark of a bridge: a token must not go to any program that happens to send JSON. */
export function hasBridgeMark({ host, capabilities }: ProbeResult): boolean {
  return capabilities === null || capabilities.routes.length > 0 || host.bridgeApiVersion !== null
}

/** Reads each member apart, whatever the others are; null if nothing is specific to a bridge. */
function parseHostSummary(value: unknown): HostSummary | null {
  const status = readResponse('status.get', value).value
  if (!status) return null
  const truncate = (text: string | undefined): string | null => text?.slice(0, MAX_TEXT_CHARS) || null
  const host = {
    app: truncate(status.app),
    appVersion: truncate(status.appVersion),
    bridgeApiVersion: truncate(status.bridgeApiVersion),
    routeCount: status.routeCount ?? null,
    apiFingerprint: truncate(status.apiFingerprint),
    guideHash: truncate(status.guideHash),
    instanceNonce: truncate(status.instanceNonce),
  }
  return (host.bridgeApiVersion ?? host.instanceNonce ?? host.apiFingerprint ?? host.app) ? host : null
}

/** Reads routes, maybe none. @throws CAPABILITIES_MALFORMED for a bare value, client's errors */
export async function readCapabilities(
  client: BridgeClient,
  target: BridgeTarget,
  signal: AbortSignal,
): Promise<{ capabilities: Capabilities; latencyMs: number }> {
  const { value: body, meta } = await client.requestJson(target, {
    endpoint: getEndpoint('capabilities.get'),
    ...CAPABILITIES_BUDGET,
    attempts: 1,
    signal,
  })
  const { value: capabilities } = readResponse('capabilities.get', body)
  if (!capabilities) {
    throw new AppError({
      kind: 'malformed',
      code: 'CAPABILITIES_MALFORMED',
      message: 'The host answered /capabilities with a single value. Is this a bridge?',
      retryable: false,
    })
  }
  return { capabilities, latencyMs: meta.durationMs }
}

const isUnlisted = (error: unknown): boolean => error instanceof AppError && error.code === 'ROUTE_UNLISTED'

/** A host refuses unknown routes as it likes, so several errors count. */
function mayLackRoute(error: unknown): boolean {
  if (isUnlisted(error)) return true
  return error instanceof AppError && error.wire.status !== 401 && ['host', 'malformed'].includes(error.kind)
}

function isRouteMissing(error: unknown): boolean {
  return error instanceof AppError && [404, 405, 410, 501].includes(error.wire.status ?? 0)
}

/** The host's status says so, although it did not refuse the request. */
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

/** The text depends on whether the profile has a token and whether it can be decrypted. */
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
