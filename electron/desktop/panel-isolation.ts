import type { OnBeforeRequestListenerDetails, WebContents, CustomScheme } from 'electron'

/**
 * A panel has a scheme of its own, so that it shares an origin with nothing and is same-origin with
 * the bridge.
 * @see spec §1
 */
export const PANEL_SCHEME = 'bridge-panel'

/**
 * A panel's page needs an origin, `fetch` and media. Never add `corsEnabled`, `bypassCSP` or
 * `allowServiceWorkers` (a worker would outlive the page it came with).
 */
export const panelScheme: CustomScheme = {
  scheme: PANEL_SCHEME,
  privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true },
}

/**
 * Returns the origin of one opening of a panel.
 *
 * @param id hexadecimal digits.
 */
export const getPanelOrigin = (id: string): string => `${PANEL_SCHEME}://${id}`

/**
 * Tells whether an address belongs to that origin. It is parsed, because another host may have the
 * same beginning.
 */
export function isPanelUrl(text: string, id: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host, username, password } = new URL(text)
  return protocol === `${PANEL_SCHEME}:` && host === id && username === '' && password === ''
}

type PanelRequest = Pick<OnBeforeRequestListenerDetails, 'url' | 'resourceType'>

/** The panel's notes name the reason of a refused request by one of these words. */
type PanelRefusal = 'navigation' | 'frame' | 'file' | 'remote'

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Finds why a panel's session refuses a request. Returns null for its own origin, for data that the
 * page made itself, for its developer tools, and for the socket of its development server. Chromium
 * lets no page reach `devtools:` by itself.
 */
export function findPanelRefusal(
  { url, resourceType }: PanelRequest,
  id: string,
  server: URL | null,
): PanelRefusal | null {
  const isFrame = resourceType === 'mainFrame' || resourceType === 'subFrame'
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase()
  if (isPanelUrl(url, id) || scheme === 'devtools:') return null
  if (!isFrame && (scheme === 'data:' || scheme === 'blob:')) return null
  if (resourceType === 'webSocket' && server && isDevServerSocket(url, server)) return null
  if (scheme === 'file:') return 'file'
  if (resourceType === 'mainFrame') return 'navigation'
  return isFrame ? 'frame' : 'remote'
}

/**
 * Tells whether an address is the development server's socket: on this machine and on the server's
 * own port. A bundler may use another name of this machine than the user did.
 */
function isDevServerSocket(text: string, server: URL): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, port } = new URL(text)
  const expected = server.protocol === 'https:' ? 'wss:' : 'ws:'
  return protocol === expected && port === server.port && loopback.has(hostname)
}

/**
 * Creates a proxy that blocks connections which are no requests (preconnects, TCP of WebRTC) and so
 * never reach `findPanelRefusal`. All TCP goes to a proxy that does not exist, loopback included,
 * except the development server. For UDP see `disableWebRtc`.
 */
export function createBlockingProxy(server: URL | null): { proxyRules: string; proxyBypassRules: string } {
  const port = server?.port || (server?.protocol === 'https:' ? '443' : '80')
  const allowedHosts = server ? [...loopback].map((name) => `${name}:${port}`) : []
  return { proxyRules: 'http://127.0.0.1:1', proxyBypassRules: ['<-loopback>', ...allowedHosts].join(';') }
}

/**
 * Keeps WebRTC from sending UDP, which passes neither requests nor proxies. A blank frame has its
 * own `RTCPeerConnection`, so removing the page's is not enough. This policy applies to every
 * frame: only what goes through the proxy is sent, which is nothing.
 */
export const disableWebRtc = (contents: Pick<WebContents, 'setWebRTCIPHandlingPolicy'>): void =>
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
