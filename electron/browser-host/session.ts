import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Who may speak to the browser host. A page needs two things, and neither leads to the other:
 *
 * - a cookie, HttpOnly and SameSite=Strict, which no script can read. Cookies ignore ports: every other server of this machine
 *   that the browser visits is sent it, and can then ask us with any header it likes. So the cookie alone opens nothing but files.
 * - a page secret, which only the page itself holds (sessionStorage, bound to the port) and sends as a header.
 *
 * 1. The program prints `/?key=KEY`. The key works once, and where the system tells (Linux) for the user who runs it alone. A
 *    browser that the program opens itself is given a file that leads on: arguments can be read by every user of the machine.
 * 2. `GET /?key=KEY` sets the cookie and answers 303 to `/#enter=TICKET`: the key has left the address bar, and a fragment is sent
 *    to no server. The page takes the ticket out of the address before anything else runs.
 * 3. `POST /ipc/enter` with cookie, exact Origin and ticket answers the page secret. The ticket is spent with the first call that
 *    carries the secret; until then a page that was reloaded in between may ask again.
 * 4. A reload has cookie and secret still. Another tab of the same origin is given the secret by an open one (BroadcastChannel,
 *    bound to the port like the storage). When none is open, or when a spent key is opened again, the program prints a fresh
 *    address in its terminal: who sees the terminal may come in.
 */
export const SECRET_HEADER = 'x-bridge-inspector-page'
export const LOAD_HEADER = 'x-bridge-inspector-load'

/** With the port in its name: two runs side by side would otherwise overwrite each other's cookie. */
export const cookieName = (port: number): string => `bridge-inspector-${port}`

/** Browsers (or profiles of one) that may be let in at once; the first goes when there are more. */
const MAX_ADMISSIONS = 16

interface Admission {
  readonly cookie: string
  readonly secret: string
  ticket: string | null
}

export interface Session {
  /** The key for the address that is printed. */
  readonly key: string
  /** Lets a browser in when the key is right and unused; keeps the cookie that it has already. */
  redeem(key: string, cookies: string | undefined): { readonly cookie: string; readonly ticket: string } | null
  /** Whether this is a key of this run, used or not. */
  isKey(given: string): boolean
  /** Whether this is a key of this run that was used: its holder once saw the terminal. */
  wasUsed(key: string): boolean
  /** A new key; an earlier one that was not used dies. */
  renew(): string
  hasCookie(cookies: string | undefined): boolean
  /** The page secret for cookie and ticket. */
  enter(cookies: string | undefined, ticket: unknown): string | null
  knowsPage(cookies: string | undefined, secret: unknown): boolean
  /** Secrets of the pages that this browser was let in for. */
  secretsOf(cookies: string | undefined): string[]
}

export function createSession(port: number): Session {
  const name = cookieName(port)
  const first = token()
  let open: string | null = first
  const used: string[] = []
  const admissions: Admission[] = []
  const ownCookie = (cookies: string | undefined): string | undefined =>
    cookiesOf(cookies, name).find((value) => admissions.some(({ cookie }) => same(value, cookie)))
  /** Of the admissions that the cookie belongs to. */
  const admission = (cookies: string | undefined, fits: (one: Admission) => boolean): Admission | undefined => {
    const cookie = ownCookie(cookies)
    return cookie === undefined ? undefined : admissions.find((one) => same(one.cookie, cookie) && fits(one))
  }
  return {
    key: first,
    redeem(given, cookies) {
      if (open === null || !same(given, open)) return null
      used.push(open)
      open = null
      const ticket = token()
      const admitted = { cookie: ownCookie(cookies) ?? token(), secret: token(), ticket }
      admissions.push(admitted)
      if (admissions.length > MAX_ADMISSIONS) admissions.shift()
      return { cookie: admitted.cookie, ticket }
    },
    isKey: (given) => [...used, ...(open === null ? [] : [open])].some((key) => same(given, key)),
    wasUsed: (given) => used.some((key) => same(given, key)),
    renew: () => (open = token()),
    hasCookie: (cookies) => ownCookie(cookies) !== undefined,
    enter(cookies, given) {
      if (typeof given !== 'string') return null
      return admission(cookies, ({ ticket }) => ticket !== null && same(given, ticket))?.secret ?? null
    },
    knowsPage(cookies, given) {
      if (typeof given !== 'string') return false
      const known = admission(cookies, ({ secret }) => same(given, secret))
      if (known) known.ticket = null
      return known !== undefined
    },
    secretsOf(cookies) {
      const cookie = ownCookie(cookies)
      return cookie === undefined
        ? []
        : admissions.filter((one) => same(one.cookie, cookie)).map(({ secret }) => secret)
    },
  }
}

const token = (): string => randomBytes(24).toString('base64url')

/** In constant time, over digests, so that neither content nor length shows. */
function same(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}

/** Every value of our cookie: a foreign one of the same name may stand beside it. */
function cookiesOf(header: string | undefined, own: string): string[] {
  return (header ?? '').split(';').flatMap((part) => {
    const [name, ...value] = part.trim().split('=')
    return name === own ? [value.join('=')] : []
  })
}
