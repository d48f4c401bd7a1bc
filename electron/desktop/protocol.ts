import type { CustomScheme, Protocol } from 'electron'
import { asksForListing } from './listing.ts'
import { APP_HOST, APP_SCHEME, RECOVERY_PATH } from './origin.ts'
import { pageHeaders } from './policy.ts'

/**
 * The privileges of the app's scheme; with `codeCache` its scripts are compiled once, not at each start. Never add `corsEnabled` (any origin in the session could then read it), `bypassCSP`, or
 * `allowServiceWorkers` (a worker would outlive the page it came with).
 */
export const appScheme: CustomScheme = {
  scheme: APP_SCHEME,
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
}

/** Where the page's files come from: a folder or a development server. Returns null if there is no such file. */
export type PageSource = (
  pathname: string,
  search: string,
) => Promise<{ type: string; body: Uint8Array | string } | null>

interface PageOptions {
  readonly source: PageSource
  /** The page to show when the page keeps crashing, in the current language. */
  readonly recovery: () => string
  /** Address of the development server's socket, if there is one. */
  readonly connect?: string
}

/** Serves a request to the app's scheme. Every response carries the policy, refusals included. */
export async function answerPage(request: { method: string; url: string }, options: PageOptions): Promise<Response> {
  const answer = (status: number, type: string, body: Uint8Array | string): Response =>
    new Response(body, { status, headers: pageHeaders(type, options.connect) })
  const plain = 'text/plain; charset=utf-8'
  if (request.method !== 'GET') {
    const refused = answer(405, plain, 'Only GET.')
    refused.headers.set('allow', 'GET')
    return refused
  }
  const url = new URL(request.url)
  const pathname = decoded(url.pathname)
  if (url.host !== APP_HOST || pathname === null) return answer(404, plain, 'There is no such page.')
  if (pathname === RECOVERY_PATH) return answer(200, 'text/html; charset=utf-8', options.recovery())
  const file = await options.source(pathname, url.search)
  return file ? answer(200, file.type, file.body) : answer(404, plain, 'There is no such page.')
}

function decoded(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return null
  }
}

/** Registers the handler of the app's scheme; `listing` serves the listings that the page's worker reads. Call once the app is ready. */
export function servePage(
  protocol: Protocol,
  options: PageOptions,
  listing: (request: Request) => Promise<Response>,
): void {
  protocol.handle(APP_SCHEME, (request) => (asksForListing(request) ? listing(request) : answerPage(request, options)))
}
