import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Access to the browser host. A page needs two things, and neither leads to the other:
 *
 * - a cookie, HttpOnly and SameSite=Strict, which no script can read. Cookies ignore ports, so
 *   every other server on this machine that the browser visits receives it and can then send us
 *   requests with any headers it likes. The cookie alone therefore opens only files.
 * - a page secret, which only the page itself and its own worker hold (sessionStorage, bound to the
 *   port) and sends as a header.
 *
 * 1. The program prints `/?key=KEY`. The key works once, and only for the user who runs the program
 * where the system can tell (Linux). A browser that the program opens itself gets a file that
 * redirects, because every user of the machine can read arguments.
 * 2. `GET /?key=KEY` sets the cookie and responds 303 to `/#enter=LOGIN_KEY`: the key is gone from
 * the address bar, and a fragment is never sent to a server. The page removes the login key from
 * the address before anything else runs.
 * 3. `POST /ipc/enter` with the cookie, the exact Origin and the login key returns the page secret.
 * The login key is used up by the first call that carries the secret; until then a page that was
 * reloaded in between may ask again.
 * 4. After a reload the page still has the cookie and the secret. Another tab of the same origin
 * gets the secret from an open one (BroadcastChannel, bound to the port like the storage). If none
 * is open, or a used key is opened again, the program prints a fresh address in its terminal:
 * whoever sees the terminal may come in.
 * 5. `POST /ipc/leave` with cookie and secret ends all of this browser's pages, and what they read.
 */
export const PAGE_LOAD_HEADER = 'x-bridge-inspector-load'

/** The port is in the name: two runs side by side would otherwise overwrite each other's cookie. */
export function getCookieName(port: number): string {
  return `bridge-inspector-${port}`
}

/** Browsers (or browser profiles) with access at once; the earliest admission is dropped. */
const MAX_ADMISSIONS = 16

interface Admission {
  readonly cookie: string
  readonly secret: string
  loginKey: string | null
}

export interface BrowserSession {
  /** The printed address contains this key. */
  readonly key: string
  /** Admits a browser if the key is right and unused. A cookie that the browser has stays. */
  redeemKey(key: string, cookies: string | undefined): { readonly cookie: string; readonly loginKey: string } | null
  /** Returns true for used keys and for the current unused key. */
  isKey(key: string): boolean
  /** A used key proves that its holder could read the terminal. */
  isUsedKey(key: string): boolean
  /** Makes a new key; an earlier unused key becomes invalid. */
  renewKey(): string
  hasCookie(cookies: string | undefined): boolean
  /** Returns null if the cookie and the login key do not belong together. */
  getPageSecret(cookies: string | undefined, loginKey: unknown): string | null
  /** True if the secret belongs to the cookie. The first call with it uses up the login key. */
  isKnownPage(cookies: string | undefined, secret: unknown): boolean
  getPageSecrets(cookies: string | undefined): string[]
  /** Ends every admission of this browser; those of others stay. */
  endBrowser(cookies: string | undefined): void
}

export function createBrowserSession(port: number): BrowserSession {
  const cookieName = getCookieName(port)
  const firstKey = createToken()
  let unusedKey: string | null = firstKey
  const usedKeys: string[] = []
  const admissions: Admission[] = []
  const findOwnCookie = (cookies: string | undefined): string | undefined =>
    parseCookies(cookies, cookieName).find((value) => admissions.some(({ cookie }) => isSameSecret(value, cookie)))
  /** Admissions of other cookies are not searched. */
  const findAdmission = (
    cookies: string | undefined,
    matches: (entry: Admission) => boolean,
  ): Admission | undefined => {
    const cookie = findOwnCookie(cookies)
    return cookie === undefined
      ? undefined
      : admissions.find((entry) => isSameSecret(entry.cookie, cookie) && matches(entry))
  }
  return {
    key: firstKey,
    redeemKey(key, cookies) {
      if (unusedKey === null || !isSameSecret(key, unusedKey)) return null
      usedKeys.push(unusedKey)
      unusedKey = null
      const loginKey = createToken()
      const admission = { cookie: findOwnCookie(cookies) ?? createToken(), secret: createToken(), loginKey }
      admissions.push(admission)
      if (admissions.length > MAX_ADMISSIONS) admissions.shift()
      return { cookie: admission.cookie, loginKey }
    },
    isKey: (key) =>
      [...usedKeys, ...(unusedKey === null ? [] : [unusedKey])].some((candidate) => isSameSecret(key, candidate)),
    isUsedKey: (key) => usedKeys.some((candidate) => isSameSecret(key, candidate)),
    renewKey: () => (unusedKey = createToken()),
    hasCookie: (cookies) => findOwnCookie(cookies) !== undefined,
    getPageSecret(cookies, loginKey) {
      if (typeof loginKey !== 'string') return null
      return (
        findAdmission(cookies, ({ loginKey: expected }) => expected !== null && isSameSecret(loginKey, expected))
          ?.secret ?? null
      )
    },
    isKnownPage(cookies, pageSecret) {
      if (typeof pageSecret !== 'string') return false
      const admission = findAdmission(cookies, ({ secret }) => isSameSecret(pageSecret, secret))
      if (admission) admission.loginKey = null
      return admission !== undefined
    },
    getPageSecrets(cookies) {
      const cookie = findOwnCookie(cookies)
      return cookie === undefined
        ? []
        : admissions.filter((entry) => isSameSecret(entry.cookie, cookie)).map(({ secret }) => secret)
    },
    endBrowser(cookies) {
      const cookie = findOwnCookie(cookies)
      if (cookie === undefined) return
      const others = admissions.filter((entry) => !isSameSecret(entry.cookie, cookie))
      admissions.splice(0, admissions.length, ...others)
    },
  }
}

const createToken = (): string => randomBytes(24).toString('base64url')

/** Compares digests in constant time, so that neither content nor length leaks. */
function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}

/** Every value of our cookie, because another server's cookie of the same name may be sent too. */
function parseCookies(header: string | undefined, cookieName: string): string[] {
  return (header ?? '').split(';').flatMap((part) => {
    const [name, ...value] = part.trim().split('=')
    return name === cookieName ? [value.join('=')] : []
  })
}
