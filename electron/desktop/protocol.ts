import type { CustomScheme, Protocol } from 'electron'
import { APP_HOST, APP_SCHEME, RECOVERY_PATH } from './origin.ts'
import { pageHeaders } from './policy.ts'

/**
 * What the scheme may do. Never `corsEnabled` (any origin of the session could then read it), `bypassCSP` or
 * `allowServiceWorkers` (one would outlive the page it came with).
 */
export const appScheme: CustomScheme = {
  scheme: APP_SCHEME,
  privileges: { standard: true, secure: true, supportFetchAPI: true },
}

/** Where the page's files come from: a folder, or a development server. Null = there is no such file. */
export type PageSource = (
  pathname: string,
  search: string,
) => Promise<{ type: string; body: Uint8Array | string } | null>

export interface PageOptions {
  readonly source: PageSource
  /** The page for when the page keeps crashing, in the language of the moment. */
  readonly recovery: () => string
  /** Address of the development server's socket, if there is one. */
  readonly connect?: string
}

/** Answers a request to the app's scheme; every answer, a refusal too, carries the policy. */
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

/** Takes over the app's scheme. Once the app is ready. */
export function servePage(protocol: Protocol, options: PageOptions): void {
  protocol.handle(APP_SCHEME, (request) => answerPage(request, options))
}
