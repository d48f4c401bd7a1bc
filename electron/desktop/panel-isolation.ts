import type {
  CustomScheme,
  OnBeforeRequestListenerDetails,
  OnBeforeSendHeadersListenerDetails,
  WebContents,
} from 'electron'

/**
 * Panels have a scheme of their own, so that a panel shares no origin with our page and has the
 * same origin as the bridge.
 * @see spec §1
 */
export const PANEL_SCHEME = 'bridge-panel'

/**
 * A panel's page needs an origin, `fetch` and media. Never add `corsEnabled`, `bypassCSP` or
 * `allowServiceWorkers` (a worker would outlive the page that started it).
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

/** The address is parsed, because a different host may begin with the same characters. */
export function isPanelUrl(text: string, id: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host, username, password } = new URL(text)
  return protocol === `${PANEL_SCHEME}:` && host === id && username === '' && password === ''
}

/**
 * Request headers of a page of a custom scheme lack fetch metadata. Returns what the browser loads
 * a resource as, in the words of `Sec-Fetch-Dest`; null for a document, and where the page's code
 * reads the response.
 */
export function getDestination({
  resourceType,
  requestHeaders,
}: Pick<OnBeforeSendHeadersListenerDetails, 'resourceType' | 'requestHeaders'>): string | null {
  if (resourceType === 'stylesheet') return 'style'
  if (resourceType === 'script')
    return requestHeaders['Accept']?.startsWith('application/json') === true ? 'json' : 'script'
  return ['image', 'font', 'media', 'object'].includes(resourceType) ? resourceType : null
}

type PanelRequest = Pick<OnBeforeRequestListenerDetails, 'url' | 'resourceType'>

/** The reason of a refused request, as the panel's notes show it. */
type PanelRefusal = 'navigation' | 'frame' | 'file' | 'remote'

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Finds why a panel's session refuses a request. Returns null for the panel's own origin, for data
 * that the page made itself, for the developer tools of the page, and for the socket of its
 * development server. A page cannot open `devtools:` addresses, so these need no check.
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
 * Returns true for sockets on this machine and on the development server's port. A bundler may use
 * a different name of this machine than the user did.
 */
function isDevServerSocket(text: string, server: URL): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, port } = new URL(text)
  const expected = server.protocol === 'https:' ? 'wss:' : 'ws:'
  return protocol === expected && port === server.port && loopback.has(hostname)
}

/**
 * Creates proxy rules that block connections for which Chromium makes no request (preconnects, TCP
 * of WebRTC), so that `findPanelRefusal` does not see them. All TCP goes to a proxy that does not
 * exist, loopback included, except for the development server. `disableWebRtc` blocks UDP.
 */
export function createBlockingProxy(server: URL | null): { proxyRules: string; proxyBypassRules: string } {
  const port = server?.port || (server?.protocol === 'https:' ? '443' : '80')
  const allowedHosts = server ? [...loopback].map((name) => `${name}:${port}`) : []
  return { proxyRules: 'http://127.0.0.1:1', proxyBypassRules: ['<-loopback>', ...allowedHosts].join(';') }
}

/**
 * Keeps WebRTC from sending UDP, which is subject neither to request checks nor to proxies.
 * Removing `RTCPeerConnection` from the page is not enough, because a blank frame has its own. This
 * policy applies to every frame and allows only traffic through the proxy, which does not exist.
 */
export const disableWebRtc = (contents: Pick<WebContents, 'setWebRTCIPHandlingPolicy'>): void =>
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
