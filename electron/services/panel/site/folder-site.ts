import { closeSync, constants, createReadStream, fstatSync, statSync } from 'node:fs'
import path from 'node:path'
import { createRefusedError } from '../../../../shared/errors.ts'
import { openRegularFile } from '../../../system/regular-file.ts'
import { parseRange } from '../../media/byte-ranges.ts'
import { toWebStream } from '../call/response.ts'
import { isDocumentRequest } from '../page/helper-script.ts'
import { resolveFolderFile } from './folder-file.ts'
import { createTextResponse, createRefusedNote, type NoteSink, type PanelSite } from './site.ts'
import { watchFolder } from './folder-watcher.ts'

/** Where the page of a folder begins, and whether its own routes are answered with it. */
interface Routes {
  readonly start?: string | undefined
  readonly fallback?: boolean | undefined
}

/**
 * A folder with an `index.html`. Throws `PANEL_NOT_FOUND` and `PANEL_NO_INDEX`. Nothing outside the
 * folder and no hidden file is ever served, whatever its links say.
 */
export function createFolderSite(
  folder: string,
  note: NoteSink,
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
    serve: async (request) => serveFile(root, request, note, fallback),
    watch: (changed) => watchFolder(root, changed),
  }
}

function serveFile(root: string, request: Request, note: NoteSink, fallback: boolean): Response {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return createTextResponse(405, 'Files are only read.', { Allow: 'GET, HEAD' })
  }
  const { pathname, search } = new URL(request.url)
  const named = resolveFolderFile(root, pathname)
  const isRoute = fallback && named.kind === 'missing' && isDocumentRequest(request.headers)
  const found = isRoute ? resolveFolderFile(root, '/') : named
  if (found.kind === 'folder')
    return new Response(null, { status: 307, headers: { Location: `${pathname}/${search}` } })
  if (found.kind === 'outside') note(createRefusedNote('file', pathname))
  if (found.kind !== 'file') return createTextResponse(404, 'There is no such file in the panel’s folder.')
  return readFile(found.file, request)
}

/** The file, or the part of it that a `Range` header asks for (RFC 9110 §14). */
function readFile(file: string, request: Request): Response {
  let handle: number
  let size: number
  try {
    handle = openRegularFile(file, constants.O_RDONLY)
    ;({ size } = fstatSync(handle))
  } catch {
    return createTextResponse(404, 'This file of the panel cannot be read.')
  }
  const headers: Record<string, string> = { 'Content-Type': mediaTypeOf(file), 'Accept-Ranges': 'bytes' }
  const wanted = parseRange(request.headers.get('range'), size)
  if (wanted.kind === 'none') {
    closeSync(handle)
    return new Response(null, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${size}` } })
  }
  const { start, end } = wanted.kind === 'part' ? wanted.span : { start: 0, end: size - 1 }
  headers['Content-Length'] = String(end - start + 1)
  if (wanted.kind === 'part') headers['Content-Range'] = `bytes ${start}-${end}/${size}`
  const status = wanted.kind === 'part' ? 206 : 200
  if (request.method === 'HEAD' || end < start) {
    closeSync(handle)
    return new Response(null, { status, headers })
  }
  const stream = createReadStream('', { fd: handle, start, end, signal: request.signal })
  // A file that shrinks meanwhile ends early; the transport notices that from the length.
  stream.once('error', () => undefined)
  return new Response(toWebStream(stream), { status, headers })
}

const text = (type: string): string => `${type}; charset=utf-8`

const types: Readonly<Record<string, string>> = {
  '.html': text('text/html'),
  '.htm': text('text/html'),
  '.js': text('text/javascript'),
  '.mjs': text('text/javascript'),
  '.css': text('text/css'),
  '.txt': text('text/plain'),
  '.md': text('text/markdown'),
  '.csv': text('text/csv'),
  '.vtt': text('text/vtt'),
  '.xml': text('application/xml'),
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

/** The media type of a file of a panel, by its name; an unknown one gets a type that cannot run. */
const mediaTypeOf = (file: string): string => types[path.extname(file).toLowerCase()] ?? 'application/octet-stream'
