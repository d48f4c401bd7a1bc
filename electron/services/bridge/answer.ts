import { AppError } from '../../../shared/errors.ts'
import { inspectJson } from '../../../shared/json/inspect.ts'
import type { Endpoint } from '../../../shared/bridge/endpoint.ts'
import { notJson } from './failure.ts'
import type { WireAnswer } from './exchange.ts'

/**
 * Whether an answer is a success of the kind that the row promises; throws otherwise. A JSON answer with an `error` member
 * is a failure whatever its status (spec §1), a redirect is reported and never followed, and not-JSON where JSON was
 * promised is `malformed`.
 */
export function judgeAnswer(endpoint: Endpoint, answer: WireAnswer, base: URL): void {
  const { status, bytes } = answer
  if (status >= 300 && status < 400) throw redirect(answer, base)
  const type = contentType(answer)
  const looksJson = isJsonType(type) || (endpoint.response.kind === 'json' && startsLikeJson(bytes))
  const ok = status >= 200 && status < 300
  if (looksJson && (!ok || hasTopLevelError(bytes))) {
    const failure = hostFailure(answer)
    if (failure) throw failure
  }
  if (!ok) throw httpFailure(answer, type)
  if (endpoint.response.kind === 'json' && (!startsLikeJson(bytes) || /text\/html/i.test(type))) {
    throw notJson(status, type, bytes)
  }
}

export const contentType = (answer: WireAnswer): string => String(answer.headers['content-type'] ?? '').slice(0, 200)

const isJsonType = (type: string): boolean => /^application\/(?:[\w.-]+\+)?json\b/i.test(type)

function firstSolid(bytes: Uint8Array): number {
  const from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte !== 32 && byte !== 9 && byte !== 10 && byte !== 13) return at
  }
  return -1
}

function startsLikeJson(bytes: Uint8Array): boolean {
  const at = firstSolid(bytes)
  return at >= 0 && (bytes[at] === 123 || bytes[at] === 91)
}

const needle = Buffer.from('"error"')

/**
 * Whether the top-level object has a member "error". A scan of bytes, because parsing a page of 5,000 nodes only to learn
 * that it is no error would cost the service more than everything else it does for that page.
 */
export function hasTopLevelError(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.indexOf(needle) < 0) return false
  let depth = 0
  let nameNext = false
  for (let at = 0; at < buffer.length; at += 1) {
    const byte = buffer[at]
    if (byte === 34) {
      const end = closingQuote(buffer, at)
      if (depth === 1 && nameNext && end - at === 6 && buffer.compare(needle, 0, 7, at, end + 1) === 0) return true
      nameNext = false
      at = end
    } else if (byte === 123 || byte === 91) {
      depth += 1
      nameNext = depth === 1 && byte === 123
    } else if (byte === 125 || byte === 93) depth -= 1
    else if (byte === 44) nameNext = depth === 1
  }
  return false
}

function closingQuote(buffer: Buffer, at: number): number {
  let end = at
  for (;;) {
    end = buffer.indexOf(34, end + 1)
    if (end < 0) return buffer.length
    let slashes = 0
    while (buffer[end - 1 - slashes] === 92) slashes += 1
    if (slashes % 2 === 0) return end
  }
}

/** The host's own error, code and message untouched; null when the body holds none. */
function hostFailure(answer: WireAnswer): AppError | null {
  const { value, ok } = inspectJson(answer.bytes)
  if (!ok || typeof value !== 'object' || value === null || !('error' in value)) return null
  const error: unknown = value.error
  const member = (name: string): unknown =>
    typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
  const code = member('code')
  const message = member('message')
  const after = Number(member('retryAfterSeconds') ?? answer.headers['retry-after'])
  const details = member('details')
  return new AppError({
    kind: 'host',
    status: answer.status,
    ...(typeof code === 'string' ? { code: code.slice(0, 200) } : {}),
    message:
      typeof message === 'string' ? message : `The host answered an error: ${JSON.stringify(error).slice(0, 300)}`,
    retryable: member('retryable') === true || answer.status === 429,
    ...(Number.isFinite(after) && after >= 0 ? { retryAfterSeconds: after } : {}),
    ...(details === undefined ? {} : { details }),
  })
}

function redirect(answer: WireAnswer, base: URL): AppError {
  let host = 'nowhere'
  try {
    host = new URL(String(answer.headers.location ?? ''), base).host
  } catch {
    host = 'an address that cannot be read'
  }
  return new AppError({
    kind: 'http',
    code: 'REDIRECT_REFUSED',
    status: answer.status,
    message: `The host answered ${answer.status} and points to ${host}. Redirects are not followed, and the token was not sent there.`,
    retryable: false,
    params: { host, status: answer.status },
  })
}

function httpFailure(answer: WireAnswer, type: string): AppError {
  if (isJsonType(type) || answer.bytes.length === 0) {
    const after = Number(answer.headers['retry-after'])
    return new AppError({
      kind: 'http',
      code: 'HTTP_STATUS',
      status: answer.status,
      message: `The host answered ${answer.status} without saying why.`,
      retryable: answer.status >= 500 || answer.status === 429,
      params: { status: answer.status },
      ...(Number.isFinite(after) && after >= 0 ? { retryAfterSeconds: after } : {}),
    })
  }
  return notJson(answer.status, type, answer.bytes)
}
