import type { BrowserWindow, WebContents } from 'electron'

type Loading = Pick<BrowserWindow, 'isDestroyed'> & { readonly webContents: Pick<WebContents, 'loadURL' | 'isLoading'> }

/**
 * Loads the page for the first time. Rejects if it cannot be had, unless the window was closed or another load took its place: that of a
 * link, or after a crash.
 */
export async function loadPage(window: Loading, url: string): Promise<void> {
  try {
    await window.webContents.loadURL(url)
  } catch (error) {
    // The other load may begin right after this one has ended.
    await new Promise((resolve) => setImmediate(resolve))
    if (!window.isDestroyed() && !window.webContents.isLoading()) throw error
  }
}
