import type { CustomScheme, Protocol } from 'electron'
import { isListingRequest } from './listing-protocol.ts'
import { APP_HOST, APP_SCHEME, createPageHeaders } from './origin.ts'
import type { createRecoveryFile } from './page-recovery.ts'

/** Null in a packaged app. Must be on this machine, because its files run as the page. */
export function getDevServerUrl(isPackaged: boolean, env: Readonly<Record<string, string | undefined>>): URL | null {
  const text = env['ELECTRON_RENDERER_URL']
  if (isPackaged || text === undefined || !URL.canParse(text)) return null
  const url = new URL(text)
  const isLocal = url.hostname === '127.0.0.1' || url.hostname === 'localhost'
  return url.protocol === 'http:' && isLocal ? url : null
}

/** Fetches the page's files from a development server, under the app's own origin and policy. */
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

/** Returns the address of the socket over which the development server announces changes. */
export function getDevSocketUrl(server: URL): string {
  return `ws://${server.host}`
}

/**
 * Never add `corsEnabled` (any origin in the session could then read the files), `bypassCSP`, or
 * `allowServiceWorkers` (a worker would outlive the page that started it).
 */
export const appScheme: CustomScheme = {
  scheme: APP_SCHEME,
  privileges: { standard: true, secure: true, supportFetchAPI: true },
}

/** Reads a file of the page; null if there is no such file. */
export type PageSource = (
  pathname: string,
  search: string,
) => Promise<{ type: string; body: Uint8Array<ArrayBuffer> | string } | null>

interface PageOptions {
  readonly source: PageSource
  /** Creates a file of the recovery page; null if it has none at this path. */
  readonly recovery: (pathname: string) => ReturnType<typeof createRecoveryFile>
  /** Address of the development server's socket for the page; absent in a packaged app. */
  readonly connect?: string | undefined
  /** Returns the source of panels, which the page shows in a frame. */
  readonly getFrames?: () => string
}

/** Serves a request to the app's scheme. Every response carries the policy, refusals included. */
export async function handlePageRequest(
  request: { method: string; url: string },
  options: PageOptions,
): Promise<Response> {
  const createResponse = (status: number, type: string, body: Uint8Array<ArrayBuffer> | string): Response =>
    new Response(body, { status, headers: createPageHeaders(type, options.connect, options.getFrames?.()) })
  const plain = 'text/plain; charset=utf-8'
  if (request.method !== 'GET') {
    const response = createResponse(405, plain, 'Only GET.')
    response.headers.set('allow', 'GET')
    return response
  }
  const url = new URL(request.url)
  const pathname = decodePathname(url.pathname)
  if (url.host !== APP_HOST || pathname === null) return createResponse(404, plain, 'There is no such page.')
  const recovery = options.recovery(pathname)
  if (recovery) {
    const response = createResponse(200, recovery.type, recovery.body)
    response.headers.set('content-security-policy', recovery.csp)
    return response
  }
  const file = await options.source(pathname, url.search)
  return file ? createResponse(200, file.type, file.body) : createResponse(404, plain, 'There is no such page.')
}

function decodePathname(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return null
  }
}

/**
 * Registers the handler of the app's scheme. Must be called once the app is ready.
 *
 * @param listing responds to requests for listings, which the page's worker makes.
 */
export function servePage(
  protocol: Protocol,
  options: PageOptions,
  listing: (request: Request) => Promise<Response>,
): void {
  protocol.handle(APP_SCHEME, (request) =>
    isListingRequest(request) ? listing(request) : handlePageRequest(request, options),
  )
}
