import type { App, BrowserWindow } from 'electron'

type FocusableWindow = Pick<BrowserWindow, 'isMinimized' | 'restore' | 'show' | 'focus'>

/**
 * Allows one program per data directory, because two would write to the same files. A second
 * program brings the first program's window to the front and quits. The lock is in the folder
 * `userData`, so that path must be set before.
 *
 * @param onSecondStart called with the second program's arguments and its working directory.
 * @returns false in the second program.
 */
export function claimSingleInstance(
  app: Pick<App, 'requestSingleInstanceLock' | 'on'>,
  getWindow: () => FocusableWindow | null,
  onSecondStart: (argv: readonly string[], folder: string) => void = () => undefined,
): boolean {
  if (!app.requestSingleInstanceLock()) return false
  app.on('second-instance', (_event, argv, folder) => {
    bringToFront(getWindow())
    onSecondStart(argv, folder)
  })
  return true
}

/** Shows and focuses the window, also if it is minimised. */
export function bringToFront(window: FocusableWindow | null): void {
  if (!window) return
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}
