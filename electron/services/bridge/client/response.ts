import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { getRetryAfterSeconds } from '../../../../shared/bridge/errors.ts'
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
 * Throws unless an answer is a success of the kind that the row promises. A JSON answer with an `error` member is a failure whatever its
 * status (spec §1), also under the media type of a picture or a text, a redirect is reported and never followed, and anything other than JSON where JSON was promised is `malformed`.
 */
export function assertSuccess(endpoint: Endpoint, answer: WireResponse, base: URL): void {
  const { status, bytes } = answer
  if (status >= 300 && status < 400) throw redirect(answer, base)
  const ok = status >= 200 && status < 300
  const type = getContentType(answer)
  const promised = endpoint.response.kind === 'json'
  const outline = outlineJson(bytes)
  if (outline.errorOffset !== null && (promised || isJsonType(type) || hasErrorInAnyMediaType(endpoint))) {
    // A JSON file of the user's may well have a member "error": there, only the host's own error shape counts.
    const failure = hostFailure(answer, outline.errorOffset, ok && !promised)
    if (failure) throw failure
  }
  if (!ok) throw httpFailure(answer, type, promised)
  if (!promised) return
  const container = outline.firstKind === 'object' || outline.firstKind === 'array'
  if (!container || /text\/html/i.test(type)) throw createNotJsonError(status, type, bytes)
  if (!outline.isClosed)
    throw isJsonTruncated(bytes)
      ? createTruncatedError(base.host, bytes.byteLength)
      : createNotJsonError(status, type, bytes)
}

/** Code of the host's error in an answer that is shown as it came; the empty text if it has none, null if there is no error. */
export function getHostErrorCode(endpoint: Endpoint, answer: WireResponse, base: URL): string | null {
  try {
    assertSuccess(endpoint, answer, base)
    return null
  } catch (error) {
    return error instanceof AppError && error.kind === 'host' ? (error.code ?? '') : null
  }
}

/**
 * Whether the host's error shape is an error whatever media type it has: everywhere but in files of the user, which may hold any text.
 */
export const hasErrorInAnyMediaType = ({ response }: Endpoint): boolean =>
  response.kind !== 'binary' || !response.media.includes('any')

/** Maximum number of values in an answer that the service itself reads. */
const MAX_VALUES = 200_000

/** The value of a JSON answer. Throws `NOT_JSON`, `TOO_DEEP`, and `TOO_MANY_VALUES` before any value is built. */
export function parseJsonResponse(status: number, type: string, bytes: Uint8Array, most = MAX_VALUES): unknown {
  if (hasMoreValues(bytes, most)) throw createTooManyValuesError(status, most)
  const inspected = inspectJson(bytes)
  if (inspected.isValid) return inspected.value
  throw isTooDeep(inspected) ? createTooDeepError(status) : createNotJsonError(status, type, bytes)
}

export const getContentType = ({ headers }: Pick<WireResponse, 'headers'>): string =>
  String(headers['content-type'] ?? '').slice(0, 200)

export const isJsonType = (type: string): boolean => /^application\/(?:[\w.-]+\+)?json\b/i.test(type)

const isTooDeep = (inspected: JsonInspection): boolean => inspected.findings.some(({ kind }) => kind === 'too-deep')

/** Of an error, code and message are kept however far apart they are, and as much of the details as a person may look through. */
const errorBudget: JsonBudget = {
  shallowDepth: 1,
  maxValues: 2_000,
  maxChars: 16_384,
  maxTextChars: MAX_ERROR_BYTES,
  maxDepth: 32,
}

/** The host's own error, with as much of its code and message as is kept, unchanged; null if the body holds none. */
function hostFailure(answer: WireResponse, at: number, strict: boolean): AppError | null {
  const { status, bytes, headers } = answer
  let deep = false
  if (bytes.byteLength > MAX_ERROR_BYTES && strict) return null
  if (!answer.isTruncated && bytes.byteLength <= MAX_ERROR_BYTES) {
    const inspected = inspectJson(bytes)
    deep = isTooDeep(inspected)
    if (!inspected.isValid && !deep) return null
  } else if (!answer.isTruncated && isJsonTruncated(bytes)) return null
  const { text } = decodeUtf8(bytes.subarray(at, at + MAX_ERROR_BYTES))
  const { value: error, isTruncated: cut } = parseBoundedJson(text, errorBudget)
  const code = getMember(error, 'code')
  const message = getMember(error, 'message')
  if (strict && (typeof code !== 'string' || typeof message !== 'string')) return null
  if (deep && code === undefined && message === undefined) return createTooDeepError(status)
  const after = parseRetryAfterSeconds(getRetryAfterSeconds(error)) ?? parseRetryAfterSeconds(headers['retry-after'])
  const details = getMember(error, 'details')
  const retryable = getMember(error, 'retryable')
  return new AppError({
    kind: 'host',
    status,
    ...(typeof code === 'string' ? { code: code.slice(0, 200) } : {}),
    message: typeof message === 'string' ? message : `The host returned an error: ${formatFirstBytes(shown(error))}`,
    retryable: typeof retryable === 'boolean' ? retryable : status === 429 || status === 503,
    ...(after === undefined ? {} : { retryAfterSeconds: after }),
    ...(details === undefined ? {} : { details }),
    ...(cut ? { cut } : {}),
  })
}

const shown = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? '')

function redirect(answer: WireResponse, base: URL): AppError {
  const { status } = answer
  const host = redirectHost(answer.headers.location, base)
  return new AppError({
    kind: 'http',
    code: 'REDIRECT_REFUSED',
    status,
    message: `The host answered with ${status} and points to ${host}. Redirects are not followed, and the token was not sent there.`,
    retryable: false,
    params: { host, status },
  })
}

/** Only host and port: the path or query of a redirect may carry secrets. */
function redirectHost(location: string | undefined, base: URL): string {
  if (location === undefined) return 'no address'
  try {
    return new URL(location, base).host || 'an address without a host'
  } catch {
    return 'an address that cannot be read'
  }
}

function httpFailure(answer: WireResponse, type: string, promised: boolean): AppError {
  const { status, bytes, headers, isTruncated: cut } = answer
  const isJson = isJsonType(type) && (cut ? outlineJson(bytes).firstKind !== 'other' : inspectJson(bytes).isValid)
  if (promised && bytes.length > 0 && !isJson) return createNotJsonError(status, type, bytes)
  const after = parseRetryAfterSeconds(headers['retry-after'])
  const begins = formatFirstBytes(bytes)
  return new AppError({
    kind: 'http',
    code: 'HTTP_STATUS',
    status,
    message: `The host answered with ${status} and no error of its own.${begins === '' ? '' : ` The answer begins: ${begins}`}`,
    retryable: status >= 500 || status === 429,
    params: { status, begins },
    ...(after === undefined ? {} : { retryAfterSeconds: after }),
  })
}
