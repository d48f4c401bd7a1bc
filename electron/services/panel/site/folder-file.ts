import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'

/** A file below a folder, or why there is none. */
type FolderFile =
  | { readonly kind: 'file'; readonly file: string; readonly size: number }
  /**
   * A folder named without the slash at the end, so that relative addresses in its page would be
   * wrong.
   */
  | { readonly kind: 'folder' }
  | { readonly kind: 'missing' }
  /** The path tries to leave the folder, or names a hidden file. */
  | { readonly kind: 'outside' }

const none: FolderFile = { kind: 'missing' }
const outside: FolderFile = { kind: 'outside' }

/** Names of devices on Windows, and what is no name there. */
const windows = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|[:<>"|?*]|[. ]$/i

/**
 * The regular file that a path of an address names below `root` (an absolute path). The path is
 * decoded once. Hidden names, `..`, NUL, backslashes, and links that lead out of the folder or to a
 * hidden name in it are `outside`.
 */
export function resolveFolderFile(root: string, pathname: string, platform: string = process.platform): FolderFile {
  const decoded = decode(pathname)
  if (decoded === null) return outside
  const isFolder = decoded.endsWith('/')
  const segments = decoded.split('/').slice(1, isFolder ? -1 : undefined)
  if (segments.some((one) => isStrange(one, platform))) return outside
  try {
    const base = realpathSync(root)
    const real = realpathSync(path.join(base, ...segments, ...(isFolder ? ['index.html'] : [])))
    if (real !== base && !real.startsWith(base + path.sep)) return outside
    if (path.relative(base, real).split(path.sep).some(isHidden)) return outside
    const stats = statSync(real)
    if (stats.isDirectory()) return { kind: 'folder' }
    return stats.isFile() ? { kind: 'file', file: real, size: stats.size } : outside
  } catch {
    return none
  }
}

function decode(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return null
  }
}

const isHidden = (name: string): boolean => name.startsWith('.')

/**
 * Control characters and backslashes are no part of a name; a name that begins with a dot is
 * hidden, or leads up.
 */
const isStrange = (segment: string, platform: string): boolean =>
  segment === '' ||
  isHidden(segment) ||
  /[\u0000-\u001f\u007f\\]/.test(segment) ||
  (platform === 'win32' && windows.test(segment))
