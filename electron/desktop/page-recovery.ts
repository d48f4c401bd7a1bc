import type { WebContents } from 'electron'
import type { SecurityLogger } from './security-logger.ts'
import { isAppUrl, isHomeUrl, HOME_URL } from './origin.ts'
import type { DesktopTexts } from './texts.ts'

/** A page of nothing but text and one link, because it must work when nothing else on the page does. */
export function createRecoveryPage({ language, recovery }: DesktopTexts): string {
  return `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="UTF-8" />
    <meta name="color-scheme" content="light dark" />
    <title>Bridge Inspector</title>
    <style>
      body { margin: 0; min-height: 100vh; display: grid; place-content: center; font: 13px/20px system-ui, sans-serif;
        background: light-dark(#ffffff, #15171b); color: light-dark(#1b1f24, #e3e6ea) }
      main { max-width: 52ch; padding: 24px }
      h1 { font-size: 16px; line-height: 24px; margin: 0 0 8px }
      a { color: light-dark(#2563c9, #7aa7f7) }
    </style>
  </head>
  <body>
    <main role="alert">
      <h1>${recovery.title}</h1>
      <p>${recovery.text}</p>
      <p><a href="${HOME_URL}">${recovery.again}</a></p>
    </main>
  </body>
</html>
`
}

const CRASH_WINDOW_MS = 60_000
const MAX_CRASHES = 3

/** Counts crashes. Returns true on the third within a minute, when reloading the page would only crash it again. */
export function createCrashCounter(): (now: number) => boolean {
  let times: number[] = []
  return (now) => {
    times = [...times.filter((time) => now - time < CRASH_WINDOW_MS), now]
    if (times.length < MAX_CRASHES) return false
    times = []
    return true
  }
}

interface RecoveryPorts {
  /** Reloads the page where it was. */
  readonly reload: () => void
  /** Shows the page that says what happened and offers to try again. */
  readonly showRecoveryPage: () => void
  readonly now: () => number
  readonly log: SecurityLogger
}

type Contents = Pick<WebContents, 'on' | 'forcefullyCrashRenderer' | 'isDevToolsOpened'>

/**
 * Brings the page back. The connection and the services live in this process and keep running; only the view is lost. A hung page is
 * crashed first, because a reload would wait for it, but not while its developer tools are open: a breakpoint looks just like a hang.
 */
export function recoverFromCrashes(
  contents: Contents,
  { reload, showRecoveryPage: giveUp, now, log: note }: RecoveryPorts,
): void {
  const tooMany = createCrashCounter()
  contents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return
    note('page gone', { reason })
    if (tooMany(now())) giveUp()
    else reload()
  })
  contents.on('unresponsive', () => {
    note('page unresponsive', {})
    if (!contents.isDevToolsOpened()) contents.forcefullyCrashRenderer()
  })
}

interface HomePorts {
  /** Loads this address of our page. */
  readonly load: (url: string) => void
  /** Shows the page that says what happened and offers to try again. */
  readonly showRecoveryPage: () => void
  readonly now: () => number
  readonly log: SecurityLogger
}

/**
 * Brings the window back to where it was in the page after it ended up at an address outside the app. In practice that is `about:blank`,
 * which Chromium commits without asking, before any navigation rule hears of it.
 */
export function restoreHomePage(contents: Pick<WebContents, 'on'>, home: string, ports: HomePorts): void {
  const tooMany = createCrashCounter()
  let last = home
  const stay = (url: string): boolean => {
    if (isHomeUrl(url)) last = url
    return isAppUrl(url)
  }
  contents.on('did-navigate-in-page', (_event, url, isMainFrame) => void (isMainFrame && stay(url)))
  contents.on('did-navigate', (_event, url) => {
    if (stay(url)) return
    ports.log('page left', {})
    if (tooMany(ports.now())) ports.showRecoveryPage()
    else ports.load(last)
  })
}
