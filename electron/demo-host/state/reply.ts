export interface BytesReply {
  readonly kind: 'bytes'
  readonly mimeType: string
  readonly bytes: Buffer
  /** How the `Range` header is mishandled because of a fault; absent if it is handled correctly. */
  readonly ranges?: 'ignored' | 'wrong'
}

/** Returns the bytes `from` to `to` (exclusive); the same offsets always give the same bytes. */
export type ByteGenerator = (from: number, to: number) => Buffer

/** JSON is stored as the text that will be sent, so that a large page is built only once. */
export type DemoReply =
  | {
      readonly kind: 'json'
      readonly status: number
      readonly text: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | BytesReply
  /** Content that is generated while it is sent. */
  | { readonly kind: 'made'; readonly mimeType: string; readonly size: number; readonly make: ByteGenerator }
  | { readonly kind: 'text'; readonly contentType: string; readonly text: string; readonly status?: number }

export const API_VERSION = '0.91'

/** Adds the version that every response contains. @see spec §9 */
export function createJsonReply(
  value: object,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): DemoReply {
  return {
    kind: 'json',
    status,
    headers,
    text: JSON.stringify({ ...value, bridgeApiVersion: API_VERSION }),
  }
}

/** An error that a route throws and the host sends as its response (spec §7, observed-0.49). */
export class DemoError extends Error {
  readonly status: number
  readonly code: string
  readonly extra: Readonly<Record<string, unknown>>

  constructor(status: number, code: string, message: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.extra = extra
  }

  reply(headers: Record<string, string> = {}): DemoReply {
    const { status, code, message, extra } = this
    const value = { error: { code, message, retryable: status === 429, ...extra }, bridgeApiVersion: API_VERSION }
    return { kind: 'json', status, text: JSON.stringify(value), headers }
  }
}

export function createParameterError(name: string, rule: string): DemoError {
  return new DemoError(422, 'PARAMETER_INVALID', `${name} ${rule}`)
}
/** Cards of the generated study set can only be edited, not moved, added or removed. */
export function createFixedSetError(): DemoError {
  return new DemoError(409, 'STUDY_SET_FIXED', 'The generated study set keeps its shape. Nothing was done.')
}
export function createNoteNotFoundError(id: string): DemoError {
  return new DemoError(404, 'NOTE_NOT_FOUND', `There is no card ${id.slice(0, 60)}.`)
}
