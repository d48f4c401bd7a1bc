import type { SecurityLogger } from './security-logger.ts'

/** The scheme of links such as `bridge-inspector://open/notes/0A1B`, registered by the packages. */
const LINK_SCHEME = 'bridge-inspector'

const MAX_LINK_CHARS = 2000

/**
 * Returns the place that a link opens, as the page's hash route with its query; null for an invalid
 * link. A link may come from any web page, so a link can only do what a click in the navigation
 * does: name a place, but never a host, and no place writes when it is opened.
 */
export function parseLink(link: string): string | null {
  if (link.length > MAX_LINK_CHARS || !URL.canParse(link)) return null
  const url = new URL(link)
  if (url.protocol !== `${LINK_SCHEME}:` || url.host !== 'open' || url.username !== '' || url.password !== '')
    return null
  // A fragment is refused, because the route itself becomes the fragment of the page's address.
  if (url.hash !== '' || !/^\/[a-z]/.test(url.pathname) || url.pathname.includes('//')) return null
  return `${url.pathname}${url.search}`
}

export function findLink(argv: readonly string[]): string | null {
  return argv.find((arg) => arg.toLowerCase().startsWith(`${LINK_SCHEME}:`)) ?? null
}

interface LinkPorts {
  /** Shows a place in the window and brings it to the front; false if there is no window yet. */
  readonly show: (place: string) => boolean
  readonly log: SecurityLogger
}

export function createLinkHandler({ show, log }: LinkPorts) {
  let pendingPlace: string | null = null
  return {
    /** Opens the place of a link, or stores it until there is a window. Logs invalid links. */
    followLink(link: string | null): void {
      if (link === null) return
      const place = parseLink(link)
      if (place === null) log('link refused', {})
      else if (!show(place)) pendingPlace = place
    },
    /** The place of the latest link that arrived before the window, only once; null if none. */
    takeInitialPlace(): string | null {
      const place = pendingPlace
      pendingPlace = null
      return place
    },
  }
}
