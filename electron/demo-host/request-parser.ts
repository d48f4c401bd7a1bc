import type { IncomingMessage } from 'node:http'
import type { Endpoint } from '../../shared/bridge/endpoints/endpoint.ts'
import { createParameterError, DemoError } from './state/reply.ts'

const MAX_BODY_BYTES = 16 * 1024 * 1024
export const MAX_FILE_BYTES = 512 * 1024 * 1024

/** Parses by the endpoint table: ignores unknown parameters, bad values are 422 (observed-0.49). */
export function parseQuery(endpoint: Endpoint, search: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = {}
  for (const rule of endpoint.parameters) {
    if (rule.in !== 'query') continue
    const value = search.get(rule.name)
    if (value === null) {
      if (rule.required) throw createParameterError(rule.name, 'is required.')
      continue
    }
    if (rule.type === 'enum' && !rule.values?.includes(value)) {
      throw createParameterError(rule.name, `must be one of ${(rule.values ?? []).join(', ')}.`)
    }
    if (rule.type === 'integer') {
      const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN
      if (!(number >= (rule.min ?? -Infinity) && number <= (rule.max ?? Infinity))) {
        throw createParameterError(rule.name, `must be a whole number in ${rule.min ?? ''}..${rule.max ?? ''}.`)
      }
    }
    query[rule.name] = value
  }
  return query
}

export function assertValidParams(endpoint: Endpoint, params: Readonly<Record<string, string>>): void {
  for (const rule of endpoint.parameters) {
    if (rule.in !== 'path' || rule.type !== 'integer') continue
    const value = params[rule.name] ?? ''
    if (!/^\d{1,9}$/.test(value) || Number(value) < (rule.min ?? 0)) {
      throw createParameterError(rule.name, `must be a whole number from ${rule.min ?? 0}.`)
    }
  }
}

/** @throws BODY_TOO_LARGE when more than `maxBytes` bytes are sent. */
export async function readBody(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request) {
    size += (piece as Buffer).byteLength
    if (size > maxBytes) throw new DemoError(413, 'BODY_TOO_LARGE', 'The body is too large.')
    pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces)
}

/** Zero bytes count as an empty object. @throws INVALID_JSON when the text is not an object */
export function parseBody(bytes: Buffer): Record<string, unknown> {
  if (bytes.byteLength === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new DemoError(400, 'INVALID_JSON', 'The body is not JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new DemoError(400, 'INVALID_JSON', 'The body is not a JSON object.')
  }
  return value as Record<string, unknown>
}
