/**
 * The files and headers of our page, for both ways to serve it: the desktop app's scheme and the
 * browser host. Not for the requests themselves (`desktop/page-protocol.ts`,
 * `browser-host/routes.ts`). Read this file first, then `page-csp.ts`.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Settings } from '../../shared/ipc/settings.ts'

/** The page needs these settings before its first paint. */
export type Appearance = Pick<Settings, 'theme' | 'density' | 'locale'>

interface PageFile {
  readonly type: string
  readonly body: Buffer<ArrayBuffer>
}

// Every file is sent with a type, and an unknown one with a type that cannot run.
const mimeTypes: Readonly<Record<string, string>> = {
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

/** Reads by exact path; null for a missing file, and for any path that leaves the folder. */
export function createPageFileReader(
  folder: string,
  getAppearance: () => Appearance,
): (pathname: string) => Promise<PageFile | null> {
  const base = path.resolve(folder)
  return async (pathname) => {
    const file = path.resolve(base, `.${pathname === '/' ? '/index.html' : pathname}`)
    if (!file.startsWith(base + path.sep) || pathname.includes('\0') || pathname.includes('\\')) return null
    const body = await readFile(file).catch(() => null)
    if (body === null) return null
    const type = mimeTypes[path.extname(file).toLowerCase()] ?? 'application/octet-stream'
    return { type, body: file === path.join(base, 'index.html') ? addAppearance(body, getAppearance()) : body }
  }
}

/** Nothing is escaped, because all values are words of the settings' schema. */
const addAppearance = (page: Buffer, { theme, density, locale }: Appearance): Buffer<ArrayBuffer> => {
  const openingTag = `<html data-theme="${theme}" data-density="${density}" data-locale="${locale}" `
  return Buffer.from(page.toString().replace('<html ', openingTag))
}
