import type { App, Session } from 'electron'
import type { SecurityLogger } from './security-logger.ts'
import { APP_ORIGIN } from './origin.ts'

/**
 * Refuses downloads in every session. The only exception is a blob that the page made (a list
 * exported as a file), because the system's dialog then asks the user. Contents of the host are
 * saved by the service process.
 *
 * @param onSaved is called with the path of a file once all of it is written
 */
export function denyDownloads(app: Pick<App, 'on'>, log: SecurityLogger, onSaved: (file: string) => void): void {
  app.on('session-created', (session) => denySessionDownloads(session, log, onSaved))
}

export function denySessionDownloads(
  session: Pick<Session, 'on'>,
  log: SecurityLogger,
  onSaved: (file: string) => void,
): void {
  session.on('will-download', (event, item) => {
    if (item.getURL().startsWith(`blob:${APP_ORIGIN}/`)) {
      item.once('done', (_event, state) => {
        if (state === 'completed') onSaved(item.getSavePath())
      })
      return
    }
    event.preventDefault()
    log('download refused', {})
  })
}

/**
 * Refuses every permission in every session, because Electron grants all of them by default.
 * @see
 *   https://www.electronjs.org/docs/latest/tutorial/security#5-handle-session-permission-requests-from-remote-content
 */
export function denyPermissions(app: Pick<App, 'on'>, log: SecurityLogger): void {
  // This listener is registered before the first session exists, so it also covers the default one.
  app.on('session-created', (session) => denySessionPermissions(session, log))
}

/** Refuses requests, checks, devices, screens and their choosers. */
function denySessionPermissions(session: Session, log: SecurityLogger): void {
  session.setPermissionRequestHandler((_contents, permission, respond) => {
    log('permission refused', { permission })
    respond(false)
  })
  // A site checks a permission before requesting it; without this, checks would succeed.
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, respond) => {
    log('permission refused', { permission: 'display-capture' })
    respond(null)
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
