import { trimEndChars } from '../format/trim-chars.ts'
import type { ExchangeRow } from './exchange.ts'

type Addressed = Pick<ExchangeRow, 'host' | 'path'>

/** The path is relative to the base URL, unless it was recorded with that URL's path. */
export function getExchangeUrl({ host, path }: Addressed): string {
  const { base, prefix } = splitBaseUrl(host)
  return path === prefix || path.startsWith(`${prefix}/`)
    ? base.slice(0, base.length - prefix.length) + path
    : base + path
}

/** Returns the path for `host.api`, which adds `/bridge/v1` in front (spec §1). */
export function getHostApiPath({ host, path }: Addressed): string {
  const { prefix } = splitBaseUrl(host)
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

/** `base` has no trailing slash; `prefix` is its path, or `/bridge/v1` if it has none. */
function splitBaseUrl(host: string): { readonly base: string; readonly prefix: string } {
  const base = trimEndChars(host, '/')
  const prefix = /^[a-z][a-z0-9+.-]*:\/\/[^/]*(\/.*)?$/i.exec(base)?.[1] ?? '/bridge/v1'
  return { base, prefix }
}
