import type { PanelCallChange } from '../../../../shared/panel/panel.ts'
import type { RawHeaders } from '../../bridge/exchange-trace.ts'

/** The request headers of a page that are passed on to the host. */
const PASSED_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
])

export function isPassedHeader(name: string): boolean {
  return PASSED_HEADERS.has(name.toLowerCase())
}

/** Headers that a browser adds by itself. Their removal is not reported. */
const BROWSER_HEADERS =
  /^(?:accept-encoding|cache-control|connection|content-length|dnt|host|origin|pragma|priority|referer|sec-.*|upgrade-insecure-requests|user-agent|cookie|purpose|transfer-encoding)$/i

/** Removed headers that the page itself set (method override, authorization) are changes. */
export function filterRequestHeaders(headers: RawHeaders): { passed: RawHeaders; changes: PanelCallChange[] } {
  const passedHeaders = headers.filter(([name]) => isPassedHeader(name))
  const removed = headers.filter(([name]) => !isPassedHeader(name) && !BROWSER_HEADERS.test(name))
  return {
    // Uncompressed: lengths and ranges count the body's bytes, and nothing needs decoding.
    passed: [...passedHeaders, ['accept-encoding', 'identity']],
    changes: removed.slice(0, 50).map(([name, value]) => ({
      where: 'header',
      member: name.slice(0, 200),
      from: SECRET_HEADER.test(name) ? '[redacted]' : value.slice(0, 500),
      to: null,
      why: 'header-removed',
    })),
  }
}

const SECRET_HEADER = /authorization|cookie|token|secret|key|password/i

/** Response headers that belong to one connection, or that a page must not receive. */
const WITHHELD_HEADERS =
  /^(?:connection|keep-alive|proxy-.*|set-cookie2?|te|trailer|transfer-encoding|upgrade|www-authenticate)$/i

export function filterResponseHeaders(headers: RawHeaders): RawHeaders {
  return headers.filter(([name]) => !WITHHELD_HEADERS.test(name))
}
