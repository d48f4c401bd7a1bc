import { app, dialog } from 'electron'
import type { Note } from './note.ts'

/** Ends with the last window, on every platform: there is one window and nothing to do without it. */
export function endWith(dispose: () => Promise<void>): void {
  app.on('window-all-closed', () => app.quit())
  app.once('will-quit', (event) => {
    event.preventDefault()
    // A host that does not let go must not keep the program from ending.
    const patience = new Promise((resolve) => setTimeout(resolve, 2_000))
    // Not `quit`: asked for once more while it is being prevented, it does nothing.
    void Promise.race([dispose(), patience]).finally(() => app.exit(0))
  })
}

/** The program cannot start: says why, on the terminal and, for those who have none, in a dialog. */
export function endBecause(message: string): void {
  process.stderr.write(`${message}\n`)
  // On Linux there is no dialog before the app is ready: it would say the same on the terminal once more.
  if (app.isPackaged && (app.isReady() || process.platform !== 'linux'))
    dialog.showErrorBox('Bridge Inspector', message)
  app.exit(1)
}

/** A defect of this process is logged; without this Electron would show its stack to the person. */
export function logDefects(note: Note): void {
  const log = (thrown: unknown): void => {
    note('defect', { reason: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
  }
  process.on('uncaughtException', log)
  process.on('unhandledRejection', log)
}
