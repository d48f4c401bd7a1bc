import { createPageCsp } from '../page/page-csp.ts'

export function createPageHeaders(type: string, connect?: string, frames?: string): Record<string, string> {
  return {
    'content-type': type,
    'content-security-policy': createPageCsp(connect, frames),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  }
}

/**
 * The page has a scheme of its own. Unlike `file:`, this scheme has an origin and takes its policy
 * from headers, and it serves only the page's files.
 * @see
 *   https://www.electronjs.org/docs/latest/tutorial/security#18-avoid-usage-of-the-file-protocol-and-prefer-usage-of-custom-protocols
 */
export const APP_SCHEME = 'app'
export const APP_HOST = 'bridge-inspector'
export const APP_ORIGIN = `${APP_SCHEME}://${APP_HOST}`
export const HOME_URL = `${APP_ORIGIN}/`
/** `page-protocol.ts` serves a page without any script here when the page keeps crashing. */
export const RECOVERY_PATH = '/recovery'

/** The address is parsed, because `app://bridge-inspector.evil` begins like one of the app. */
export function isAppUrl(text: string): boolean {
  const url = parseUrl(text)
  return url !== null && url.protocol === `${APP_SCHEME}:` && url.host === APP_HOST && !url.username && !url.password
}

/** True for the page itself (with any hash), the only document that may be reloaded. */
export function isHomeUrl(text: string): boolean {
  return isAppUrl(text) && parseUrl(text)?.pathname === '/' && parseUrl(text)?.search === ''
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
