import { getRowAccess, hasMethodOverride } from '../../../../shared/bridge/row-access.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { createRefusedError, type AppError } from '../../../../shared/errors.ts'
import { inspectJson } from '../../../../shared/json/inspection.ts'
import type { BridgeTarget } from '../types.ts'

/** The parts of a request that may make a read change something. */
export interface RequestParts {
  readonly body?: unknown
  /** The body as it is sent, if its text differs from `body` as JSON. */
  readonly bodyText?: string | null | undefined
  /** Path and query as they are sent, if they are not built from the endpoint. */
  readonly rawPath?: string | undefined
  readonly query?: Readonly<Record<string, string | number>> | undefined
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined
}

/** Pages are not trusted, so their reads are checked too. @throws NOT_A_READ */
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

/** Pairing, which creates the profile, is always allowed. @throws READ_ONLY for a write */
export function assertWriteAllowed(endpoint: Endpoint, isReadOnly: boolean, request: RequestParts = {}): void {
  if (isReadOnly && !endpoint.createsProfile && !isReadRequest(endpoint, request)) throw createReadOnlyError(endpoint)
}

/** @throws ROUTE_UNLISTED for a read that the host does not list, unless the user set its path */
export function assertListed({ id, method, path }: Endpoint, { unlistedReadIds, pathOverrides }: BridgeTarget): void {
  if (unlistedReadIds?.has(id) !== true || Object.hasOwn(pathOverrides, id)) return
  const route = `${method} ${path}`
  throw createRefusedError('ROUTE_UNLISTED', `The host does not list ${route} among its routes, so it was not asked.`, {
    endpoint: id,
    route,
  })
}

/** True if every host takes it as a read, even one that reads a method override from it. */
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

export function createReadOnlyError(endpoint: Endpoint): AppError {
  return createRefusedError('READ_ONLY', `This host is read-only: ${endpoint.method} ${endpoint.path} was not sent.`, {
    endpoint: endpoint.id,
  })
}

/** Returns `fallback` if there is no body, no JSON, or if two parsers could read it differently. */
export function parseJsonOr(bytes: Buffer | null, fallback: unknown): unknown {
  if (bytes === null) return fallback
  const { isValid, value, findings } = inspectJson(bytes)
  return isValid && findings.length === 0 ? value : fallback
}
