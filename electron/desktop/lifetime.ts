import { app, dialog } from 'electron'
import { AppError, toWireError } from '../../shared/errors.ts'
import { toExitName, programExits } from '../../shared/program-exits.ts'
import { formatErrorLine } from '../system/output.ts'
import type { SecurityLogger } from './security-logger.ts'

/**
 * Quits when the window closes, on every platform: there is only one window, and nothing to do
 * without it.
 */
export function quitAfterLastWindow(dispose: () => Promise<void>): void {
  app.on('window-all-closed', () => app.quit())
  app.once('will-quit', (event) => {
    event.preventDefault()
    // A host that does not close its connections must not keep the program from quitting.
    const timeout = new Promise((resolve) => setTimeout(resolve, 2_000))
    // Calling `quit` again while the quit is being prevented has no effect.
    void Promise.race([dispose(), timeout]).finally(() => app.exit(0))
  })
}

/**
 * Ends a program that cannot start: prints the reason in the terminal, and shows a dialog to users
 * without one.
 */
export function quitWithError(thrown: unknown): void {
  const error = thrown instanceof AppError ? thrown : new AppError(toWireError(thrown))
  process.stderr.write(`${formatErrorLine(thrown)}\n`)
  // On Linux there is no dialog before the app is ready; Electron would only print the message on
  // the terminal again.
  if (app.isPackaged && (app.isReady() || process.platform !== 'linux'))
    dialog.showErrorBox('Bridge Inspector', thrown instanceof AppError ? thrown.message : formatErrorLine(thrown))
  app.exit(programExits[toExitName(error)].code)
}

/**
 * Logs errors that nothing caught. Without these listeners, Electron would show their stack to the
 * user.
 */
export function logUncaughtErrors(log: SecurityLogger): void {
  const onError = (thrown: unknown): void => {
    log('defect', { reason: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
  }
  process.on('uncaughtException', onError)
  process.on('unhandledRejection', onError)
}
