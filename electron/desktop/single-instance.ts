import type { App, BrowserWindow } from 'electron'

/**
 * One program per data directory: two would write to the same files. A second start brings the first one's window to the front and quits.
 * Returns false in the second program. The lock belongs to `userData`, so set that first.
 */
export function claimSingleInstance(
  app: Pick<App, 'requestSingleInstanceLock' | 'on'>,
  window: () => Pick<BrowserWindow, 'isMinimized' | 'restore' | 'show' | 'focus'> | null,
): boolean {
  if (!app.requestSingleInstanceLock()) return false
  app.on('second-instance', () => {
    const own = window()
    if (!own) return
    if (own.isMinimized()) own.restore()
    own.show()
    own.focus()
  })
  return true
}
