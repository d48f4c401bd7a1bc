import type { Endpoint } from '../../../shared/bridge/endpoint.ts'
import { AppError } from '../../../shared/errors.ts'
import { firstBytes } from '../../../shared/format/bytes.ts'
import { inspectJson, type Inspected } from '../../../shared/json/inspect.ts'
import type { WireAnswer } from './exchange.ts'
import { notJson, tooDeep, truncated } from './failure.ts'
import { breaksOff, outlineOf } from './outline.ts'
import { askedSeconds } from './retry.ts'

/**
 * Whether an answer is a success of the kind that the row promises; throws otherwise. A JSON answer with an `error` member
 * is a failure whatever its status (spec §1), a redirect is reported and never followed, and not-JSON where JSON was
 * promised is `malformed`.
 */
export function judgeAnswer(endpoint: Endpoint, answer: WireAnswer, base: URL): void {
  const { status, bytes } = answer
  if (status >= 300 && status < 400) throw redirect(answer, base)
  const ok = status >= 200 && status < 300
  const type = contentType(answer)
  const promised = endpoint.response.kind === 'json'
  const outline = outlineOf(bytes)
  if (outline.starts === 'object' && (promised || isJsonType(type)) && (!ok || outline.hasError)) {
    // A file of the user's that is JSON may well have a member "error": there only the host's own shape counts.
    const failure = hostFailure(answer, ok && !promised)
    if (failure) throw failure
  }
  if (!ok) throw httpFailure(answer, type, promised)
  if (!promised) return
  const container = outline.starts === 'object' || outline.starts === 'array'
  if (!container || /text\/html/i.test(type)) throw notJson(status, type, bytes)
  if (!outline.closed) throw breaksOff(bytes) ? truncated(base.host, bytes.byteLength) : notJson(status, type, bytes)
}

/** The value of a JSON answer. Throws `NOT_JSON` or `TOO_DEEP`. */
export function parsed(status: number, type: string, bytes: Uint8Array): unknown {
  const inspected = inspectJson(bytes)
  if (inspected.ok) return inspected.value
  throw isTooDeep(inspected) ? tooDeep(status) : notJson(status, type, bytes)
}

export const contentType = ({ headers }: Pick<WireAnswer, 'headers'>): string =>
  String(headers['content-type'] ?? '').slice(0, 200)

export const isJsonType = (type: string): boolean => /^application\/(?:[\w.-]+\+)?json\b/i.test(type)

const isTooDeep = (inspected: Inspected): boolean => inspected.findings.some(({ kind }) => kind === 'too-deep')

/** The host's own error, code and message untouched; null when the body holds none (`"error": null` says that there is none). */
function hostFailure(answer: WireAnswer, strict: boolean): AppError | null {
  const inspected = inspectJson(answer.bytes)
  const { value, ok } = inspected
  if (isTooDeep(inspected)) return tooDeep(answer.status)
  if (!ok || typeof value !== 'object' || value === null || !('error' in value)) return null
  const error: unknown = value.error
  if (error === null) return null
  const member = (name: string): unknown =>
    typeof error === 'object' && Object.hasOwn(error, name) ? Reflect.get(error, name) : undefined
  const code = member('code')
  const message = member('message')
  if (strict && (typeof code !== 'string' || typeof message !== 'string')) return null
  const after = askedSeconds(member('retryAfterSeconds')) ?? askedSeconds(answer.headers['retry-after'])
  const details = member('details')
  const retryable = member('retryable')
  return new AppError({
    kind: 'host',
    status: answer.status,
    ...(typeof code === 'string' ? { code: code.slice(0, 200) } : {}),
    message: typeof message === 'string' ? message : `The host answered an error: ${firstBytes(shown(error))}`,
    retryable: typeof retryable === 'boolean' ? retryable : answer.status === 429 || answer.status === 503,
    ...(after === undefined ? {} : { retryAfterSeconds: after }),
    ...(details === undefined ? {} : { details }),
  })
}

const shown = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

function redirect(answer: WireAnswer, base: URL): AppError {
  const { status } = answer
  const host = redirectHost(answer.headers.location, base)
  return new AppError({
    kind: 'http',
    code: 'REDIRECT_REFUSED',
    status,
    message: `The host answered ${status} and points to ${host}. Redirects are not followed, and the token was not sent there.`,
    retryable: false,
    params: { host, status },
  })
}

/** Host and port alone: a path or query of a redirect may carry secrets. */
function redirectHost(location: string | undefined, base: URL): string {
  if (location === undefined) return 'no address'
  try {
    return new URL(location, base).host || 'an address without a host'
  } catch {
    return 'an address that cannot be read'
  }
}

function httpFailure(answer: WireAnswer, type: string, promised: boolean): AppError {
  const { status, bytes, headers } = answer
  if (promised && bytes.length > 0 && !(isJsonType(type) && inspectJson(bytes).ok)) return notJson(status, type, bytes)
  const after = askedSeconds(headers['retry-after'])
  const begins = firstBytes(bytes)
  return new AppError({
    kind: 'http',
    code: 'HTTP_STATUS',
    status,
    message: `The host answered ${status} without an error of its own.${begins === '' ? '' : ` The answer begins: ${begins}`}`,
    retryable: status >= 500 || status === 429,
    params: { status, begins },
    ...(after === undefined ? {} : { retryAfterSeconds: after }),
  })
}
