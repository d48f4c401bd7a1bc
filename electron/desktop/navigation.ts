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

const allowedFrames = new WeakMap<WebContents, (url: string) => boolean>()

/** Sets the addresses that frames of the page may visit: those of panels. */
export function allowFrames(contents: WebContents, isAllowed: (url: string) => boolean): void {
  void allowedFrames.set(contents, isAllowed)
}

function restrictNavigation(contents: WebContents, log: SecurityLogger): void {
  const createHandler = (trigger: string) => (attempt: Attempt) => {
    if (attempt.isMainFrame === false ? allowedFrames.get(contents)?.(attempt.url) : isReload(trigger, attempt)) return
    attempt.preventDefault()
    log('navigation refused', { where: trigger, scheme: getScheme(attempt.url) })
  }
  contents.on('will-navigate', createHandler('main frame'))
  contents.on('will-frame-navigate', createHandler('frame'))
  contents.on('will-redirect', createHandler('redirect'))
  contents.setWindowOpenHandler(({ url }) => {
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

const isReload = (trigger: string, { url }: Attempt): boolean => trigger !== 'redirect' && isHomeUrl(url)

/** The scheme alone is logged, because the rest of a foreign address may hold a secret. */
const getScheme = (url: string): string => /^[a-z][a-z0-9+.-]{0,30}:/i.exec(url)?.[0] ?? 'none'
