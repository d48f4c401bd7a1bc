import { vi } from 'vitest'
import type { Transport } from '../../../renderer/transport/transport.ts'

/** What a browser keeps for a browser host: its cookies, and one tab's storage. */
export interface Browser {
  cookie: string
  readonly stored: Map<string, string>
}

export const createBrowser = (): Browser => ({ cookie: '', stored: new Map() })

export interface Tab {
  readonly transport: Transport
  readonly browser: Browser
  /** The page's location after its own code ran. */
  readonly location: { pathname: string; hash: string }
  /** What the browser does when the page is left. */
  hide(): void
  /** Another tab of the same origin. */
  readonly siblingChannel: BroadcastChannel
  close(): void
}

const nodeFetch = globalThis.fetch
const RealChannel = globalThis.BroadcastChannel

/**
 * Opens an address of the browser host as a browser tab would, and loads the page's side of the
 * transport in it: the module itself, over real HTTP, with no more of a browser around it than it
 * uses. One at a time, because the globals are the tab's.
 */
export async function openTab(url: string, browser: Browser = createBrowser()): Promise<Tab> {
  const { origin } = new URL(url)
  const channels: BroadcastChannel[] = []
  const listeners: (() => void)[] = []
  const location = await navigate(url, browser)

  vi.stubGlobal('location', location)
  vi.stubGlobal('history', {
    state: null,
    replaceState: (_state: unknown, _title: string, to: string) => Object.assign(location, { pathname: to, hash: '' }),
  })
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => browser.stored.get(name) ?? null,
    setItem: (name: string, value: string) => void browser.stored.set(name, value),
    removeItem: (name: string) => void browser.stored.delete(name),
  })
  vi.stubGlobal('addEventListener', (_type: string, listener: () => void) => listeners.push(listener))
  // Channels are limited to the origin, as in a browser.
  const openChannel = (name: string): BroadcastChannel => {
    const channel = new RealChannel(`${origin} ${name}`)
    channels.push(channel)
    return channel
  }
  vi.stubGlobal('BroadcastChannel', function (name: string) {
    return openChannel(name)
  })
  vi.stubGlobal('fetch', (path: string, init: RequestInit = {}) =>
    fetchWithRetry(origin + path, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), cookie: browser.cookie, origin },
    }),
  )
  vi.resetModules()
  const { transport } = await import('../../../renderer/transport/index.web.ts')
  return {
    transport,
    browser,
    location,
    siblingChannel: openChannel('bridge-inspector'),
    hide: () => listeners.forEach((listener) => listener()),
    close() {
      listeners.forEach((listener) => listener())
      channels.forEach((channel) => channel.close())
      vi.unstubAllGlobals()
    },
  }
}

/** A kept-alive connection closed by the other side is retried, as browsers do. */
async function fetchWithRetry(url: string, init: RequestInit): Promise<Response> {
  try {
    return await nodeFetch(url, init)
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } }
    if (cause?.code !== 'UND_ERR_SOCKET' && cause?.code !== 'ECONNRESET') throw error
    return nodeFetch(url, init)
  }
}

/** Follows the browser host's answers to an address, and keeps its cookie. */
async function navigate(url: string, browser: Browser): Promise<{ pathname: string; hash: string }> {
  const response = await fetchWithRetry(url, { redirect: 'manual', headers: { cookie: browser.cookie } })
  await response.arrayBuffer()
  const cookie = response.headers.get('set-cookie')
  if (cookie !== null) browser.cookie = cookie.split(';')[0] ?? ''
  const { pathname, hash } = new URL(response.headers.get('location') ?? url, url)
  return { pathname, hash }
}
