import type { ExchangeDetail, Header, StoredBody, Timing } from '../../../shared/traffic/exchange.ts'
import { urlOf } from './repeatable-headers.ts'

/** The text of both bodies, as far as they were kept: `base64` for bytes that are not text. Null if nothing was. */
export interface HarBody {
  readonly text: string
  readonly isBase64: boolean
}

const list = (headers: readonly Header[]): { name: string; value: string }[] =>
  headers.map(([name, value]) => ({ name, value }))

/**
 * An exchange as an entry of an HTTP archive (HAR 1.2). What the format has no place for begins with an underscore, as it demands: the
 * origin, and in a comment what was cut of a body, so that no reader takes a part for the whole.
 */
export function toHarEntry(
  detail: ExchangeDetail,
  request: HarBody | null,
  response: HarBody | null,
): Record<string, unknown> {
  const { row } = detail
  const url = urlOf(row)
  const query = url.includes('?') ? [...new URLSearchParams(url.slice(url.indexOf('?') + 1))] : []
  return {
    startedDateTime: new Date(row.startedAt).toISOString(),
    time: row.durationMs ?? 0,
    request: {
      method: row.method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: list(detail.requestHeaders),
      queryString: query.map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: row.requestBytes,
      ...(request
        ? { postData: { mimeType: detail.request.mediaType, text: request.text, ...cutOf(detail.request) } }
        : {}),
    },
    response: {
      status: row.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: list(detail.responseHeaders),
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
    timings: harTimings(row.timing, row.durationMs),
    _id: row.id,
    _origin: row.origin.kind,
    _attempt: row.attempt,
  }
}

/** The archive that tools open, with these entries. */
export const createHarLog = (
  entries: readonly Record<string, unknown>[],
  version: string,
): Record<string, unknown> => ({
  log: { version: '1.2', creator: { name: 'Bridge Inspector', version }, entries },
})

const cutOf = ({ missing, kept, total }: StoredBody): { comment?: string } =>
  missing === null ? {} : { comment: `${kept} of ${total ?? '?'} bytes kept (${missing})` }

/** Phases in milliseconds; -1 for what cannot be told. */
function harTimings(
  { queued, connected, sent, firstByte, lastByte }: Timing,
  durationMs: number | null,
): Record<string, number> {
  const span = (from: number | null, to: number | null): number =>
    from === null || to === null ? -1 : Math.max(0, to - from)
  return {
    blocked: queued ?? -1,
    dns: -1,
    connect: span(queued, connected),
    ssl: -1,
    send: Math.max(0, span(connected, sent)),
    wait: Math.max(0, span(sent, firstByte)),
    receive: Math.max(0, span(firstByte, lastByte ?? durationMs)),
  }
}
