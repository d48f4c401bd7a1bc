import { readFile } from 'node:fs/promises'
import path from 'node:path'

interface PageFile {
  readonly type: string
  readonly body: Buffer
}

// Every file is sent with a type, and an unknown one with a type that cannot run.
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
  '.wasm': 'application/wasm',
}

/** Reads the page's files from one folder, by exact path. Returns null for a missing file and for any path that leaves the folder. */
export function pageFiles(folder: string): (pathname: string) => Promise<PageFile | null> {
  const base = path.resolve(folder)
  return async (pathname) => {
    const file = path.resolve(base, `.${pathname === '/' ? '/index.html' : pathname}`)
    if (!file.startsWith(base + path.sep) || pathname.includes('\0') || pathname.includes('\\')) return null
    const body = await readFile(file).catch(() => null)
    return body && { type: types[path.extname(file).toLowerCase()] ?? 'application/octet-stream', body }
  }
}
