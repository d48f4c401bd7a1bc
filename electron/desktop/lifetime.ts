import { app, dialog } from 'electron'
import { AppError, toWireError } from '../../shared/errors.ts'
import { toExitName, programExits } from '../../shared/program-exits.ts'
import { formatErrorLine } from '../system/output.ts'
import type { SecurityLogger } from './security-logger.ts'

/** Quits when the last window closes, on every platform: there is only one window, and nothing to do without it. */
export function quitAfterLastWindow(dispose: () => Promise<void>): void {
  app.on('window-all-closed', () => app.quit())
  app.once('will-quit', (event) => {
    event.preventDefault()
    // A host that does not let go must not keep the program from quitting.
    const patience = new Promise((resolve) => setTimeout(resolve, 2_000))
    // Not `quit`: calling it again while the quit is being prevented does nothing.
    void Promise.race([dispose(), patience]).finally(() => app.exit(0))
  })
}

/** The program cannot start: prints the reason on the terminal, and shows it in a dialog for users without one. */
export function quitWithError(thrown: unknown): void {
  const error = thrown instanceof AppError ? thrown : new AppError(toWireError(thrown))
  process.stderr.write(`${formatErrorLine(thrown)}\n`)
  // On Linux there is no dialog before the app is ready; Electron would only print the message on the terminal again.
  if (app.isPackaged && (app.isReady() || process.platform !== 'linux'))
    dialog.showErrorBox('Bridge Inspector', thrown instanceof AppError ? thrown.message : formatErrorLine(thrown))
  app.exit(programExits[toExitName(error)].code)
}

/** Logs a defect of this process; without this, Electron would show its stack to the user. */
export function logUncaughtErrors(note: SecurityLogger): void {
  const log = (thrown: unknown): void => {
    note('defect', { reason: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
  }
  process.on('uncaughtException', log)
  process.on('unhandledRejection', log)
}
