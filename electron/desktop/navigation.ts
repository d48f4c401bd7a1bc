import type { App, WebContents } from 'electron'
import { isHomeUrl } from './origin.ts'
import type { SecurityLogger } from './security-logger.ts'

interface Attempt {
  readonly url: string
  readonly isMainFrame?: boolean
  preventDefault(): void
}

/**
 * The page never leaves its origin: links, forms, dropped files, redirects and frames lead nowhere, and no page can open a window. The one
 * exception is the page itself, which may be reloaded in its own main frame.
 *
 * Applies to all web contents, not just our window's, so that any that later code creates are locked down too. Electron's security
 * checklist, 13 and 14: https://www.electronjs.org/docs/latest/tutorial/security#13-disable-or-limit-navigation,
 * https://www.electronjs.org/docs/latest/tutorial/security#14-disable-or-limit-creation-of-new-windows
 */
export function denyNavigation(app: Pick<App, 'on'>, note: SecurityLogger): void {
  app.on('web-contents-created', (_event, contents) => restrictNavigation(contents, note))
}

/** Where other contents than our window's may go instead, and who is told where they may not. */
interface Territory {
  readonly contains: (url: string) => boolean
  readonly onRefused: (what: 'navigation' | 'window' | 'frame', url: string) => void
}

const territories = new WeakMap<WebContents, Territory>()

/** Gives a panel's page its own origin to stay in, instead of ours. */
export const setTerritory = (contents: WebContents, territory: Territory): void =>
  void territories.set(contents, territory)

function restrictNavigation(contents: WebContents, note: SecurityLogger): void {
  const stop = (where: string) => (attempt: Attempt) => {
    const territory = territories.get(contents)
    if (territory?.contains(attempt.url)) return
    // The main frame asks twice: as a frame, and as itself.
    if (where !== 'main frame')
      territory?.onRefused(attempt.isMainFrame === false ? 'frame' : 'navigation', attempt.url)
    if (!territory && where !== 'redirect' && attempt.isMainFrame !== false && isHomeUrl(attempt.url)) return
    attempt.preventDefault()
    note('navigation refused', { where, scheme: schemeOf(attempt.url) })
  }
  contents.on('will-navigate', stop('main frame'))
  contents.on('will-frame-navigate', stop('frame'))
  contents.on('will-redirect', stop('redirect'))
  contents.setWindowOpenHandler(({ url }) => {
    territories.get(contents)?.onRefused('window', url)
    note('window refused', { scheme: schemeOf(url) })
    return { action: 'deny' }
  })
  // `webviewTag` is off as well; this still holds if somebody turns it on. Electron's security checklist, 12:
  // https://www.electronjs.org/docs/latest/tutorial/security#12-verify-webview-options-before-creation
  contents.on('will-attach-webview', (event) => {
    event.preventDefault()
    note('webview refused', {})
  })
}

/** Only the scheme: the rest of a foreign address may hold a secret and does not belong in a log. */
const schemeOf = (url: string): string => /^[a-z][a-z0-9+.-]{0,30}:/i.exec(url)?.[0] ?? 'none'
