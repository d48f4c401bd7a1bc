/** Where a page is shown. */
export interface FramePolicy {
  /** Who may frame it: the value of `frame-ancestors`. */
  readonly frameAncestors: string
  /** More sources that the page may connect to, for `connect-src`: its sockets. */
  readonly connectSources: string
}

/**
 * What a sandboxed page may do; given to the frame as well. Repeated here for a page that is opened
 * without the frame.
 */
const sandbox = 'sandbox allow-scripts allow-same-origin allow-forms'

/**
 * A panel's page is somebody else's program: it may do as it likes with its own origin, and reach
 * nothing else.
 */
function pageCsp({ frameAncestors: ancestors, connectSources: connect }: FramePolicy): string {
  return [
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",
    `connect-src 'self' data: blob:${connect === '' ? '' : ` ${connect}`}`,
    "worker-src 'self' blob:",
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    `frame-ancestors ${ancestors}`,
    sandbox,
  ].join('; ')
}

/** An answer of the host is data: opened as a document, nothing in it runs. */
const answerCsp = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'"

const permissions = [
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

const always: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // A process of its own, so that a page that loops without end stops only itself.
  'Origin-Agent-Cluster': '?1',
  'Permissions-Policy': permissions.map((name) => `${name}=()`).join(', '),
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

/** Puts our headers over those of a response; `what` it is decides how much may run in it. */
export function secureHeaders(headers: Headers, around: FramePolicy, what: 'page' | 'answer'): Headers {
  for (const [name, value] of Object.entries(always)) headers.set(name, value)
  // A page that connects to other sockets by itself is in the desktop app, whose view closes
  // WebRTC.
  if (around.connectSources === '') headers.set('Connection-Allowlist', CONNECTION_ALLOWLIST)
  headers.set('Content-Security-Policy', what === 'page' ? pageCsp(around) : answerCsp)
  for (const name of BLOCKED_HEADERS) headers.delete(name)
  return headers
}

/**
 * What a source or a host could say that would widen the page's reach, or belongs to a connection.
 */
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
