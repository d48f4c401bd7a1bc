import path from 'node:path'

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
export const mediaTypeOf = (file: string): string =>
  types[path.extname(file).toLowerCase()] ?? 'application/octet-stream'
