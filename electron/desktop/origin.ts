/** The page's own scheme: unlike `file:` it has an origin, a policy in headers, and nothing else can be read through it. */
export const APP_SCHEME = 'app'
export const APP_HOST = 'bridge-inspector'
export const APP_ORIGIN = `${APP_SCHEME}://${APP_HOST}`
export const HOME_URL = `${APP_ORIGIN}/`
/** Served by `protocol.ts` itself, without a script, for a page that keeps crashing. */
export const RECOVERY_PATH = '/recovery'

/** Whether an address is of the app's origin. Parsed, because `app://bridge-inspector.evil` begins the same. */
export function isAppUrl(text: string): boolean {
  const url = parse(text)
  return url !== null && url.protocol === `${APP_SCHEME}:` && url.host === APP_HOST && !url.username && !url.password
}

/** Whether an address is the page itself (any hash): the one document that may be loaded again. */
export function isHome(text: string): boolean {
  return isAppUrl(text) && parse(text)?.pathname === '/' && parse(text)?.search === ''
}

function parse(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
