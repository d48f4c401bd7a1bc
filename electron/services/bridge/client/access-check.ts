import { getRowAccess, hasMethodOverride } from '../../../../shared/bridge/row-access.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { createRefusedError, type AppError } from '../../../../shared/errors.ts'
import { inspectJson } from '../../../../shared/json/inspection.ts'

/** What a request to a row holds that may make a read change something. */
export interface RequestParts {
  readonly body?: unknown
  /** The body as it is sent, where that is more than `body` in JSON. */
  readonly bodyText?: string | null | undefined
  /** Path and query, where they are not built from the row. */
  readonly rawPath?: string | undefined
  readonly query?: Readonly<Record<string, string | number>> | undefined
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined
}

/** Guards the page's reads: refuses everything that is not a read, whatever the page thinks it is. */
export function assertRead(endpoint: Endpoint, request: RequestParts = {}): void {
  if (!isReadRequest(endpoint, request)) {
    throw createRefusedError(
      'NOT_A_READ',
      `${endpoint.method} ${endpoint.path} changes something and cannot be sent as a read.`,
      {
        endpoint: endpoint.id,
      },
    )
  }
}

/** Guards every request: a read-only profile sends only reads. Pairing creates the profile, so it has none to check. */
export function assertWriteAllowed(endpoint: Endpoint, isReadOnly: boolean, request: RequestParts = {}): void {
  if (isReadOnly && !endpoint.createsProfile && !isReadRequest(endpoint, request)) throw createReadOnlyError(endpoint)
}

/** Whether a request is a read for every host, also for one that takes something in it for its method. */
export function isReadRequest(
  endpoint: Endpoint,
  { body, bodyText, rawPath, query = {}, headers = [] }: RequestParts,
): boolean {
  if (getRowAccess(endpoint, body) !== 'read') return false
  const path =
    rawPath ??
    `?${Object.entries(query)
      .map(([name, value]) => `${name}=${value}`)
      .join('&')}`
  const text = bodyText ?? (body === undefined ? null : JSON.stringify(body))
  return !hasMethodOverride({ path, headers, bodyText: text })
}

/** The error for a write through a read-only profile. */
export const createReadOnlyError = (endpoint: Endpoint): AppError =>
  createRefusedError('READ_ONLY', `The profile is read-only: ${endpoint.method} ${endpoint.path} was not sent.`, {
    endpoint: endpoint.id,
  })

/** The value of a JSON body; `otherwise` for one that is missing, is not JSON, or that two programs could read in two ways. */
export function parseJsonOr(bytes: Buffer | null, otherwise: unknown): unknown {
  if (bytes === null) return otherwise
  const { isValid: ok, value, findings } = inspectJson(bytes)
  return ok && findings.length === 0 ? value : otherwise
}
