import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { answer } from './headers.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.pfb': 'application/x-font-type1',
  '.bcmap': 'application/octet-stream',
  '.ico': 'image/x-icon',
}

/** How the files of the page are given out: from the built folder, or by a development server. */
export type Assets = (request: IncomingMessage, response: ServerResponse, pathname: string) => Promise<void>

/** Files of one folder, by exact path; anything that would leave the folder is not found. */
export function folderAssets(root: string): Assets {
  const base = path.resolve(root)
  return async (_request, response, pathname) => {
    const file = path.resolve(base, `.${pathname === '/' ? '/index.html' : pathname}`)
    const inside = file.startsWith(base + path.sep) && !pathname.includes('\0')
    const body = inside ? await readFile(file).catch(() => null) : null
    if (body === null) answer(response, 404, 'text/plain; charset=utf-8', 'There is no such page.')
    else answer(response, 200, types[path.extname(file)] ?? 'application/octet-stream', body)
  }
}
