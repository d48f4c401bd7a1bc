import type { CustomScheme } from 'electron'

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
export const panelOrigin = (id: string): string => `${PANEL_SCHEME}://${id}`

/** Whether an address belongs to that origin. It is parsed, because another host may have the same beginning. */
export function isOfPanel(text: string, id: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host, username, password } = new URL(text)
  return protocol === `${PANEL_SCHEME}:` && host === id && username === '' && password === ''
}
