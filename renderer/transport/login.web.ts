import type { WireError } from '../../shared/errors.ts'

/**
 * How this page gets its secret; electron/browser-host/browser-session.ts describes the whole handshake. The secret is in sessionStorage, so that a
 * reload keeps it. A tab opened by hand asks this origin's other tabs for it.
 */
const LOGIN_KEY = 'bridge-inspector.ticket'
const PAGE_SECRET_KEY = 'bridge-inspector.page-secret'
/** Other tabs reply within a few ms; one the browser has put to sleep doesn't reply at all. */
const SIBLING_TIMEOUT_MS = 400

/** The service process doesn't let this page in. */
export class LoginRefusedError extends Error {
  readonly error: WireError

  constructor(error: WireError) {
    super(error.message)
    this.error = error
  }
}

type SiblingMessage = { readonly ask: true } | { readonly secret: string }

const channel = new BroadcastChannel('bridge-inspector')
/** Secrets the service process rejected. */
const stale = new Set<string>()
const waiting = new Set<(secret: string) => void>()
let secret: string | null = null
let entering: Promise<string> | null = null
let shut: WireError | null = null

takeTicket()
secret = sessionStorage.getItem(PAGE_SECRET_KEY)
channel.addEventListener('message', ({ data }: MessageEvent<SiblingMessage>) => {
  if ('ask' in data) {
    if (secret !== null) tell({ secret })
  } else if (secret === null && !stale.has(data.secret)) adopt(data.secret)
})

/** The page's secret, if it has one and is let in. */
export const getKnownSecret = (): string | null => (shut === null ? secret : null)

/** The page's secret. Throws `NotLetIn`, or whatever `fetch` throws when the service process doesn't respond. */
export async function acquirePageSecret(): Promise<string> {
  if (shut) throw new LoginRefusedError(shut)
  if (secret !== null) return secret
  entering ??= enter().finally(() => {
    entering = null
  })
  return entering
}

/** The service process rejected this secret: it belongs to an earlier run. */
export function discardSecret(refused: string): void {
  stale.add(refused)
  if (secret !== refused) return
  secret = null
  sessionStorage.removeItem(PAGE_SECRET_KEY)
}

/** Resolves when this page has a secret, even if another tab brings it later. */
export function waitForLogin(): Promise<unknown> {
  return secret === null ? new Promise((resolve) => waiting.add(resolve)) : Promise.resolve()
}

/** Runs before anything else: removes the ticket from the address, and drops a secret from an earlier run. */
function takeTicket(): void {
  const ticket = /^#enter=([\w-]+)$/.exec(location.hash)?.[1]
  if (ticket === undefined) return
  sessionStorage.setItem(LOGIN_KEY, ticket)
  sessionStorage.removeItem(PAGE_SECRET_KEY)
  history.replaceState(history.state, '', location.pathname)
}

async function enter(): Promise<string> {
  const ticket = sessionStorage.getItem(LOGIN_KEY)
  if (ticket !== null) {
    const response = await ask({ ticket })
    if (response.ok) {
      const { secret: own } = (await response.json()) as { secret: string }
      tell({ secret: own })
      return adopt(own)
    }
    sessionStorage.removeItem(LOGIN_KEY)
  }
  const shared = await fromSiblings()
  if (shared !== null) return shared
  // Without a ticket this only makes the program print a fresh address, if it knows this browser.
  const { status } = await ask({})
  shut = status === 403 ? tabUnknown : sessionEnded
  throw new LoginRefusedError(shut)
}

const ask = (body: { ticket?: string }): Promise<Response> =>
  fetch('/ipc/enter', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

function fromSiblings(): Promise<string | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => done(null), SIBLING_TIMEOUT_MS)
    const done = (found: string | null): void => {
      clearTimeout(timer)
      waiting.delete(done)
      resolve(found)
    }
    waiting.add(done)
    tell({ ask: true })
  })
}

function adopt(found: string): string {
  secret = found
  shut = null
  sessionStorage.setItem(PAGE_SECRET_KEY, found)
  sessionStorage.removeItem(LOGIN_KEY)
  for (const resolve of [...waiting]) resolve(found)
  waiting.clear()
  return found
}

const tell = (message: SiblingMessage): void => channel.postMessage(message)

const sessionEnded: WireError = {
  kind: 'refused',
  code: 'SESSION_ENDED',
  message: 'This page belongs to an earlier run. Start Bridge Inspector again and open the address it prints.',
  retryable: false,
}

const tabUnknown: WireError = {
  kind: 'refused',
  code: 'TAB_UNKNOWN',
  message: 'This tab is not let in yet. Open the new address that Bridge Inspector just printed in its terminal.',
  retryable: false,
}
