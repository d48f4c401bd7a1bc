import { app, protocol } from 'electron'
import { denyNavigation } from './navigation.ts'
import type { Note } from './note.ts'
import { denyPermissions } from './permissions.ts'
import { appScheme } from './protocol.ts'

/** Everything that must stand before the first page, session or window exists. Before the app is ready. */
export function harden(note: Note): void {
  app.enableSandbox()
  protocol.registerSchemesAsPrivileged([appScheme])
  denyNavigation(app, note)
  denyPermissions(app, note)
}
