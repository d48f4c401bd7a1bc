import { app, Menu, protocol } from 'electron'
import { contentScheme } from './content-protocol.ts'
import { denyDownloads, denyPermissions } from './permissions.ts'
import { denyNavigation } from './navigation.ts'
import type { SecurityLogger } from './security-logger.ts'
import { panelScheme } from './panel-isolation.ts'
import { appScheme } from './page-protocol.ts'

/** Everything that must be in place before the first page, session or window exists. Call before the app is ready. */
export function hardenApp(note: SecurityLogger): void {
  // On Linux, Chromium has no sandbox for root (containers, test machines): it does not start there without --no-sandbox, nor when both
  // that switch and this call are used. The window asks for the sandbox too, so Node stays out of the page even there.
  // Electron's security checklist, 4: https://www.electronjs.org/docs/latest/tutorial/security#4-enable-process-sandboxing
  const rootWithout = process.getuid?.() === 0 && app.commandLine.hasSwitch('no-sandbox')
  if (!rootWithout) app.enableSandbox()
  // Electron would build a menu of its own, only for ours to replace it.
  Menu.setApplicationMenu(null)
  protocol.registerSchemesAsPrivileged([appScheme, contentScheme, panelScheme])
  denyNavigation(app, note)
  denyPermissions(app, note)
  denyDownloads(app, note)
}
