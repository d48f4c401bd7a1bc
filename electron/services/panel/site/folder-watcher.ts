import { statSync, watch, type FSWatcher } from 'node:fs'

/**
 * The page is reloaded when no file has changed for this long, because editors and bundlers write
 * in several steps.
 */
const QUIET_MS = 150
/** Interval in which a deleted folder is searched for. */
const RETRY_MS = 1_000
/** Files that are not part of the page: hidden and temporary ones, packages, and overrides. */
const IGNORED_NAMES = /(?:^|[\\/])(?:\.|node_modules(?:[\\/]|$)|bridge-overrides\.json)|~$|\.tmp$|\.swp$/

/**
 * Calls `onChange` after files below a folder have changed, also after the folder was deleted and
 * created again.
 * @returns a function that stops watching.
 */
export function watchFolder(folder: string, onChange: () => void): () => void {
  let watcher: FSWatcher | null = null
  let quietTimer: NodeJS.Timeout | null = null
  let retryTimer: NodeJS.Timeout | null = null
  let isEnded = false

  const scheduleChange = (): void => {
    if (quietTimer) clearTimeout(quietTimer)
    quietTimer = setTimeout(onChange, QUIET_MS)
  }
  const retryLater = (): void => {
    watcher?.close()
    watcher = null
    if (isEnded || retryTimer) return
    retryTimer = setTimeout(() => {
      retryTimer = null
      if (beginWatching()) scheduleChange()
    }, RETRY_MS).unref()
  }
  function beginWatching(): boolean {
    const inode = getInode(folder)
    if (inode === null) {
      retryLater()
      return false
    }
    try {
      watcher = watch(folder, { recursive: true, persistent: false }, (kind, name) => {
        if (name === null || !IGNORED_NAMES.test(name)) scheduleChange()
        // A watcher reports nothing about a new folder that replaces the watched one.
        if (kind === 'rename' && getInode(folder) !== inode) retryLater()
      })
      watcher.once('error', retryLater)
      return true
    } catch {
      retryLater()
      return false
    }
  }
  beginWatching()
  return () => {
    isEnded = true
    watcher?.close()
    for (const timer of [quietTimer, retryTimer]) if (timer) clearTimeout(timer)
  }
}

function getInode(folder: string): number | null {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.ino ?? null
  } catch {
    return null
  }
}
