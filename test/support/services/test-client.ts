import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { getEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { AppError } from '../../../shared/errors.ts'
import { createBridgeClient } from '../../../electron/services/bridge/client/client.ts'
import type {
  BridgeClient,
  BridgeTarget,
  ExchangeStart,
  ExchangeEnd,
  RequestLimits,
} from '../../../electron/services/bridge/types.ts'

/** A token in a realistic format; tests look for it everywhere it must not be. */
export const TOKEN = 'mnb0.Zx7+Qe/9vKc2~hW4_tB8-rY1.pL6sD3fG5'

/** Limits no machine reaches; a test of a time limit sets its own. */
export const testLimits: RequestLimits = {
  connectTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  totalTimeoutMs: 120_000,
  maxBytes: 64 * 1024 * 1024,
}

export function createTarget(baseUrl: string, more: Partial<BridgeTarget> = {}): BridgeTarget {
  return {
    baseUrl,
    auth: { header: 'Authorization', scheme: 'Bearer' },
    token: TOKEN,
    tlsFingerprint: null,
    isReadOnly: true,
    epoch: 1,
    pathOverrides: {},
    limits: null,
    ...more,
  }
}

/** An exchange that has ended, without what it carries of the token. */
interface Exchange {
  readonly id: string
  readonly endpoint: string
  readonly method: string
  readonly path: string
  readonly attempt: number
  readonly startedAt: number
  readonly durationMs: number
  readonly status: number | null
  readonly bytes: number
  readonly missing: ExchangeEnd['missing']
  readonly error: { readonly kind: string; readonly code?: string } | null
}

function toExchange({ id, endpoint: row, path, attempt, startedAt }: ExchangeStart, end: ExchangeEnd): Exchange {
  const { durationMs, status, receivedBytes: bytes, missing } = end
  const error = end.error && {
    kind: end.error.kind,
    ...(end.error.code === undefined ? {} : { code: end.error.code }),
  }
  const start = { id, endpoint: row.id, method: row.method, path, attempt, startedAt }
  return { ...start, durationMs, status, bytes, missing, error }
}

/** A client that records the exchanges reported to it. */
export function createTestClient(
  limits: Partial<RequestLimits> = {},
  maxStreamedBytes = 0,
): { client: BridgeClient; exchanges: Exchange[] } {
  const exchanges: Exchange[] = []
  const client = createBridgeClient({
    limits: () => ({ ...testLimits, ...limits }),
    recorder: {
      getMaxStreamedBytes: () => maxStreamedBytes,
      recordStart: () => undefined,
      recordEnd: (begun, end) => void exchanges.push(toExchange(begun, end)),
    },
    version: '1.2.3',
  })
  return { client, exchanges }
}

/** A read of small JSON. */
export const getSmallRead = (): Endpoint => getEndpoint('capabilities.get')

/** The error of a promise; fails if it resolves or rejects with anything but an `AppError`. */
export async function expectAppError(promise: Promise<unknown>): Promise<AppError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('expected a failure, but it succeeded')
}
