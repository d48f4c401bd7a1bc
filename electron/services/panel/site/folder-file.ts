import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'

/** The file at a path, or the reason why no file is served. */
type FolderFile =
  | { readonly kind: 'file'; readonly file: string; readonly size: number }
  /** Relative URLs of the folder's page would not work without the slash at the end. */
  | { readonly kind: 'folder' }
  | { readonly kind: 'missing' }
  /** The path leads out of the folder or to a hidden file. */
  | { readonly kind: 'outside' }

const MISSING: FolderFile = { kind: 'missing' }
const OUTSIDE: FolderFile = { kind: 'outside' }

/** Device names and invalid file names on Windows. */
const WINDOWS_RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|[:<>"|?*]|[. ]$/i

/**
 * Finds a regular file below a folder by the path of a URL. The path is decoded once. Hidden names,
 * `..`, NUL, backslashes, and links that lead out of the folder or to a hidden name in the folder
 * are `outside`.
 * @param root absolute path of the folder.
 */
export function resolveFolderFile(root: string, pathname: string, platform: string = process.platform): FolderFile {
  const decoded = decode(pathname)
  if (decoded === null) return OUTSIDE
  const isFolder = decoded.endsWith('/')
  const segments = decoded.split('/').slice(1, isFolder ? -1 : undefined)
  if (segments.some((segment) => isForbiddenSegment(segment, platform))) return OUTSIDE
  try {
    const realRoot = realpathSync(root)
    const realPath = realpathSync(path.join(realRoot, ...segments, ...(isFolder ? ['index.html'] : [])))
    if (realPath !== realRoot && !realPath.startsWith(realRoot + path.sep)) return OUTSIDE
    if (path.relative(realRoot, realPath).split(path.sep).some(isHidden)) return OUTSIDE
    const stats = statSync(realPath)
    if (stats.isDirectory()) return { kind: 'folder' }
    return stats.isFile() ? { kind: 'file', file: realPath, size: stats.size } : OUTSIDE
  } catch {
    return MISSING
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

/** A leading dot is a hidden name or `..`; the other forms can confuse the file system. */
const isForbiddenSegment = (segment: string, platform: string): boolean =>
  segment === '' ||
  isHidden(segment) ||
  /[\u0000-\u001f\u007f\\]/.test(segment) ||
  (platform === 'win32' && WINDOWS_RESERVED.test(segment))
