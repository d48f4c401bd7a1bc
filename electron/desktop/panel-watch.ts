import type { WebContents } from 'electron'
import { watchResponsiveness } from '../../shared/panel/responsiveness-watch.ts'
import type { PanelInView } from '../handlers/ipc-dispatcher.ts'
import { setNavigationScope } from './navigation.ts'
import { restorePreferredScheme } from './view-position.ts'
import { isPanelUrl } from './panel-isolation.ts'
import { reportRefusal } from './panel-session.ts'
import { createCrashCounter } from './page-recovery.ts'

interface WatchedPanel {
  readonly id: string
  readonly home: string
  readonly panel: PanelInView
  /**
   * Returns false once the page is being removed, so that no crash is reported for a page that was
   * closed.
   */
  readonly isShown: () => boolean
}

/** Chromium's error code for a load that was replaced by a newer load. */
const ERR_ABORTED = -3

/**
 * If a page has not begun to reload after this time, an endless loop is keeping it from reloading.
 */
const RELOAD_TIMEOUT_MS = 2_000

/** Keeps a panel's page at its own origin and reports its state to the panel lab. */
export function watchPanel(contents: WebContents, { id, home, panel, isShown }: WatchedPanel): void {
  const isOwnUrl = (url: string): boolean => isPanelUrl(url, id)
  const report = (level: 'info' | 'error', text: string): void => {
    if (isShown()) panel.addNote({ kind: level === 'error' ? 'error' : 'load', level, what: null, text })
  }
  setNavigationScope(contents, { contains: isOwnUrl, onRefused: (kind, url) => reportRefusal(panel, kind, url) })
  const isCrashLoop = createCrashCounter()
  // Chromium loads `about:blank` before any navigation rule applies.
  contents.on('did-navigate', (_event, url) => {
    if (isOwnUrl(url)) return
    reportRefusal(panel, 'navigation', url)
    if (!isCrashLoop(performance.now())) void contents.loadURL(home).catch(() => undefined)
  })
  contents.on('did-fail-load', (_event, code, reason, _url, isMainFrame) => {
    if (isMainFrame && code !== ERR_ABORTED) report('error', `The page did not load: ${reason}.`)
  })
  const endWatch = watchResponsiveness({
    // A page with open developer tools may stand at a breakpoint, so its silence does not mean that
    // it is unresponsive.
    ping: () => (contents.isDevToolsOpened() ? Promise.resolve() : contents.mainFrame.executeJavaScript('0')),
    onChange(isResponding) {
      if (!isShown()) return
      report(isResponding ? 'info' : 'error', isResponding ? 'The page responds again.' : 'The page does not respond.')
      panel.onResponsive(isResponding)
    },
    startInterval(callback, intervalMs) {
      const timer = setInterval(callback, intervalMs)
      return () => clearInterval(timer)
    },
  })
  contents.once('destroyed', endWatch)
  contents.on('render-process-gone', (_event, { reason }) => report('error', `The page’s process ended: ${reason}.`))
  contents.on('devtools-opened', () => restorePreferredScheme(contents))
  contents.on('devtools-closed', () => restorePreferredScheme(contents))
  // A `beforeunload` handler of the page must not keep the user from leaving the page.
  contents.on('will-prevent-unload', (event) => event.preventDefault())
}

/** Reloads the page. If an endless loop keeps the page from reloading, its process is replaced. */
export function reloadPanel(contents: WebContents, home: string): void {
  const timer = setTimeout(() => {
    if (contents.isDestroyed()) return
    contents.forcefullyCrashRenderer()
    void contents.loadURL(home).catch(() => undefined)
  }, RELOAD_TIMEOUT_MS)
  contents.once('did-navigate', () => clearTimeout(timer))
  contents.reloadIgnoringCache()
}
