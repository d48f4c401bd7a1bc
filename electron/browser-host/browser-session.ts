import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Who may talk to the browser host. A page needs two things, and neither leads to the other:
 *
 * - a cookie, HttpOnly and SameSite=Strict, which no script can read. Cookies ignore ports, so every other server on this machine that the
 *   browser visits receives it and can then send us requests with any headers it likes. The cookie alone therefore opens only files.
 * - a page secret, which only the page itself and its own worker hold (sessionStorage, bound to the port) and sends as a header.
 *
 * 1. The program prints `/?key=KEY`. The key works once, and only for the user who runs the program where the system can tell (Linux). A
 *    browser that the program opens itself gets a file that redirects, because every user of the machine can read arguments.
 * 2. `GET /?key=KEY` sets the cookie and responds 303 to `/#enter=TICKET`: the key is gone from the address bar, and a fragment is never sent
 *    to a server. The page removes the ticket from the address before anything else runs.
 * 3. `POST /ipc/enter` with the cookie, the exact Origin and the ticket returns the page secret. The ticket is used up by the first call that
 *    carries the secret; until then a page that was reloaded in between may ask again.
 * 4. After a reload the page still has the cookie and the secret. Another tab of the same origin gets the secret from an open one
 *    (BroadcastChannel, bound to the port like the storage). If none is open, or a used key is opened again, the program prints a fresh
 *    address in its terminal: whoever sees the terminal may come in.
 */
export const PAGE_LOAD_HEADER = 'x-bridge-inspector-load'

/** The name includes the port: two runs side by side would otherwise overwrite each other's cookie. */
export const getCookieName = (port: number): string => `bridge-inspector-${port}`

/** Browsers (or browser profiles) that may be let in at once; beyond that the first one is dropped. */
const MAX_ADMISSIONS = 16

interface Admission {
  readonly cookie: string
  readonly secret: string
  loginKey: string | null
}

export interface BrowserSession {
  /** The key for the printed address. */
  readonly key: string
  /** Lets a browser in if the key is right and unused; a cookie that it already has is kept. */
  redeemKey(key: string, cookies: string | undefined): { readonly cookie: string; readonly loginKey: string } | null
  /** Whether this is one of this run's keys, used or not. */
  isKey(given: string): boolean
  /** Whether this is a used key of this run: its holder once saw the terminal. */
  isUsedKey(key: string): boolean
  /** Makes a new key; an earlier unused one becomes invalid. */
  renewKey(): string
  hasCookie(cookies: string | undefined): boolean
  /** The page secret for a cookie and a ticket. */
  getPageSecret(cookies: string | undefined, ticket: unknown): string | null
  isKnownPage(cookies: string | undefined, secret: unknown): boolean
  /** The secrets of the pages that this browser was let in for. */
  getPageSecrets(cookies: string | undefined): string[]
}

export function createBrowserSession(port: number): BrowserSession {
  const name = getCookieName(port)
  const first = createToken()
  let open: string | null = first
  const used: string[] = []
  const admissions: Admission[] = []
  const ownCookie = (cookies: string | undefined): string | undefined =>
    parseCookies(cookies, name).find((value) => admissions.some(({ cookie }) => isSameSecret(value, cookie)))
  /** Looks only at the admissions of this cookie. */
  const admission = (cookies: string | undefined, fits: (one: Admission) => boolean): Admission | undefined => {
    const cookie = ownCookie(cookies)
    return cookie === undefined ? undefined : admissions.find((one) => isSameSecret(one.cookie, cookie) && fits(one))
  }
  return {
    key: first,
    redeemKey(given, cookies) {
      if (open === null || !isSameSecret(given, open)) return null
      used.push(open)
      open = null
      const loginKey = createToken()
      const admitted = { cookie: ownCookie(cookies) ?? createToken(), secret: createToken(), loginKey }
      admissions.push(admitted)
      if (admissions.length > MAX_ADMISSIONS) admissions.shift()
      return { cookie: admitted.cookie, loginKey }
    },
    isKey: (given) => [...used, ...(open === null ? [] : [open])].some((key) => isSameSecret(given, key)),
    isUsedKey: (given) => used.some((key) => isSameSecret(given, key)),
    renewKey: () => (open = createToken()),
    hasCookie: (cookies) => ownCookie(cookies) !== undefined,
    getPageSecret(cookies, given) {
      if (typeof given !== 'string') return null
      return (
        admission(cookies, ({ loginKey: ticket }) => ticket !== null && isSameSecret(given, ticket))?.secret ?? null
      )
    },
    isKnownPage(cookies, given) {
      if (typeof given !== 'string') return false
      const known = admission(cookies, ({ secret }) => isSameSecret(given, secret))
      if (known) known.loginKey = null
      return known !== undefined
    },
    getPageSecrets(cookies) {
      const cookie = ownCookie(cookies)
      return cookie === undefined
        ? []
        : admissions.filter((one) => isSameSecret(one.cookie, cookie)).map(({ secret }) => secret)
    },
  }
}

const createToken = (): string => randomBytes(24).toString('base64url')

/** Compares digests in constant time, so that neither content nor length leaks. */
function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}

/** Every value of our cookie: somebody else's cookie of the same name may be sent with it. */
function parseCookies(header: string | undefined, own: string): string[] {
  return (header ?? '').split(';').flatMap((part) => {
    const [name, ...value] = part.trim().split('=')
    return name === own ? [value.join('=')] : []
  })
}
