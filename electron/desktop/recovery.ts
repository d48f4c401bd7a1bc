import type { WebContents } from 'electron'
import type { Note } from './note.ts'
import { isAppUrl, isHome } from './origin.ts'

const WINDOW_MS = 60_000
const MANY = 3

/** Counts crashes. Returns true on the third within a minute, when reloading the page would only crash it again. */
export function crashCounter(): (now: number) => boolean {
  let times: number[] = []
  return (now) => {
    times = [...times.filter((time) => now - time < WINDOW_MS), now]
    if (times.length < MANY) return false
    times = []
    return true
  }
}

interface RecoveryPorts {
  /** Reloads the page where it was. */
  readonly reload: () => void
  /** Shows the page that says what happened and offers to try again. */
  readonly giveUp: () => void
  readonly now: () => number
  readonly note: Note
}

type Contents = Pick<WebContents, 'on' | 'forcefullyCrashRenderer' | 'isDevToolsOpened'>

/**
 * Brings the page back. The connection and the services live in this process and keep running; only the view is lost. A hung page is
 * crashed first, because a reload would wait for it, but not while its developer tools are open: a breakpoint looks just like a hang.
 */
export function recoverPage(contents: Contents, { reload, giveUp, now, note }: RecoveryPorts): void {
  const tooMany = crashCounter()
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
  readonly giveUp: () => void
  readonly now: () => number
  readonly note: Note
}

/**
 * Brings the window back to where it was in the page after it ended up at an address outside the app. In practice that is `about:blank`,
 * which Chromium commits without asking, before any navigation rule hears of it.
 */
export function returnHome(contents: Pick<WebContents, 'on'>, home: string, ports: HomePorts): void {
  const tooMany = crashCounter()
  let last = home
  const stay = (url: string): boolean => {
    if (isHome(url)) last = url
    return isAppUrl(url)
  }
  contents.on('did-navigate-in-page', (_event, url, isMainFrame) => void (isMainFrame && stay(url)))
  contents.on('did-navigate', (_event, url) => {
    if (stay(url)) return
    ports.note('page left', {})
    if (tooMany(ports.now())) ports.giveUp()
    else ports.load(last)
  })
}
