import type { App, BrowserWindow } from 'electron'
import { z } from 'zod'

const startDataSchema = z.object({ recording: z.string().nullable() })

type FocusableWindow = Pick<BrowserWindow, 'isMinimized' | 'restore' | 'show' | 'focus'>

/**
 * Allows one program per data directory, because two would write to the same files. A second
 * program brings the first program's window to the front and quits. The lock is in the folder
 * `userData`, so that path must be set before.
 *
 * @param recording Absolute path of the recording that this program was started with; null if none.
 * @param onSecondStart Called with the second program's arguments and its recording.
 * @returns false in the second program.
 */
export function claimSingleInstance(
  app: Pick<App, 'requestSingleInstanceLock' | 'on'>,
  recording: string | null,
  getWindow: () => FocusableWindow | null,
  onSecondStart: (argv: readonly string[], recording: string | null) => void = () => undefined,
): boolean {
  // Chromium reorders the arguments, and only the second program knows where it was started.
  if (!app.requestSingleInstanceLock({ recording })) return false
  app.on('second-instance', (_event, argv, _folder, data) => {
    bringToFront(getWindow())
    const second = startDataSchema.safeParse(data)
    onSecondStart(argv, second.data?.recording ?? null)
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
