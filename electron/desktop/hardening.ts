import { app, Menu, protocol } from 'electron'
import { contentScheme } from './content-protocol.ts'
import { denyDownloads, denyPermissions } from './permissions.ts'
import { denyNavigation } from './navigation.ts'
import type { SecurityLogger } from './security-logger.ts'
import { appScheme } from './page-protocol.ts'

/** Sets up the rules that must exist before the first page or window. Call before ready. */
export function hardenApp(log: SecurityLogger, onSaved: (file: string) => void): void {
  // Another user could listen on the same port of `::1`, which Chromium tries first.
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP *.localhost 127.0.0.1')
  // On Linux, Chromium has no sandbox for root (containers, test machines): Chromium does not start
  // there without --no-sandbox, nor with both that switch and this call. The window also sets
  // `sandbox`, so the page has no access to Node even then. See
  // https://www.electronjs.org/docs/latest/tutorial/security#4-enable-process-sandboxing
  const isUnsandboxedRoot = process.getuid?.() === 0 && app.commandLine.hasSwitch('no-sandbox')
  if (!isUnsandboxedRoot) app.enableSandbox()
  // Without this call, Electron would build a default menu that is replaced later.
  Menu.setApplicationMenu(null)
  protocol.registerSchemesAsPrivileged([appScheme, contentScheme])
  denyNavigation(app, log)
  denyPermissions(app, log)
  denyDownloads(app, log, onSaved)
}
