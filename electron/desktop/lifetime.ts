import { app, dialog, type BrowserWindow } from 'electron'
import { AppError, toWireError } from '../../shared/errors.ts'
import { unsavedKinds, type UnsavedWork } from '../../shared/ipc/app.ts'
import { toExitName, programExits } from '../system/program-exits.ts'
import { formatErrorLine } from '../system/output.ts'
import type { SecurityLogger } from './security-logger.ts'
import type { DesktopTexts } from './texts.ts'

/** Quits on macOS too, because there is only one window and no work continues without it. */
export function quitAfterLastWindow(dispose: () => Promise<void>): void {
  app.on('window-all-closed', () => app.quit())
  app.once('will-quit', (event) => {
    event.preventDefault()
    // A host that keeps its connections open must not keep the program from quitting.
    const timeout = new Promise((resolve) => setTimeout(resolve, 2_000))
    // `app.exit` is used because `app.quit` has no effect inside a prevented quit.
    void Promise.race([dispose(), timeout]).finally(() => app.exit(0))
  })
}

/** Panels share the page's window and must not keep it open, so the page itself cannot ask. */
export function askBeforeClose(
  window: BrowserWindow,
  getUnsaved: () => UnsavedWork,
  getTexts: () => Pick<DesktopTexts, 'closing'>,
): void {
  let isConfirmed = false
  let isAsking = false
  window.on('close', (event) => {
    const { closing } = getTexts()
    const losses = isConfirmed ? [] : listLosses(getUnsaved(), closing)
    if (losses.length === 0) return
    event.preventDefault()
    if (isAsking) return
    isAsking = true
    const buttons = { buttons: [closing.close, closing.cancel], defaultId: 1, cancelId: 1, noLink: true }
    void dialog
      .showMessageBox(window, { type: 'warning', message: closing.question, detail: losses.join('\n'), ...buttons })
      .then(({ response }) => {
        isAsking = false
        isConfirmed = response === 0
        if (isConfirmed && !window.isDestroyed()) window.close()
      })
  })
  // Nobody may be there to answer whoever ends the program from outside.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      isConfirmed = true
      app.quit()
    })
  }
}

const listLosses = (unsaved: UnsavedWork, texts: DesktopTexts['closing']): string[] =>
  unsavedKinds.flatMap((kind) => (unsaved[kind] > 0 ? [texts[kind].replace('{count}', String(unsaved[kind]))] : []))

/** The reason is printed and, for users without a terminal, shown in a dialog. */
export function quitWithError(thrown: unknown): void {
  const error = thrown instanceof AppError ? thrown : new AppError(toWireError(thrown))
  process.stderr.write(`${formatErrorLine(thrown)}\n`)
  // Before the app is ready, Linux has no dialog; Electron would print the message again.
  if (app.isPackaged && (app.isReady() || process.platform !== 'linux'))
    dialog.showErrorBox('Bridge Inspector', thrown instanceof AppError ? thrown.message : formatErrorLine(thrown))
  app.exit(programExits[toExitName(error)].code)
}

/** Without these listeners, Electron would show the stack of an uncaught error to the user. */
export function logUncaughtErrors(log: SecurityLogger): void {
  const onError = (thrown: unknown): void => {
    log('defect', { reason: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
  }
  process.on('uncaughtException', onError)
  process.on('unhandledRejection', onError)
}
