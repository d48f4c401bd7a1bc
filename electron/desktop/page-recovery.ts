import type { WebContents } from 'electron'
import type { SecurityLogger } from './security-logger.ts'
import { isAppUrl, isHomeUrl, HOME_URL, RECOVERY_PATH } from './origin.ts'
import type { DesktopTexts } from './texts.ts'

const STYLE_PATH = `${RECOVERY_PATH}.css`

/** Nothing but its own style sheet and the icon of the program. */
const RECOVERY_CSP =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Colors and sizes are those of `renderer/styles/tokens.css`, which may be out of reach. */
const RECOVERY_STYLE = `body { margin: 0; min-height: 100vh; display: grid; place-content: center;
  font: 13px/20px system-ui, sans-serif; background: light-dark(#f6f7f9, #1b1e23); color: light-dark(#1b1f24, #e3e6ea) }
main { max-width: 52ch; padding: 24px; border: 1px solid light-dark(#e2e5ea, #2d323a); border-radius: 8px;
  background: light-dark(#ffffff, #23272e) }
h1 { display: flex; align-items: center; gap: 8px; margin: 0 0 8px; font-size: 15px; line-height: 24px }
p { margin: 0 0 16px }
a { display: inline-block; padding: 2px 12px; border: 1px solid light-dark(#2563c9, #7aa7f7); border-radius: 4px;
  background: light-dark(#2563c9, #7aa7f7); color: light-dark(#ffffff, #10141a); text-decoration: none }
a:focus-visible { outline: 2px solid light-dark(#2563c9, #7aa7f7); outline-offset: 2px }
`

/** Creates a page of text and one link, which works if scripts crash; null for other paths. */
export function createRecoveryFile(
  pathname: string,
  { language, recovery }: DesktopTexts,
): { readonly type: string; readonly body: string; readonly csp: string } | null {
  if (pathname === STYLE_PATH) return { type: 'text/css; charset=utf-8', body: RECOVERY_STYLE, csp: RECOVERY_CSP }
  if (pathname !== RECOVERY_PATH) return null
  const body = `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="UTF-8" />
    <meta name="color-scheme" content="light dark" />
    <title>Bridge Inspector</title>
    <link rel="stylesheet" href="${STYLE_PATH}" />
  </head>
  <body>
    <main role="alert">
      <h1><img src="/icon.svg" alt="" width="24" height="24" />${recovery.title}</h1>
      <p>${recovery.text}</p>
      <a href="${HOME_URL}">${recovery.again}</a>
    </main>
  </body>
</html>
`
  return { type: 'text/html; charset=utf-8', body, csp: RECOVERY_CSP }
}

const CRASH_WINDOW_MS = 60_000
const MAX_CRASHES = 3

/** Returns true for the third crash within a minute, when a reload would only crash again. */
export function createCrashCounter(): (timestamp: number) => boolean {
  let times: number[] = []
  return (timestamp) => {
    times = [...times.filter((time) => timestamp - time < CRASH_WINDOW_MS), timestamp]
    if (times.length < MAX_CRASHES) return false
    times = []
    return true
  }
}

interface RecoveryPorts {
  /** Reloads the page at its current place. */
  readonly reload: () => void
  /** Shows the page that explains the crash and offers to try again. */
  readonly showRecoveryPage: () => void
  readonly now: () => number
  readonly log: SecurityLogger
}

/** The page itself has this time to show that it responds. */
const RESPONSE_TIMEOUT_MS = 1_000

type Contents = Pick<WebContents, 'on' | 'forcefullyCrashRenderer' | 'isDevToolsOpened' | 'isDestroyed' | 'mainFrame'>

/**
 * Reloads the page after a crash. The connection and the services run in this process and continue.
 * The process of an unresponsive page is crashed first, because a reload would wait for the page. A
 * page with open developer tools is left alone, because a breakpoint looks like a hang, and so is a
 * page whose panel is unresponsive, which Chromium reports in the same way.
 */
export function recoverFromCrashes(contents: Contents, { reload, showRecoveryPage, now, log }: RecoveryPorts): void {
  const isCrashLoop = createCrashCounter()
  contents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return
    log('page gone', { reason })
    if (isCrashLoop(now())) showRecoveryPage()
    else reload()
  })
  contents.on('unresponsive', () => {
    const timer = setTimeout(() => {
      log('page unresponsive', {})
      if (!contents.isDestroyed() && !contents.isDevToolsOpened()) contents.forcefullyCrashRenderer()
    }, RESPONSE_TIMEOUT_MS)
    const stop = (): void => clearTimeout(timer)
    contents.mainFrame.executeJavaScript('0').then(stop, stop)
  })
}

interface HomePorts {
  readonly load: (url: string) => void
  readonly showRecoveryPage: () => void
  readonly now: () => number
  readonly log: SecurityLogger
}

/**
 * Loads the last place of the app again when the window has left the app. In practice the window is
 * then at `about:blank`, which Chromium loads before any navigation rule applies.
 */
export function restoreHomePage(contents: Pick<WebContents, 'on'>, home: string, ports: HomePorts): void {
  const isCrashLoop = createCrashCounter()
  let lastHomeUrl = home
  const trackUrl = (url: string): boolean => {
    if (isHomeUrl(url)) lastHomeUrl = url
    return isAppUrl(url)
  }
  contents.on('did-navigate-in-page', (_event, url, isMainFrame) => void (isMainFrame && trackUrl(url)))
  contents.on('did-navigate', (_event, url) => {
    if (trackUrl(url)) return
    ports.log('page left', {})
    if (isCrashLoop(ports.now())) ports.showRecoveryPage()
    else ports.load(lastHomeUrl)
  })
}
