import type { App, Session } from 'electron'
import type { Note } from './note.ts'
import { APP_ORIGIN } from './origin.ts'

/**
 * Nothing is downloaded by itself, in any session. What the page made (a list as a file: a blob of its own origin) may be saved,
 * where the person says so in the system's dialog; contents of the host are saved by the service process.
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
