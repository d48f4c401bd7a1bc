/** Who may frame a page, and which other sources it may connect to. */
export interface FramePolicy {
  /** Who may frame it: the value of `frame-ancestors`. */
  readonly frameAncestors: string
  /** Additional sources for `connect-src`: the page's sockets. */
  readonly connectSources: string
}

/**
 * Permissions of the sandboxed page, as on the frame. They are repeated for a page that is opened
 * without the frame.
 */
const SANDBOX_DIRECTIVE = 'sandbox allow-scripts allow-same-origin allow-forms'

/**
 * A panel's page is a foreign program: it may do anything within its own origin, and reach nothing
 * else.
 */
function buildPageCsp({ frameAncestors, connectSources }: FramePolicy): string {
  return [
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",
    `connect-src 'self' data: blob:${connectSources === '' ? '' : ` ${connectSources}`}`,
    "worker-src 'self' blob:",
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors}`,
    SANDBOX_DIRECTIVE,
  ].join('; ')
}

/** A response of the host is data: nothing in it runs when it is opened as a document. */
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
  // A separate process, so that a page that loops forever blocks only itself.
  'Origin-Agent-Cluster': '?1',
  'Permissions-Policy': DENIED_PERMISSIONS.map((name) => `${name}=()`).join(', '),
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
}

/**
 * No policy and no script of ours reaches WebRTC in a blank frame. Chromium 156 knows this header,
 * and ends the process of a page that opens WebRTC; other browsers ignore it. Redirects are left to
 * the policy, like everything else: https://wicg.github.io/connection-allowlists
 */
const CONNECTION_ALLOWLIST = '(response-origin);redirects=allow'

/** Sets our security headers on a response. A `page` may run scripts, an `answer` may not. */
export function secureHeaders(headers: Headers, framePolicy: FramePolicy, kind: 'page' | 'answer'): Headers {
  for (const [name, value] of Object.entries(COMMON_HEADERS)) headers.set(name, value)
  // A page that connects to other sockets by itself is in the desktop app, whose view closes
  // WebRTC.
  if (framePolicy.connectSources === '') headers.set('Connection-Allowlist', CONNECTION_ALLOWLIST)
  headers.set('Content-Security-Policy', kind === 'page' ? buildPageCsp(framePolicy) : DATA_CSP)
  for (const name of BLOCKED_HEADERS) headers.delete(name)
  return headers
}

/** Headers that would widen the page's reach or belong to a connection. */
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
