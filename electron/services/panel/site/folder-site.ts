import { closeSync, constants, createReadStream, fstatSync, statSync, watch, type FSWatcher } from 'node:fs'
import path from 'node:path'
import { createRefusedError } from '../../../../shared/errors.ts'
import { openRegularFile } from '../../../system/regular-file.ts'
import { parseRange } from '../../media/byte-ranges.ts'
import { toWebStream } from '../call/response.ts'
import { isDocumentRequest } from '../page/helper-script.ts'
import { resolveFolderFile } from './folder-file.ts'
import { createTextResponse, createRefusedNote, type NoteSink, type PanelSite } from './site.ts'

/** The page reloads after so long without a change: editors and bundlers write in steps. */
const QUIET_MS = 150
/** Interval in which a deleted folder is searched for. */
const RETRY_MS = 1_000
/** Files that are not part of the page: hidden and temporary ones, packages, and overrides. */
const IGNORED_NAMES = /(?:^|[\\/])(?:\.|node_modules(?:[\\/]|$)|bridge-overrides\.json)|~$|\.tmp$|\.swp$/

/** Goes on if the folder is deleted and created again. Returns a function that stops watching. */
function watchFolder(folder: string, onChange: () => void): () => void {
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

interface Routes {
  /** Path with query of the first page. */
  readonly start?: string | undefined
  /** True if `index.html` is served for page routes without a file. */
  readonly fallback?: boolean | undefined
}

/**
 * Creates a site for a folder with an `index.html`. Files outside the folder and hidden files are
 * never served, not even through a link.
 * @throws PANEL_NOT_FOUND when there is no such folder
 * @throws PANEL_NO_INDEX when the folder has no `index.html`
 */
export function createFolderSite(
  folder: string,
  addNote: NoteSink,
  { start = '/', fallback = false }: Routes = {},
): PanelSite {
  const root = path.resolve(folder)
  if (!path.isAbsolute(folder) || !statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw createRefusedError('PANEL_NOT_FOUND', `There is no folder ${folder}.`, { path: folder })
  }
  if (resolveFolderFile(root, '/').kind !== 'file') {
    throw createRefusedError('PANEL_NO_INDEX', `The folder ${folder} has no index.html.`, { path: folder })
  }
  return {
    socketTarget: null,
    start,
    serve: async (request) => serveFile(root, request, addNote, fallback),
    watch: (onChange) => watchFolder(root, onChange),
  }
}

function serveFile(root: string, request: Request, addNote: NoteSink, hasFallback: boolean): Response {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return createTextResponse(405, 'Files are only read.', { Allow: 'GET, HEAD' })
  }
  const { pathname, search } = new URL(request.url)
  const requestedFile = resolveFolderFile(root, pathname)
  const isRoute = hasFallback && requestedFile.kind === 'missing' && isDocumentRequest(request.headers)
  const servedFile = isRoute ? resolveFolderFile(root, '/') : requestedFile
  if (servedFile.kind === 'folder')
    return new Response(null, { status: 307, headers: { Location: `${pathname}/${search}` } })
  if (servedFile.kind === 'outside') addNote(createRefusedNote('file', pathname))
  if (servedFile.kind !== 'file') return createTextResponse(404, 'There is no such file in the panel’s folder.')
  return readFile(servedFile.file, request)
}

/** Sends a file, or the part of it that a `Range` header requests (RFC 9110 §14). */
function readFile(file: string, request: Request): Response {
  let handle: number
  let size: number
  try {
    handle = openRegularFile(file, constants.O_RDONLY)
    ;({ size } = fstatSync(handle))
  } catch {
    return createTextResponse(404, 'This file of the panel cannot be read.')
  }
  const headers: Record<string, string> = { 'Content-Type': getMediaType(file), 'Accept-Ranges': 'bytes' }
  const range = parseRange(request.headers.get('range'), size)
  if (range.kind === 'none') {
    closeSync(handle)
    return new Response(null, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${size}` } })
  }
  const { start, end } = range.kind === 'part' ? range.span : { start: 0, end: size - 1 }
  headers['Content-Length'] = String(end - start + 1)
  if (range.kind === 'part') headers['Content-Range'] = `bytes ${start}-${end}/${size}`
  const status = range.kind === 'part' ? 206 : 200
  if (request.method === 'HEAD' || end < start) {
    closeSync(handle)
    return new Response(null, { status, headers })
  }
  const stream = createReadStream('', { fd: handle, start, end, signal: request.signal })
  // If the file shrinks meanwhile, the body is short, and the transport reports an error.
  stream.once('error', () => undefined)
  return new Response(toWebStream(stream), { status, headers })
}

const withCharset = (type: string): string => `${type}; charset=utf-8`

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': withCharset('text/html'),
  '.htm': withCharset('text/html'),
  '.js': withCharset('text/javascript'),
  '.mjs': withCharset('text/javascript'),
  '.css': withCharset('text/css'),
  '.txt': withCharset('text/plain'),
  '.md': withCharset('text/markdown'),
  '.csv': withCharset('text/csv'),
  '.vtt': withCharset('text/vtt'),
  '.xml': withCharset('application/xml'),
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.wasm': 'application/wasm',
  '.pdf': 'application/pdf',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.ogg': 'audio/ogg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
}

/** An unknown extension gets a type that a browser does not execute. */
const getMediaType = (file: string): string =>
  MEDIA_TYPES[path.extname(file).toLowerCase()] ?? 'application/octet-stream'
