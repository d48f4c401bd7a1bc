import type { App, WebContents } from 'electron'
import { isHomeUrl } from './origin.ts'
import type { SecurityLogger } from './security-logger.ts'

interface Attempt {
  readonly url: string
  readonly isMainFrame?: boolean
  preventDefault(): void
}

/**
 * Keeps every page at its origin: links, forms, dropped files, redirects and frames cannot lead
 * elsewhere, and no page can open a window. Only our own page may be reloaded in its own main
 * frame.
 *
 * The rules apply to all web contents, so that any created by later code are restricted too.
 * @see https://www.electronjs.org/docs/latest/tutorial/security#13-disable-or-limit-navigation
 * @see
 *   https://www.electronjs.org/docs/latest/tutorial/security#14-disable-or-limit-creation-of-new-windows
 */
export function denyNavigation(app: Pick<App, 'on'>, log: SecurityLogger): void {
  app.on('web-contents-created', (_event, contents) => restrictNavigation(contents, log))
}

/**
 * The addresses that web contents such as a panel's may visit instead of our origin. Refused
 * addresses are reported to the callback.
 */
interface NavigationScope {
  readonly contains: (url: string) => boolean
  readonly onRefused: (kind: 'navigation' | 'window' | 'frame', url: string) => void
}

const navigationScopes = new WeakMap<WebContents, NavigationScope>()

/** Restricts the web contents of a panel to the panel's origin. */
export const setNavigationScope = (contents: WebContents, scope: NavigationScope): void =>
  void navigationScopes.set(contents, scope)

function restrictNavigation(contents: WebContents, log: SecurityLogger): void {
  const createHandler = (trigger: string) => (attempt: Attempt) => {
    const scope = navigationScopes.get(contents)
    if (scope?.contains(attempt.url)) return
    // Electron reports a navigation of the main frame twice, once as that of any frame.
    if (trigger !== 'main frame') scope?.onRefused(attempt.isMainFrame === false ? 'frame' : 'navigation', attempt.url)
    if (!scope && trigger !== 'redirect' && attempt.isMainFrame !== false && isHomeUrl(attempt.url)) return
    attempt.preventDefault()
    log('navigation refused', { where: trigger, scheme: getScheme(attempt.url) })
  }
  contents.on('will-navigate', createHandler('main frame'))
  contents.on('will-frame-navigate', createHandler('frame'))
  contents.on('will-redirect', createHandler('redirect'))
  contents.setWindowOpenHandler(({ url }) => {
    navigationScopes.get(contents)?.onRefused('window', url)
    log('window refused', { scheme: getScheme(url) })
    return { action: 'deny' }
  })
  // `webviewTag` is off as well; this handler is a second protection. See
  // https://www.electronjs.org/docs/latest/tutorial/security#12-verify-webview-options-before-creation
  contents.on('will-attach-webview', (event) => {
    event.preventDefault()
    log('webview refused', {})
  })
}

/**
 * Returns the scheme of an address for the log, because the rest of a foreign address may hold a
 * secret.
 */
const getScheme = (url: string): string => /^[a-z][a-z0-9+.-]{0,30}:/i.exec(url)?.[0] ?? 'none'
