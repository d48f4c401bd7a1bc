import type { App, Session } from 'electron'
import type { Note } from './note.ts'

/** Electron grants every permission unless somebody says no. Here everything is refused, in every session. */
export function denyPermissions(app: Pick<App, 'on'>, note: Note): void {
  // Heard before the first session exists, so that none is missed, the default one included.
  app.on('session-created', (session) => refuseAll(session, note))
}

/** Refuses on one session: what is asked for, what is only checked, devices, screens and their choosers. */
export function refuseAll(session: Session, note: Note): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => {
    note('permission refused', { permission })
    answer(false)
  })
  // A site asks "may I?" before it asks "please": without this the first question is answered yes.
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
