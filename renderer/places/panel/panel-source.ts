import type { PanelSource } from '../../../shared/panel/panel.ts'

/** Where a panel comes from, in one line; of a sample its name. */
export function formatSource(source: PanelSource): string {
  if (source.kind === 'folder') return [source.path, ...(source.start === undefined ? [] : [source.start])].join(' ')
  return source.kind === 'server' ? source.url : source.name
}

export type FolderRoutes = Pick<Extract<PanelSource, { kind: 'folder' }>, 'start' | 'fallback'>

/**
 * Where a folder's page begins, as it is typed: a path, a query or a fragment alone. Undefined for
 * its own beginning.
 */
export function toStartPath(typed: string): string | undefined {
  const text = typed.trim().replace(/^[/\\]+/, '')
  return text === '' ? undefined : `/${text}`
}

export const getSourceKey = (source: PanelSource): string => `${source.kind} ${formatSource(source)}`

/**
 * What was dropped or pasted as text, as a source: an address of this machine, a path, or a `file:`
 * address. A dropped folder tells a page nothing but its name. Null for anything else.
 */
export function parseSource(text: string): PanelSource | null {
  const line = text
    .split(/\r?\n/)
    .find((one) => one.trim() !== '' && !one.startsWith('#'))
    ?.trim()
  if (line === undefined || line.length > 2_000) return null
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(line)) return { kind: 'folder', path: withoutIndex(line) }
  if (!URL.canParse(line)) return null
  const url = new URL(line)
  if (url.protocol === 'file:' && url.host === '') {
    const path = decodeURIComponent(url.pathname).replace(/^\/(?=[A-Za-z]:\/)/, '')
    return { kind: 'folder', path: withoutIndex(path) }
  }
  return url.protocol === 'http:' || url.protocol === 'https:' ? { kind: 'server', url: url.href } : null
}

const withoutIndex = (path: string): string => path.replace(/[\\/]index\.html$/i, '') || '/'

/**
 * An address as it is typed: `5173` and `localhost:5173` are meant as `http://`. Null if it is
 * none.
 */
export function parseServerSource(text: string): PanelSource | null {
  const typed = text.trim()
  const whole = /^\d{2,5}$/.test(typed)
    ? `http://127.0.0.1:${typed}/`
    : /^https?:\/\//i.test(typed)
      ? typed
      : `http://${typed}`
  if (typed === '' || !URL.canParse(whole)) return null
  return { kind: 'server', url: new URL(whole).href }
}
