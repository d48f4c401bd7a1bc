import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { waitIn } from '../../../../shared/bridge/errors.ts'
import { member } from '../../../../shared/json/object.ts'
import { AppError } from '../../../../shared/errors.ts'
import { firstBytes } from '../../../../shared/format/bytes.ts'
import { decodeUtf8, inspectJson, type Inspected } from '../../../../shared/json/inspect.ts'
import { boundedJson, type JsonBudget } from '../wire/bounded-json.ts'
import { ERROR_BYTES } from '../wire/decode.ts'
import type { WireAnswer } from '../wire/exchange.ts'
import { notJson, tooDeepFailure, tooManyValues, truncated } from '../wire/failure.ts'
import { breaksOff, holdsMore, outlineJson } from '../wire/outline.ts'
import { askedSeconds } from './retry.ts'

/**
 * Throws unless an answer is a success of the kind that the row promises. A JSON answer with an `error` member is a failure whatever its
 * status (spec §1), also under the media type of a picture or a text, a redirect is reported and never followed, and anything other than JSON where JSON was promised is `malformed`.
 */
export function judgeAnswer(endpoint: Endpoint, answer: WireAnswer, base: URL): void {
  const { status, bytes } = answer
  if (status >= 300 && status < 400) throw redirect(answer, base)
  const ok = status >= 200 && status < 300
  const type = contentType(answer)
  const promised = endpoint.response.kind === 'json'
  const outline = outlineJson(bytes)
  if (outline.errorAt !== null && (promised || isJsonType(type) || isErrorWhatever(endpoint))) {
    // A JSON file of the user's may well have a member "error": there, only the host's own error shape counts.
    const failure = hostFailure(answer, outline.errorAt, ok && !promised)
    if (failure) throw failure
  }
  if (!ok) throw httpFailure(answer, type, promised)
  if (!promised) return
  const container = outline.starts === 'object' || outline.starts === 'array'
  if (!container || /text\/html/i.test(type)) throw notJson(status, type, bytes)
  if (!outline.closed) throw breaksOff(bytes) ? truncated(base.host, bytes.byteLength) : notJson(status, type, bytes)
}

/** Code of the host's error in an answer that is shown as it came; the empty text if it has none, null if there is no error. */
export function hostCodeOf(endpoint: Endpoint, answer: WireAnswer, base: URL): string | null {
  try {
    judgeAnswer(endpoint, answer, base)
    return null
  } catch (error) {
    return error instanceof AppError && error.kind === 'host' ? (error.code ?? '') : null
  }
}

/**
 * Whether the host's error shape is an error whatever media type it has: everywhere but in files of the user, which may hold any text.
 */
export const isErrorWhatever = ({ response }: Endpoint): boolean =>
  response.kind !== 'binary' || !response.media.includes('any')

/** Maximum number of values in an answer that the service itself reads. */
const MOST_VALUES = 200_000

/** The value of a JSON answer. Throws `NOT_JSON`, `TOO_DEEP`, and `TOO_MANY_VALUES` before any value is built. */
export function parsed(status: number, type: string, bytes: Uint8Array, most = MOST_VALUES): unknown {
  if (holdsMore(bytes, most)) throw tooManyValues(status, most)
  const inspected = inspectJson(bytes)
  if (inspected.ok) return inspected.value
  throw isTooDeep(inspected) ? tooDeepFailure(status) : notJson(status, type, bytes)
}

export const contentType = ({ headers }: Pick<WireAnswer, 'headers'>): string =>
  String(headers['content-type'] ?? '').slice(0, 200)

export const isJsonType = (type: string): boolean => /^application\/(?:[\w.-]+\+)?json\b/i.test(type)

const isTooDeep = (inspected: Inspected): boolean => inspected.findings.some(({ kind }) => kind === 'too-deep')

/** Of an error, code and message are kept however far apart they are, and as much of the details as a person may look through. */
const errorBudget: JsonBudget = { shallow: 1, values: 2_000, characters: 16_384, text: ERROR_BYTES, depth: 32 }

/** The host's own error, with as much of its code and message as is kept, unchanged; null if the body holds none. */
function hostFailure(answer: WireAnswer, at: number, strict: boolean): AppError | null {
  const { status, bytes, headers } = answer
  let deep = false
  if (bytes.byteLength > ERROR_BYTES && strict) return null
  if (!answer.cut && bytes.byteLength <= ERROR_BYTES) {
    const inspected = inspectJson(bytes)
    deep = isTooDeep(inspected)
    if (!inspected.ok && !deep) return null
  } else if (!answer.cut && breaksOff(bytes)) return null
  const { text } = decodeUtf8(bytes.subarray(at, at + ERROR_BYTES))
  const { value: error, cut } = boundedJson(text, errorBudget)
  const code = member(error, 'code')
  const message = member(error, 'message')
  if (strict && (typeof code !== 'string' || typeof message !== 'string')) return null
  if (deep && code === undefined && message === undefined) return tooDeepFailure(status)
  const after = askedSeconds(waitIn(error)) ?? askedSeconds(headers['retry-after'])
  const details = member(error, 'details')
  const retryable = member(error, 'retryable')
  return new AppError({
    kind: 'host',
    status,
    ...(typeof code === 'string' ? { code: code.slice(0, 200) } : {}),
    message: typeof message === 'string' ? message : `The host returned an error: ${firstBytes(shown(error))}`,
    retryable: typeof retryable === 'boolean' ? retryable : status === 429 || status === 503,
    ...(after === undefined ? {} : { retryAfterSeconds: after }),
    ...(details === undefined ? {} : { details }),
    ...(cut ? { cut } : {}),
  })
}

const shown = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? '')

function redirect(answer: WireAnswer, base: URL): AppError {
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

function httpFailure(answer: WireAnswer, type: string, promised: boolean): AppError {
  const { status, bytes, headers, cut } = answer
  const isJson = isJsonType(type) && (cut ? outlineJson(bytes).starts !== 'other' : inspectJson(bytes).ok)
  if (promised && bytes.length > 0 && !isJson) return notJson(status, type, bytes)
  const after = askedSeconds(headers['retry-after'])
  const begins = firstBytes(bytes)
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
