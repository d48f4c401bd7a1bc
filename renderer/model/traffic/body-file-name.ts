import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'

const extensions: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/pdf': 'pdf',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'video/mp4': 'mp4',
}

/** A valid name on every file system, from the end of the path and the declared media type. */
export function getBodyFileName({ path, method }: Pick<ExchangeRow, 'path' | 'method'>, mediaType: string): string {
  const steps = (path.split('?')[0] ?? '').split('/').filter(Boolean).slice(-2)
  const name = steps
    .join('-')
    .replace(/[^\w.-]+/g, '_')
    .replace(/^[.-]+/, '')
    .slice(0, 80)
  const type = (mediaType.split(';')[0] ?? '').trim().toLowerCase()
  return `${name || method.toLowerCase()}.${extensions[type] ?? (type.endsWith('+json') ? 'json' : 'bin')}`
}
