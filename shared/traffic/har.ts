import type { ExchangeDetail, Header, StoredBody, Timing } from './exchange.ts'
import { decodeBodyText } from './body-text.ts'
import { getExchangeUrl } from './exchange-url.ts'

interface HarBody {
  readonly text: string
  readonly isBase64: boolean
}

const SLICE_BYTES = 0x8000

function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let offset = 0; offset < bytes.length; offset += SLICE_BYTES)
    text += String.fromCharCode(...bytes.subarray(offset, offset + SLICE_BYTES))
  return btoa(text)
}

/** HAR 1.2 has texts in UTF-8, whatever the charset of the body was. Other bytes are in base64. */
function toHarBody(bytes: Uint8Array | null, body: StoredBody): HarBody | null {
  if (bytes === null || bytes.length === 0) return null
  const { text } = decodeBodyText(bytes, body)
  return text === null ? { text: encodeBase64(bytes), isBase64: true } : { text, isBase64: false }
}

const toHarHeaders = (headers: readonly Header[]): { name: string; value: string }[] =>
  headers.map(([name, value]) => ({ name, value }))

/**
 * Converts an exchange to an entry of an HTTP archive (HAR 1.2). Members outside the format begin
 * with an underscore, as HAR requires. A comment says how much of a body was stored, so that nobody
 * mistakes a part for the whole.
 * @param requestBytes null if there is no body, or nothing of it is stored
 */
export function toHarEntry(
  detail: ExchangeDetail,
  requestBytes: Uint8Array | null,
  responseBytes: Uint8Array | null,
): Record<string, unknown> {
  const { row } = detail
  const request = toHarBody(requestBytes, detail.request)
  const response = toHarBody(responseBytes, detail.response)
  const url = getExchangeUrl(row)
  const query = url.includes('?') ? [...new URLSearchParams(url.slice(url.indexOf('?') + 1))] : []
  return {
    startedDateTime: toHarTime(row.startedAt),
    time: row.durationMs ?? 0,
    request: {
      method: row.method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: toHarHeaders(detail.requestHeaders),
      queryString: query.map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: row.requestBytes,
      ...(request
        ? {
            postData: {
              mimeType: detail.request.mediaType,
              text: request.text,
              // HAR has an encoding only for responses.
              ...(request.isBase64 ? { _encoding: 'base64' } : {}),
              ...cutOf(detail.request),
            },
          }
        : {}),
    },
    response: {
      status: row.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: toHarHeaders(detail.responseHeaders),
      redirectURL: '',
      headersSize: -1,
      bodySize: row.wireBytes ?? -1,
      content: {
        size: row.bytes,
        mimeType: detail.response.mediaType,
        ...(response ? { text: response.text, ...(response.isBase64 ? { encoding: 'base64' } : {}) } : {}),
        ...cutOf(detail.response),
      },
      ...(row.status === null ? { _error: row.errorCode ?? row.state } : {}),
    },
    cache: {},
    timings: toHarTimings(row.timing, row.durationMs),
    _id: row.id,
    _origin: row.origin.kind,
    _attempt: row.attempt,
  }
}

export function createHarLog(
  entries: readonly Record<string, unknown>[],
  version: string,
): { readonly log: Readonly<Record<string, unknown>> } {
  return {
    log: { version: '1.2', creator: { name: 'Bridge Inspector', version }, entries },
  }
}

/** A file may have times that are none. */
function toHarTime(timestamp: number): string {
  const date = new Date(timestamp)
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString()
}

const cutOf = ({ missing, kept, total }: StoredBody): { comment?: string } =>
  missing === null ? {} : { comment: `${kept} of ${total ?? '?'} bytes kept (${missing})` }

/** Durations in milliseconds; -1 if a time is unknown. */
function toHarTimings(
  { queued, connected, sent, firstByte, lastByte }: Timing,
  durationMs: number | null,
): Record<string, number> {
  const spanMs = (from: number | null, to: number | null): number =>
    from === null || to === null ? -1 : Math.max(0, to - from)
  return {
    blocked: queued ?? -1,
    dns: -1,
    connect: spanMs(queued, connected),
    ssl: -1,
    send: Math.max(0, spanMs(connected, sent)),
    wait: Math.max(0, spanMs(sent, firstByte)),
    receive: Math.max(0, spanMs(firstByte, lastByte ?? durationMs)),
  }
}
