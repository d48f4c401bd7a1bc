import type { WireError } from '../../shared/errors.ts'

/**
 * Gets the page's secret; `electron/browser-host/browser-session.ts` describes the handshake. The
 * secret is in sessionStorage, so that it survives a reload. A tab opened by hand requests it from
 * other tabs of this origin.
 */
const LOGIN_KEY = 'bridge-inspector.ticket'
const PAGE_SECRET_KEY = 'bridge-inspector.page-secret'
/** Other tabs reply within milliseconds; a suspended one does not reply at all. */
const SIBLING_TIMEOUT_MS = 400

/** Thrown when the service process refuses this page. */
export class LoginRefusedError extends Error {
  readonly error: WireError

  constructor(error: WireError) {
    super(error.message)
    this.error = error
  }
}

type SiblingMessage = { readonly ask: true } | { readonly left: true } | { readonly secret: string }

const channel = new BroadcastChannel('bridge-inspector')
const rejectedSecrets = new Set<string>()
const waitingForSecret = new Set<(secret: string) => void>()
let secret: string | null = null
let loggingIn: Promise<string> | null = null
let refusal: WireError | null = null

takeTicket()
secret = sessionStorage.getItem(PAGE_SECRET_KEY)
channel.addEventListener('message', ({ data }: MessageEvent<SiblingMessage>) => {
  if ('ask' in data) {
    if (secret !== null) broadcast({ secret })
  } else if ('left' in data) {
    forgetLogin()
    location.reload()
  } else if (secret === null && !rejectedSecrets.has(data.secret)) adoptSecret(data.secret)
})

/** Returns the secret; null if it is unknown or the page was refused. */
export function getKnownSecret(): string | null {
  return refusal === null ? secret : null
}

/** Logs in if necessary. @throws LoginRefusedError, or as `fetch` without the service */
export async function acquirePageSecret(): Promise<string> {
  if (refusal) throw new LoginRefusedError(refusal)
  if (secret !== null) return secret
  loggingIn ??= logIn().finally(() => {
    loggingIn = null
  })
  return loggingIn
}

/** Forgets a secret that the service process rejected because it is from an earlier run. */
export function discardSecret(refused: string): void {
  rejectedSecrets.add(refused)
  if (secret !== refused) return
  secret = null
  sessionStorage.removeItem(PAGE_SECRET_KEY)
}

/** Must be called once the session of this browser has ended. All its tabs then say so. */
export function endLogin(): void {
  forgetLogin()
  broadcast({ left: true })
}

function forgetLogin(): void {
  if (secret !== null) discardSecret(secret)
  sessionStorage.removeItem(LOGIN_KEY)
  refusal = sessionEndedError
}

/** Resolves when this page has a secret, even if a different tab sends the secret later. */
export function waitForLogin(): Promise<unknown> {
  return secret === null ? new Promise((resolve) => waitingForSecret.add(resolve)) : Promise.resolve()
}

/** Also drops a secret of an earlier run. Runs before all other code of the page. */
function takeTicket(): void {
  const ticket = /^#enter=([\w-]+)$/.exec(location.hash)?.[1]
  if (ticket === undefined) return
  sessionStorage.setItem(LOGIN_KEY, ticket)
  sessionStorage.removeItem(PAGE_SECRET_KEY)
  history.replaceState(history.state, '', location.pathname)
}

async function logIn(): Promise<string> {
  const ticket = sessionStorage.getItem(LOGIN_KEY)
  if (ticket !== null) {
    const response = await postLogin({ ticket })
    if (response.ok) {
      const { secret: newSecret } = (await response.json()) as { secret: string }
      broadcast({ secret: newSecret })
      return adoptSecret(newSecret)
    }
    sessionStorage.removeItem(LOGIN_KEY)
  }
  const siblingSecret = await askSiblings()
  if (siblingSecret !== null) return siblingSecret
  // Without a ticket, the program prints a new address on its console if it knows this browser.
  const { status } = await postLogin({})
  refusal = status === 403 ? tabUnknownError : sessionEndedError
  throw new LoginRefusedError(refusal)
}

const postLogin = (body: { ticket?: string }): Promise<Response> =>
  fetch('/ipc/enter', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

function askSiblings(): Promise<string | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(null), SIBLING_TIMEOUT_MS)
    const finish = (received: string | null): void => {
      clearTimeout(timer)
      waitingForSecret.delete(finish)
      resolve(received)
    }
    waitingForSecret.add(finish)
    broadcast({ ask: true })
  })
}

function adoptSecret(newSecret: string): string {
  secret = newSecret
  refusal = null
  sessionStorage.setItem(PAGE_SECRET_KEY, newSecret)
  sessionStorage.removeItem(LOGIN_KEY)
  for (const resolve of [...waitingForSecret]) resolve(newSecret)
  waitingForSecret.clear()
  return newSecret
}

const broadcast = (message: SiblingMessage): void => channel.postMessage(message)

const sessionEndedError: WireError = {
  kind: 'refused',
  code: 'SESSION_ENDED',
  message:
    'This browser was logged out, or this page belongs to an earlier run. Open the latest address in the terminal.',
  retryable: false,
}

const tabUnknownError: WireError = {
  kind: 'refused',
  code: 'TAB_UNKNOWN',
  message: 'This tab is not let in yet. Open the new address that Bridge Inspector just printed in its terminal.',
  retryable: false,
}
