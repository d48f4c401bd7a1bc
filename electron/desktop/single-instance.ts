import type { App, BrowserWindow } from 'electron'

/**
 * One program a data directory: two would write the same files. A second start brings the first one's window forward and
 * ends. False = this is the second. The lock belongs to `userData`, so set that first.
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
