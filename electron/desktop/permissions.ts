import type { App, Session } from 'electron'
import type { Note } from './note.ts'

/**
 * Refuses every permission, in every session: Electron grants them all by default. Electron's security checklist, 5:
 * https://www.electronjs.org/docs/latest/tutorial/security#5-handle-session-permission-requests-from-remote-content
 */
export function denyPermissions(app: Pick<App, 'on'>, note: Note): void {
  // Registered before the first session exists, so that none is missed, not even the default one.
  app.on('session-created', (session) => refuseAll(session, note))
}

/** Refuses everything in one session: requests, checks, devices, screens and their choosers. */
function refuseAll(session: Session, note: Note): void {
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
