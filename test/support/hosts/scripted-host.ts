import { AppError, createCancelledError } from '../../../shared/errors.ts'
import type { BridgeClient, BridgeTarget } from '../../../electron/services/bridge/types.ts'

/** The current behaviour of a scripted host. */
export interface Script {
  isReachable: boolean
  /** Whether it accepts the test's token. */
  acceptsToken: boolean
  /** `GET /status` exists, and says whether the token is valid. */
  hasStatus: boolean
  saysAuthorized: boolean
  nonce: number
  version: number
  fingerprint: number
  /** Milliseconds per answer, by the test's clock. */
  latencyMs: number
  /** Seconds a busy host asks to wait; 0 = not busy. */
  busySeconds: number
}

export interface ScriptedRequest {
  readonly timestamp: number
  readonly endpoint: string
  readonly target: BridgeTarget
}

/**
 * A host behind the client's port, without a network: its script can change between and during
 * requests.
 */
export function createScriptedHost(token: string): {
  script: Script
  requests: ScriptedRequest[]
  client: BridgeClient
} {
  const script: Script = {
    isReachable: true,
    acceptsToken: true,
    hasStatus: true,
    saysAuthorized: true,
    nonce: 1,
    version: 1,
    fingerprint: 1,
    latencyMs: 0,
    busySeconds: 0,
  }
  const requests: ScriptedRequest[] = []

  const createError = (status: number | null, code: string, retryAfterSeconds = 0): AppError =>
    new AppError({
      kind: status === null ? 'offline' : 'host',
      code,
      message: code,
      retryable: true,
      ...(status === null ? {} : { status }),
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
    })

  function respond(endpoint: string, target: BridgeTarget): unknown {
    if (!script.isReachable) throw createError(null, 'CONNECTION_REFUSED')
    if (script.busySeconds > 0) throw createError(429, 'SCAN_BUSY', script.busySeconds)
    const good = script.acceptsToken && target.token === token
    if (endpoint === 'status.get') {
      if (!script.hasStatus) throw createError(404, 'ROUTE_NOT_FOUND')
      return {
        app: 'Scripted',
        appVersion: `4.${script.version}`,
        bridgeApiVersion: '0.91',
        apiFingerprint: `f${script.fingerprint}`,
        instanceNonce: `n${script.nonce}`,
        ...(script.saysAuthorized ? { authorized: good } : {}),
      }
    }
    if (!good) throw createError(401, 'UNAUTHORIZED')
    return { bridgeApiVersion: `0.9${script.version}`, routes: [{ method: 'GET', path: '/status' }] }
  }

  return {
    script,
    requests,
    client: {
      request: () => Promise.reject(new Error('not scripted')),
      openStream: () => Promise.reject(new Error('not scripted')),
      requestExchangeId: () => Promise.reject(new Error('never used')),
      relay: () => Promise.reject(new Error('never used')),
      sendOnce: () => Promise.reject(new Error('not scripted')),
      describeRequest: () => ({ method: '', path: '', headers: {}, body: null }),
      close: () => undefined,
      async requestJson(target, { endpoint, signal }) {
        if (signal?.aborted) throw createCancelledError()
        requests.push({ timestamp: performance.now(), endpoint: endpoint.id, target })
        await new Promise<void>((resolve, reject) => {
          const timer = setTimeout(resolve, script.latencyMs)
          signal?.addEventListener('abort', () => {
            clearTimeout(timer)
            reject(createCancelledError())
          })
        })
        const value = respond(endpoint.id, target)
        const meta = {
          exchangeId: 'x',
          endpoint: endpoint.id,
          method: endpoint.method,
          path: endpoint.path,
          status: 200,
          contentType: 'application/json',
          headers: {},
          durationMs: script.latencyMs,
          receivedAt: Date.now(),
          epoch: target.epoch,
          byteLength: 1,
        }
        return { value, meta }
      },
    },
  }
}
