import type { PanelCallChange } from '../../../../shared/panel/panel.ts'
import type { RawHeaders } from '../../bridge/exchange-trace.ts'

/** What of a page's headers reaches the host. */
const passed: ReadonlySet<string> = new Set([
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

/** What a browser adds by itself; leaving it out says nothing about the page. */
const own =
  /^(?:accept-encoding|cache-control|connection|content-length|dnt|host|origin|pragma|priority|referer|sec-.*|upgrade-insecure-requests|user-agent|cookie|purpose|transfer-encoding)$/i

/**
 * The headers that go on to the host, and which ones of the page's own do not (a method override,
 * an authorization).
 */
export function filterRequestHeaders(headers: RawHeaders): { passed: RawHeaders; changes: PanelCallChange[] } {
  const kept = headers.filter(([name]) => passed.has(name.toLowerCase()))
  const removed = headers.filter(([name]) => !passed.has(name.toLowerCase()) && !own.test(name))
  return {
    // Uncompressed, so that lengths and ranges count the bytes themselves, and the desktop's scheme
    // needs no decoding.
    passed: [...kept, ['accept-encoding', 'identity']],
    changes: removed.slice(0, 50).map(([name, value]) => ({
      where: 'header',
      member: name.slice(0, 200),
      from: isSecret.test(name) ? '[redacted]' : value.slice(0, 500),
      to: null,
      why: 'header-removed',
    })),
  }
}

const isSecret = /authorization|cookie|token|secret|key|password/i

/** Headers of an answer that are the connection's, or that no page is to get. */
const withheld =
  /^(?:connection|keep-alive|proxy-.*|set-cookie2?|te|trailer|transfer-encoding|upgrade|www-authenticate)$/i

export const filterResponseHeaders = (headers: RawHeaders): RawHeaders =>
  headers.filter(([name]) => !withheld.test(name))
