import type { OnBeforeRequestListenerDetails, WebContents, CustomScheme } from 'electron'

/** A panel has a scheme of its own, so that it shares an origin with nothing, and is same-origin with the bridge (spec §1). */
export const PANEL_SCHEME = 'bridge-panel'

/**
 * What a panel's page needs: an origin, `fetch`, media. Never add `corsEnabled`, `bypassCSP` or `allowServiceWorkers` (a worker would
 * outlive the page it came with).
 */
export const panelScheme: CustomScheme = {
  scheme: PANEL_SCHEME,
  privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true },
}

/** The origin of one opening of a panel. `id` are hexadecimal digits. */
export const getPanelOrigin = (id: string): string => `${PANEL_SCHEME}://${id}`

/** Whether an address belongs to that origin. It is parsed, because another host may have the same beginning. */
export function isPanelUrl(text: string, id: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host, username, password } = new URL(text)
  return protocol === `${PANEL_SCHEME}:` && host === id && username === '' && password === ''
}

type Asked = Pick<OnBeforeRequestListenerDetails, 'url' | 'resourceType'>

/** Why a request of a panel's page is refused, in the words of its notes. */
type PanelRefusal = 'navigation' | 'frame' | 'file' | 'remote'

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Whether the session of a panel lets a request pass: null for its own origin, for what the page made itself, for its developer tools, and
 * for the socket of its development server. A page cannot reach `devtools:` by itself: Chromium refuses that to every page.
 */
export function findPanelRefusal({ url, resourceType }: Asked, id: string, server: URL | null): PanelRefusal | null {
  const frame = resourceType === 'mainFrame' || resourceType === 'subFrame'
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase()
  if (isPanelUrl(url, id) || scheme === 'devtools:') return null
  if (!frame && (scheme === 'data:' || scheme === 'blob:')) return null
  if (resourceType === 'webSocket' && server && isSocketOf(url, server)) return null
  if (scheme === 'file:') return 'file'
  if (resourceType === 'mainFrame') return 'navigation'
  return frame ? 'frame' : 'remote'
}

/** On this machine, and on the server's own port. A bundler may announce itself by another name of this machine than the user did. */
function isSocketOf(text: string, server: URL): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, port } = new URL(text)
  const expected = server.protocol === 'https:' ? 'wss:' : 'ws:'
  return protocol === expected && port === server.port && loopback.has(hostname)
}

/**
 * A second wall: connections that are no requests (connecting ahead, TCP of WebRTC) never come past the first. All TCP goes to a proxy that
 * does not exist, loopback included, except the development server. UDP knows no proxy: `closeWebRtc` is for that.
 */
export function createBlockingProxy(server: URL | null): { proxyRules: string; proxyBypassRules: string } {
  const port = server?.port || (server?.protocol === 'https:' ? '443' : '80')
  const open = server ? [...loopback].map((name) => `${name}:${port}`) : []
  return { proxyRules: 'http://127.0.0.1:1', proxyBypassRules: ['<-loopback>', ...open].join(';') }
}

/**
 * A third wall: WebRTC sends UDP past requests and proxies, and from a blank frame, which has a `RTCPeerConnection` of its own whatever the
 * page's has become. With this policy only what goes through the proxy is sent, which is nothing. Holds for every frame of the contents.
 */
export const disableWebRtc = (contents: Pick<WebContents, 'setWebRTCIPHandlingPolicy'>): void =>
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
