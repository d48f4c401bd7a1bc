import type { App, Session } from 'electron'
import type { SecurityLogger } from './security-logger.ts'
import { APP_ORIGIN } from './origin.ts'

/**
 * Nothing is downloaded automatically, in any session. A blob that the page made (a list exported as a file) may be saved, because the
 * system's dialog asks the user; the host's contents are saved by the service process.
 */
export function denyDownloads(app: Pick<App, 'on'>, note: SecurityLogger): void {
  app.on('session-created', (session) => denySessionDownloads(session, note))
}

export function denySessionDownloads(session: Pick<Session, 'on'>, note: SecurityLogger): void {
  session.on('will-download', (event, item) => {
    if (item.getURL().startsWith(`blob:${APP_ORIGIN}/`)) return
    event.preventDefault()
    note('download refused', {})
  })
}

/**
 * Refuses every permission, in every session: Electron grants them all by default. Electron's security checklist, 5:
 * https://www.electronjs.org/docs/latest/tutorial/security#5-handle-session-permission-requests-from-remote-content
 */
export function denyPermissions(app: Pick<App, 'on'>, note: SecurityLogger): void {
  // Registered before the first session exists, so that none is missed, not even the default one.
  app.on('session-created', (session) => denySessionPermissions(session, note))
}

/** Refuses everything in one session: requests, checks, devices, screens and their choosers. */
function denySessionPermissions(session: Session, note: SecurityLogger): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => {
    note('permission refused', { permission })
    answer(false)
  })
  // A site checks a permission before it requests one; without this handler every check would succeed.
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, answer) => {
    note('permission refused', { permission: 'display-capture' })
    answer(null)
  })
  session.on('select-hid-device', (event, _details, choose) => {
    event.preventDefault()
    choose(null)
  })
  session.on('select-serial-port', (event, _ports, _contents, choose) => {
    event.preventDefault()
    choose('')
  })
  session.on('select-usb-device', (event, _details, choose) => {
    event.preventDefault()
    choose()
  })
}
