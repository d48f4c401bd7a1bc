import type { CustomScheme, Protocol } from 'electron'
import { isListingRequest } from './listing-protocol.ts'
import { APP_HOST, APP_SCHEME, RECOVERY_PATH, createPageHeaders } from './origin.ts'

/**
 * The address of the development server, or null. Never in a packaged app, and only on this machine: whatever comes from there runs as the
 * page.
 */
export function getDevServerUrl(packaged: boolean, env: Readonly<Record<string, string | undefined>>): URL | null {
  const text = env['ELECTRON_RENDERER_URL']
  if (packaged || text === undefined || !URL.canParse(text)) return null
  const url = new URL(text)
  const local = url.hostname === '127.0.0.1' || url.hostname === 'localhost'
  return url.protocol === 'http:' && local ? url : null
}

/** Fetches the page's files from a development server, so that the page keeps the app's own origin and policy in development too. */
export function createDevSource(server: URL): PageSource {
  return async (pathname, search) => {
    const response = await fetch(new URL(pathname + search, server), {
      headers: { accept: pathname === '/' ? 'text/html' : '*/*' },
      redirect: 'error',
    })
    if (!response.ok) return null
    const type = response.headers.get('content-type') ?? 'application/octet-stream'
    return { type, body: new Uint8Array(await response.arrayBuffer()) }
  }
}

/** The socket over which the development server announces changes. */
export const getDevSocketUrl = (server: URL): string => `ws://${server.host}`

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
export async function handlePageRequest(
  request: { method: string; url: string },
  options: PageOptions,
): Promise<Response> {
  const answer = (status: number, type: string, body: Uint8Array | string): Response =>
    new Response(body, { status, headers: createPageHeaders(type, options.connect) })
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
  protocol.handle(APP_SCHEME, (request) =>
    isListingRequest(request) ? listing(request) : handlePageRequest(request, options),
  )
}
