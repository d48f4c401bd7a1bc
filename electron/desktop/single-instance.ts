import type { App, BrowserWindow } from 'electron'

type Front = Pick<BrowserWindow, 'isMinimized' | 'restore' | 'show' | 'focus'>

/**
 * One program per data directory: two would write to the same files. A second start brings the first one's window to the front and quits.
 * `started` hears of the second one's arguments. Returns false in the second program. The lock belongs to `userData`, so set that first.
 */
export function claimSingleInstance(
  app: Pick<App, 'requestSingleInstanceLock' | 'on'>,
  window: () => Front | null,
  onSecondStart: (argv: readonly string[]) => void = () => undefined,
): boolean {
  if (!app.requestSingleInstanceLock()) return false
  app.on('second-instance', (_event, argv) => {
    bringToFront(window())
    onSecondStart(argv)
  })
  return true
}

/** Brings a window to the front, out of the dock or taskbar if need be. */
export function bringToFront(window: Front | null): void {
  if (!window) return
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}
