import { stat } from 'node:fs/promises'

/**
 * Calls `look` whenever a file may have changed, and once at the beginning: what changes before the first look is not missed, however late
 * that comes. Asking works where no notification does: network disks, files that are replaced or not there yet. Returns what ends it.
 */
export function lookAgain(file: string, everyMs: number, look: () => void): () => void {
  let seen = ''
  let ended = false
  let timer = next()

  function next(): NodeJS.Timeout {
    return setTimeout(() => void ask(), everyMs).unref()
  }
  async function ask(): Promise<void> {
    const now = await stat(file, { bigint: true }).then(
      ({ ino, size, mtimeNs, ctimeNs }) => [ino, size, mtimeNs, ctimeNs].join(),
      () => 'not to be had',
    )
    if (ended) return
    timer = next()
    if (now === seen) return
    seen = now
    look()
  }
  return () => {
    ended = true
    clearTimeout(timer)
  }
}
