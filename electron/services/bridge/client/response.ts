import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { getRawRetryAfter } from '../../../../shared/bridge/errors.ts'
import { getMember } from '../../../../shared/json/object.ts'
import { AppError } from '../../../../shared/errors.ts'
import { formatFirstBytes } from '../../../../shared/format/first-bytes.ts'
import { decodeUtf8, inspectJson, type JsonInspection } from '../../../../shared/json/inspection.ts'
import { parseBoundedJson, type JsonBudget } from '../wire/bounded-json.ts'
import { MAX_ERROR_BYTES } from '../wire/body-decoder.ts'
import type { WireResponse } from '../wire/exchange.ts'
import {
  createNotJsonError,
  createTooDeepError,
  createTooManyValuesError,
  createTruncatedError,
} from '../wire/wire-errors.ts'
import { isJsonTruncated, hasMoreValues, outlineJson } from '../wire/json-outline.ts'
import { parseRetryAfterSeconds } from './retry.ts'

/**
 * Throws unless the response is a success of the kind that the endpoint promises. A JSON response
 * with an `error` member is a failure whatever its status, even under the media type of a picture
 * or a text. A redirect is reported and never followed.
 * @throws AppError of kind `host`, `http` or `malformed` (not JSON where JSON was promised).
 * @see spec §1
 */
export function assertSuccess(endpoint: Endpoint, response: WireResponse, base: URL): void {
  const { status, bytes } = response
  if (status >= 300 && status < 400) throw createRedirectError(response, base)
  const isSuccess = status >= 200 && status < 300
  const type = getContentType(response)
  const isJsonExpected = endpoint.response.kind === 'json'
  const outline = outlineJson(bytes)
  if (outline.errorOffset !== null && (isJsonExpected || isJsonType(type) || hasErrorInAnyMediaType(endpoint))) {
    // A user's JSON file may have a member "error", so a file needs the host's full error shape.
    const failure = parseHostError(response, outline.errorOffset, isSuccess && !isJsonExpected)
    if (failure) throw failure
  }
  if (!isSuccess) throw createStatusError(response, type, isJsonExpected)
  if (!isJsonExpected) return
  const isContainer = outline.firstKind === 'object' || outline.firstKind === 'array'
  if (!isContainer || /text\/html/i.test(type)) throw createNotJsonError(status, type, bytes)
  if (!outline.isClosed)
    throw isJsonTruncated(bytes)
      ? createTruncatedError(base.host, bytes.byteLength)
      : createNotJsonError(status, type, bytes)
}

/** Returns the code of the host's error; empty if it has none, null without an error. */
export function getHostErrorCode(endpoint: Endpoint, response: WireResponse, base: URL): string | null {
  try {
    assertSuccess(endpoint, response, base)
    return null
  } catch (error) {
    return error instanceof AppError && error.kind === 'host' ? (error.code ?? '') : null
  }
}

/** False for files of the user, which may hold any text. */
export function hasErrorInAnyMediaType({ response }: Endpoint): boolean {
  return response.kind !== 'binary' || !response.media.includes('any')
}

/** Default maximum number of values in a response that the service itself parses. */
const MAX_VALUES = 200_000

/** @throws NOT_JSON, TOO_DEEP, or TOO_MANY_VALUES before any value is built. */
export function parseJsonResponse(status: number, type: string, bytes: Uint8Array, maxValues = MAX_VALUES): unknown {
  if (hasMoreValues(bytes, maxValues)) throw createTooManyValuesError(status, maxValues)
  const inspected = inspectJson(bytes)
  if (inspected.isValid) return inspected.value
  throw hasTooDeepFinding(inspected) ? createTooDeepError(status) : createNotJsonError(status, type, bytes)
}

export function getContentType({ headers }: Pick<WireResponse, 'headers'>): string {
  return String(headers['content-type'] ?? '').slice(0, 200)
}

export function isJsonType(type: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type)
}

const hasTooDeepFinding = (inspected: JsonInspection): boolean =>
  inspected.findings.some(({ kind }) => kind === 'too-deep')

/** Code and message are read anywhere in the error; details up to a readable length. */
const ERROR_BUDGET: JsonBudget = {
  shallowDepth: 1,
  maxValues: 2_000,
  maxChars: 16_384,
  maxTextChars: MAX_ERROR_BYTES,
  maxDepth: 32,
}

/** Keeps code and message up to the limits; null if there is none. `isStrict` requires both. */
function parseHostError(response: WireResponse, errorOffset: number, isStrict: boolean): AppError | null {
  const { status, bytes, headers } = response
  let isTooDeep = false
  if (bytes.byteLength > MAX_ERROR_BYTES && isStrict) return null
  if (!response.isTruncated && bytes.byteLength <= MAX_ERROR_BYTES) {
    const inspected = inspectJson(bytes)
    isTooDeep = hasTooDeepFinding(inspected)
    if (!inspected.isValid && !isTooDeep) return null
  } else if (!response.isTruncated && isJsonTruncated(bytes)) return null
  const { text } = decodeUtf8(bytes.subarray(errorOffset, errorOffset + MAX_ERROR_BYTES))
  const { value: error, isTruncated } = parseBoundedJson(text, ERROR_BUDGET)
  const code = getMember(error, 'code')
  const message = getMember(error, 'message')
  if (isStrict && (typeof code !== 'string' || typeof message !== 'string')) return null
  if (isTooDeep && code === undefined && message === undefined) return createTooDeepError(status)
  const retryAfterSeconds =
    parseRetryAfterSeconds(getRawRetryAfter(error)) ?? parseRetryAfterSeconds(headers['retry-after'])
  const details = getMember(error, 'details')
  const retryable = getMember(error, 'retryable')
  return new AppError({
    kind: 'host',
    status,
    ...(typeof code === 'string' ? { code: code.slice(0, 200) } : {}),
    message:
      typeof message === 'string' ? message : `The host returned an error: ${formatFirstBytes(toJsonBytes(error))}`,
    retryable: typeof retryable === 'boolean' ? retryable : status === 429 || status === 503,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(details === undefined ? {} : { details }),
    ...(isTruncated ? { cut: isTruncated } : {}),
  })
}

const toJsonBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? '')

function createRedirectError(response: WireResponse, base: URL): AppError {
  const { status } = response
  const host = formatRedirectHost(response.headers.location, base)
  return new AppError({
    kind: 'http',
    code: 'REDIRECT_REFUSED',
    status,
    message: `The host answered with ${status} and points to ${host}. Redirects are not followed, and the token was not sent there.`,
    retryable: false,
    params: { host, status },
  })
}

/** Returns only host and port, because the path or query of a redirect may carry secrets. */
function formatRedirectHost(location: string | undefined, base: URL): string {
  if (location === undefined) return 'no address'
  try {
    return new URL(location, base).host || 'an address without a host'
  } catch {
    return 'an address that cannot be read'
  }
}

function createStatusError(response: WireResponse, type: string, isJsonExpected: boolean): AppError {
  const { status, bytes, headers, isTruncated } = response
  const isJson =
    isJsonType(type) && (isTruncated ? outlineJson(bytes).firstKind !== 'other' : inspectJson(bytes).isValid)
  if (isJsonExpected && bytes.length > 0 && !isJson) return createNotJsonError(status, type, bytes)
  const retryAfterSeconds = parseRetryAfterSeconds(headers['retry-after'])
  const excerpt = formatFirstBytes(bytes)
  return new AppError({
    kind: 'http',
    code: 'HTTP_STATUS',
    status,
    message: `The host answered with ${status} and no error of its own.${excerpt === '' ? '' : ` The answer begins: ${excerpt}`}`,
    retryable: status >= 500 || status === 429,
    params: { status, begins: excerpt },
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}
