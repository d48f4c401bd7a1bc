import type { WebContents } from 'electron'
import { watchResponsiveness } from '../../shared/panel/responsiveness-watch.ts'
import type { PanelInView } from '../handlers/ipc-dispatcher.ts'
import { setTerritory } from './navigation.ts'
import { restorePreferredScheme } from './view-position.ts'
import { isPanelUrl } from './panel-isolation.ts'
import { reportRefusal } from './panel-session.ts'
import { createCrashCounter } from './page-recovery.ts'

interface WatchedPanel {
  readonly id: string
  readonly home: string
  readonly panel: PanelInView
  /** False once the page is being taken away: its end is then no news. */
  readonly isShown: () => boolean
}

/** Chromium's number for a load that was ended by another one. */
const ABORTED = -3

/** A page that has not begun to load again by then is in an endless loop. */
const RELOAD_TIMEOUT_MS = 2_000

/** Keeps a panel's page at home, and tells the panel lab what became of it. */
export function watchPanel(contents: WebContents, { id, home, panel, isShown }: WatchedPanel): void {
  const own = (url: string): boolean => isPanelUrl(url, id)
  const tell = (level: 'info' | 'error', text: string): void => {
    if (isShown()) panel.addNote({ kind: level === 'error' ? 'error' : 'load', level, what: null, text })
  }
  setTerritory(contents, { contains: own, onRefused: (what, url) => reportRefusal(panel, what, url) })
  const tooOften = createCrashCounter()
  // Chromium commits `about:blank` without asking, before any navigation rule hears of it.
  contents.on('did-navigate', (_event, url) => {
    if (own(url)) return
    reportRefusal(panel, 'navigation', url)
    if (!tooOften(performance.now())) void contents.loadURL(home).catch(() => undefined)
  })
  contents.on('did-fail-load', (_event, code, reason, _url, isMainFrame) => {
    if (isMainFrame && code !== ABORTED) tell('error', `The page did not load: ${reason}.`)
  })
  const endWatch = watchResponsiveness({
    // A page that stands at a breakpoint of its developer tools does as it should.
    ping: () => (contents.isDevToolsOpened() ? Promise.resolve() : contents.mainFrame.executeJavaScript('0')),
    onChange(isResponding) {
      if (!isShown()) return
      tell(isResponding ? 'info' : 'error', isResponding ? 'The page responds again.' : 'The page does not respond.')
      panel.onResponsive(isResponding)
    },
    startInterval(callback, intervalMs) {
      const timer = setInterval(callback, intervalMs)
      return () => clearInterval(timer)
    },
  })
  contents.once('destroyed', endWatch)
  contents.on('render-process-gone', (_event, { reason }) => tell('error', `The page’s process ended: ${reason}.`))
  contents.on('devtools-opened', () => restorePreferredScheme(contents))
  contents.on('devtools-closed', () => restorePreferredScheme(contents))
  // A page may ask to be left as it is; it is not asked.
  contents.on('will-prevent-unload', (event) => event.preventDefault())
}

/** Loads the page again; if an endless loop keeps it from that, in a new process. */
export function reloadPanel(contents: WebContents, home: string): void {
  const late = setTimeout(() => {
    if (contents.isDestroyed()) return
    contents.forcefullyCrashRenderer()
    void contents.loadURL(home).catch(() => undefined)
  }, RELOAD_TIMEOUT_MS)
  contents.once('did-navigate', () => clearTimeout(late))
  contents.reloadIgnoringCache()
}
