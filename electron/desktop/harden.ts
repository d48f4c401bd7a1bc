import { app, protocol } from 'electron'
import { contentScheme } from './content-protocol.ts'
import { denyDownloads } from './downloads.ts'
import { denyNavigation } from './navigation.ts'
import type { Note } from './note.ts'
import { denyPermissions } from './permissions.ts'
import { appScheme } from './protocol.ts'

/** Everything that must stand before the first page, session or window exists. Before the app is ready. */
export function harden(note: Note): void {
  // Chromium has no sandbox for root on Linux (containers, test machines): it does not start there without --no-sandbox, and
  // not with this call beside it. The window asks for the sandbox as well, which keeps Node out of the page there too.
  const rootWithout = process.getuid?.() === 0 && app.commandLine.hasSwitch('no-sandbox')
  if (!rootWithout) app.enableSandbox()
  protocol.registerSchemesAsPrivileged([appScheme, contentScheme])
  denyNavigation(app, note)
  denyPermissions(app, note)
  denyDownloads(app, note)
}
