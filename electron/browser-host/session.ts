import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Who may speak to the browser host.
 *
 * 1. The program prints `/?key=KEY`. The key works once: `GET /?key=KEY` sets an HttpOnly, SameSite=Strict cookie and answers
 *    303 to `/`, so that the key leaves the address bar.
 * 2. Cookies ignore ports, so another server on this machine could be sent it. The page therefore also fetches a page secret
 *    (`POST /ipc/enter`, cookie and exact Origin needed), keeps it in its own memory and sends it as a header with each call.
 * 3. A reload or a second tab has the cookie and enters again; other origins cannot read the answer.
 */
export const COOKIE = 'bridge-inspector-session'
export const SECRET_HEADER = 'x-bridge-inspector-page'
export const LOAD_HEADER = 'x-bridge-inspector-load'

const MAX_PAGES = 64

export interface Session {
  /** The key for the URL that is printed. */
  readonly key: string
  /** The cookie's value when the key is right and unused, otherwise null. */
  redeem(key: string): string | null
  hasCookie(header: string | undefined): boolean
  /** A new page secret. */
  enter(): string
  knowsPage(secret: unknown): boolean
}

export function createSession(): Session {
  const key = token()
  const cookie = token()
  let used = false
  const pages: string[] = []
  return {
    key,
    redeem(given) {
      if (used || !same(given, key)) return null
      used = true
      return cookie
    },
    hasCookie: (header) => cookiesOf(header).some((value) => same(value, cookie)),
    enter() {
      const secret = token()
      pages.push(secret)
      if (pages.length > MAX_PAGES) pages.shift()
      return secret
    },
    knowsPage: (secret) => typeof secret === 'string' && pages.some((page) => same(page, secret)),
  }
}

const token = (): string => randomBytes(24).toString('base64url')

/** In constant time, over digests, so that neither content nor length shows. */
function same(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}

/** Every value of our cookie: a foreign one of the same name may stand beside it. */
function cookiesOf(header: string | undefined): string[] {
  return (header ?? '').split(';').flatMap((part) => {
    const [name, ...value] = part.trim().split('=')
    return name === COOKIE ? [value.join('=')] : []
  })
}
