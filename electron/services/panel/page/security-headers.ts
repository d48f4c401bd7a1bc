/** The sandbox of the frame, repeated for a page that is opened outside the frame. */
const SANDBOX_DIRECTIVE = 'sandbox allow-scripts allow-same-origin allow-forms'

/** A panel is a foreign program: all is allowed in its own origin, nothing outside. */
function buildPageCsp(frameAncestors: string): string {
  return [
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",
    "connect-src 'self' data: blob:",
    "worker-src 'self' blob:",
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors}`,
    SANDBOX_DIRECTIVE,
  ].join('; ')
}

/**
 * The policy for responses of the host. They are data, so no script in a response runs when the
 * response is opened as a document.
 */
const DATA_CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'"

const DENIED_PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'window-management',
  'xr-spatial-tracking',
]

const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // The page gets a separate process, so that an endless loop blocks only the page itself.
  'Origin-Agent-Cluster': '?1',
  'Permissions-Policy': DENIED_PERMISSIONS.map((name) => `${name}=()`).join(', '),
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
}

/**
 * Neither our policy nor our scripts can prevent WebRTC in a blank frame. Chromium 156 supports
 * this header, and ends the process of a page that opens WebRTC, but a packet can leave before the
 * process ends; other browsers ignore the header. Redirects are allowed here because the content
 * security policy checks them: https://wicg.github.io/connection-allowlists
 */
const CONNECTION_ALLOWLIST = '(response-origin);redirects=allow'

/**
 * The scripts of a `page` may run, those of an `answer` may not.
 * @param frameAncestors the pages that may show this page in a frame
 */
export function secureHeaders(headers: Headers, frameAncestors: string, kind: 'page' | 'answer'): Headers {
  for (const [name, value] of Object.entries(COMMON_HEADERS)) headers.set(name, value)
  headers.set('Connection-Allowlist', CONNECTION_ALLOWLIST)
  headers.set('Content-Security-Policy', kind === 'page' ? buildPageCsp(frameAncestors) : DATA_CSP)
  for (const name of BLOCKED_HEADERS) headers.delete(name)
  return headers
}

/** Response headers that would give the page more access, or that belong to one connection. */
const BLOCKED_HEADERS = [
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'alt-svc',
  'clear-site-data',
  'connection',
  'content-security-policy-report-only',
  'keep-alive',
  'link',
  'nel',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'speculation-rules',
  'strict-transport-security',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
]
