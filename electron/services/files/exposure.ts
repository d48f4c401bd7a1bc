import type { Stats } from 'node:fs'

type Exposure = 'none' | 'readable' | 'writable' | 'foreign'

/** The user that this process runs as; null on systems without numeric user ids (Windows). */
export function getOwnUid(): number | null {
  return process.getuid?.() ?? null
}

/**
 * Returns what other users can do with a file, according to `stat`. `foreign`: the file belongs to
 * a user who is neither this user nor root. `writable`: its group or everybody can write to it.
 * `readable`: they can read it. `none` is also returned on systems without such permission bits.
 */
export function getExposure({ uid, mode }: Pick<Stats, 'uid' | 'mode'>, ownUid: number | null = getOwnUid()): Exposure {
  if (ownUid === null) return 'none'
  if (uid !== ownUid && uid !== 0) return 'foreign'
  if (mode & 0o022) return 'writable'
  return mode & 0o044 ? 'readable' : 'none'
}
