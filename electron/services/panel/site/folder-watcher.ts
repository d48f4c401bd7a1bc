import { statSync, watch, type FSWatcher } from 'node:fs'

/**
 * A page is loaded again when its files have been quiet for this long: editors and bundlers write
 * in several steps.
 */
const QUIET_MS = 150
/** How soon a folder that vanished is looked for again. */
const RETRY_MS = 1_000
/** What others write beside the page: not part of it. */
const ignored = /(?:^|[\\/])(?:\.|node_modules(?:[\\/]|$)|bridge-overrides\.json)|~$|\.tmp$|\.swp$/

/**
 * Calls `changed` when files below a folder have changed and are quiet; survives that the folder
 * vanishes. Returns how to end that.
 */
export function watchFolder(folder: string, changed: () => void): () => void {
  let watcher: FSWatcher | null = null
  let quiet: NodeJS.Timeout | null = null
  let retry: NodeJS.Timeout | null = null
  let over = false

  const soon = (): void => {
    if (quiet) clearTimeout(quiet)
    quiet = setTimeout(changed, QUIET_MS)
  }
  const lost = (): void => {
    watcher?.close()
    watcher = null
    if (over || retry) return
    retry = setTimeout(() => {
      retry = null
      if (begin()) soon()
    }, RETRY_MS).unref()
  }
  function begin(): boolean {
    const inode = inodeOf(folder)
    if (inode === null) {
      lost()
      return false
    }
    try {
      watcher = watch(folder, { recursive: true, persistent: false }, (kind, name) => {
        if (name === null || !ignored.test(name)) soon()
        // A watcher never hears of the folder that takes the place of the one it watches.
        if (kind === 'rename' && inodeOf(folder) !== inode) lost()
      })
      watcher.once('error', lost)
      return true
    } catch {
      lost()
      return false
    }
  }
  begin()
  return () => {
    over = true
    watcher?.close()
    for (const timer of [quiet, retry]) if (timer) clearTimeout(timer)
  }
}

function inodeOf(folder: string): number | null {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.ino ?? null
  } catch {
    return null
  }
}
