import type { App, Session } from 'electron'
import type { Note } from './note.ts'
import { APP_ORIGIN } from './origin.ts'

/**
 * Nothing is downloaded automatically, in any session. A blob that the page made (a list exported as a file) may be saved, because the
 * system's dialog asks the user; the host's contents are saved by the service process.
 */
export function denyDownloads(app: Pick<App, 'on'>, note: Note): void {
  app.on('session-created', (session) => refuseDownloads(session, note))
}

export function refuseDownloads(session: Pick<Session, 'on'>, note: Note): void {
  session.on('will-download', (event, item) => {
    if (item.getURL().startsWith(`blob:${APP_ORIGIN}/`)) return
    event.preventDefault()
    note('download refused', {})
  })
}
