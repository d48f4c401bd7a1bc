import type { PanelSource } from '../../../shared/panel/panel.ts'

/** A folder's path and start page, a server's address, or a sample's name. */
export function formatPanelSource(source: PanelSource): string {
  if (source.kind === 'folder') return [source.path, ...(source.start === undefined ? [] : [source.start])].join(' ')
  return source.kind === 'server' ? source.url : source.name
}

export type FolderRouteOptions = Pick<Extract<PanelSource, { kind: 'folder' }>, 'start' | 'fallback'>

/** Accepts a path, a query or a fragment. Undefined stands for the default page. */
export function toStartPath(input: string): string | undefined {
  const text = input.trim().replace(/^[/\\]+/, '')
  return text === '' ? undefined : `/${text}`
}

export function getPanelSourceKey(source: PanelSource): string {
  return `${source.kind} ${formatPanelSource(source)}`
}

/** Accepts an `http(s):` or `file:` address, or an absolute path; null for any other text. */
export function parsePanelSource(text: string): PanelSource | null {
  const line = text
    .split(/\r?\n/)
    .find((candidate) => candidate.trim() !== '' && !candidate.startsWith('#'))
    ?.trim()
  if (line === undefined || line.length > 2_000) return null
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(line)) return { kind: 'folder', path: removeIndexFile(line) }
  if (!URL.canParse(line)) return null
  const url = new URL(line)
  if (url.protocol === 'file:' && url.host === '') {
    const path = decodeURIComponent(url.pathname).replace(/^\/(?=[A-Za-z]:\/)/, '')
    return { kind: 'folder', path: removeIndexFile(path) }
  }
  return url.protocol === 'http:' || url.protocol === 'https:' ? { kind: 'server', url: url.href } : null
}

const removeIndexFile = (path: string): string => path.replace(/[\\/]index\.html$/i, '') || '/'

/** `5173` and `localhost:5173` get `http://`. Returns null if the text is not an address. */
export function parseServerSource(text: string): PanelSource | null {
  const input = text.trim()
  const fullUrl = /^\d{2,5}$/.test(input)
    ? `http://127.0.0.1:${input}/`
    : /^https?:\/\//i.test(input)
      ? input
      : `http://${input}`
  if (input === '' || !URL.canParse(fullUrl)) return null
  return { kind: 'server', url: new URL(fullUrl).href }
}
