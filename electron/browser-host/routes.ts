import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LISTING_PATH, PAGE_ID_HEADER, LISTING_MEDIA_TYPE } from '../../shared/ipc/listing.ts'
import { isObject } from '../../shared/json/object.ts'
import type { ContentReader, IpcDispatcher } from '../handlers/app-ports.ts'
import { checkElementRequest, checkOrigin } from './request-checks.ts'
import { respond, respondJson, type AssetServer } from './responses.ts'
import { readJsonBody, serveCall, serveCancel, serveEvents, withJsonBody } from './ipc.ts'
import { sendRedirectPage, refusals, sendRefusal, type Refusal } from './refusals.ts'
import { getCookieName, PAGE_LOAD_HEADER, type BrowserSession } from './browser-session.ts'
import { pipeline } from 'node:stream'
import { streamListingBytes } from '../handlers/listing-reader.ts'
import { NodeAbortController } from '../core/node-abort.ts'

/** One response with every page of a listing, at the reader's pace until it disconnects. */
async function serveListing(
  dispatcher: IpcDispatcher,
  caller: string,
  response: ServerResponse,
  input: unknown,
): Promise<void> {
  if (response.destroyed) return
  const abort = new NodeAbortController()
  response.once('close', () => abort.abort())
  response.writeHead(200, { 'Content-Type': LISTING_MEDIA_TYPE })
  response.flushHeaders()
  for await (const piece of streamListingBytes(dispatcher, caller, input, abort.signal)) {
    if (response.destroyed) return
    if (!response.write(piece)) await waitForDrain(response)
  }
  response.end()
}

const waitForDrain = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const onDone = (): void => {
      response.off('drain', onDone)
      response.off('close', onDone)
      resolve()
    }
    response.on('drain', onDone)
    response.on('close', onDone)
  })

/** Sends the bytes of opened content to an element; the read ends when it closes the connection. */
async function serveContent(
  readContent: ContentReader,
  canUse: (caller: string) => boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://local')
  const handle = /^\/content\/([\w-]{1,100})$/.exec(url.pathname)?.[1]
  if (handle === undefined) return sendRefusal(request, response, refusals.missing)
  const abort = new NodeAbortController()
  response.once('close', () => abort.abort())
  const { status, headers, body } = await readContent({
    method: request.method ?? 'GET',
    handle,
    range: request.headers.range ?? null,
    ifRange: request.headers['if-range']?.toString() ?? null,
    isDownload: url.searchParams.get('download') === '1',
    isForImage: request.headers['sec-fetch-dest'] === 'image',
    canTakePieces: true,
    canUse,
    signal: abort.signal,
  })
  if (response.destroyed) return void body?.destroy()
  response.writeHead(status, headers)
  if (body === null) return void response.end()
  // Without its head, a response that breaks off at once would be requested again by the browser.
  response.flushHeaders()
  // A body that fails ends the connection, so that a short response does not look complete.
  pipeline(body, response, () => undefined)
}

interface RouteContext {
  readonly dispatcher: IpcDispatcher
  readonly contentReader: ContentReader
  readonly session: BrowserSession
  readonly serveAsset: AssetServer
  readonly port: number
  /** Returns false if there is no terminal to print the new address on. */
  readonly renewLink: () => boolean
  readonly canUseKey: (request: IncomingMessage) => boolean
  /** The responses that are being sent, event streams included. */
  readonly openResponses: ReadonlySet<ServerResponse>
  readonly onAdmission?: () => void
}

/**
 * Names what a request must bring. `browser`: the cookie and our own Origin. `page`: the page's
 * secret as well. `element`: the cookie and the fetch metadata of an element of our page, which
 * cannot send anything else.
 */
type RouteRule = 'browser' | 'page' | 'element'

interface PageRoute {
  readonly method: 'GET' | 'POST'
  /** The path is matched exactly, or as a prefix if it ends with a slash. */
  readonly path: string
  readonly rule: RouteRule
  readonly serve: Serve
}

type Serve = (
  context: RouteContext,
  request: IncomingMessage,
  response: ServerResponse,
  caller: string,
) => void | Promise<void>

const serveJson =
  (
    serve: (
      dispatcher: IpcDispatcher,
      caller: string,
      response: ServerResponse,
      value: unknown,
    ) => void | Promise<void>,
  ): Serve =>
  ({ dispatcher }, request, response, caller) =>
    withJsonBody(request, response, (value) => serve(dispatcher, caller, response, value))

/** Any other request that does not name a file of the page is refused. */
export const pageRoutes: readonly PageRoute[] = [
  { method: 'POST', path: '/ipc/enter', rule: 'browser', serve: enter },
  { method: 'POST', path: '/ipc/leave', rule: 'page', serve: leave },
  { method: 'POST', path: '/ipc/call', rule: 'page', serve: serveJson(serveCall) },
  {
    method: 'POST',
    path: LISTING_PATH,
    rule: 'page',
    serve: serveJson(serveListing),
  },
  { method: 'POST', path: '/ipc/cancel', rule: 'page', serve: serveJson(serveCancel) },
  {
    method: 'GET',
    path: '/ipc/events',
    rule: 'page',
    serve: ({ dispatcher }, _request, response, caller) => serveEvents(dispatcher, caller, response),
  },
  {
    method: 'GET',
    path: '/content/',
    rule: 'element',
    serve: (context, request, response) =>
      serveContent(context.contentReader, createCallerCheck(context, request), request, response),
  },
]

/** Finds the route, checks its rule and serves it. The Host header has already been checked. */
export async function serveRoute(
  context: RouteContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://local')
  const key = url.searchParams.get('key')
  if (request.method === 'GET' && url.pathname === '/' && key !== null) return redeem(context, request, response, key)
  const route = pageRoutes.find(({ path }) =>
    path.endsWith('/') ? url.pathname.startsWith(path) : path === url.pathname,
  )
  if (!route) return serveFile(context, request, response, url.pathname)
  const method = request.method === 'HEAD' && route.rule === 'element' ? 'GET' : request.method
  const refusal = route.method === method ? findBrokenRule(route.rule, context.session, request) : refusals.method
  if (refusal === refusals.method) response.setHeader('Allow', route.rule === 'element' ? 'GET, HEAD' : route.method)
  if (refusal) return sendRefusal(request, response, refusal)
  await route.serve(context, request, response, getCaller(request))
}

/** Returns null if the request satisfies the rule. */
function findBrokenRule(rule: RouteRule, session: BrowserSession, request: IncomingMessage): Refusal | null {
  const { cookie } = request.headers
  if (!session.hasCookie(cookie)) return refusals.session
  if (rule === 'element') return checkElementRequest(request)
  if (checkOrigin(request)) return refusals.origin
  if (rule === 'browser') return null
  return session.isKnownPage(cookie, request.headers[PAGE_ID_HEADER]) ? null : refusals.session
}

/** Names the caller of a request: one load of a page, identified by the page's secret. */
function getCaller(request: IncomingMessage): string {
  const load = /^[\w-]{1,64}$/.exec(String(request.headers[PAGE_LOAD_HEADER]))?.[0] ?? ''
  return `${createPageName(String(request.headers[PAGE_ID_HEADER]))}/${load}`
}

/** Names a page by a digest of its secret, because the name may be logged. */
const createPageName = (secret: string): string =>
  `browser/${createHash('sha256').update(secret).digest('base64url').slice(0, 16)}`

/** An element sends no secret, so the caller may be any page of the same browser. */
function createCallerCheck({ session }: RouteContext, request: IncomingMessage): (caller: string) => boolean {
  const pages = session.getPageSecrets(request.headers.cookie).map((secret) => `${createPageName(secret)}/`)
  return (caller) => pages.some((page) => caller.startsWith(page))
}

function redeem(context: RouteContext, request: IncomingMessage, response: ServerResponse, key: string): void {
  const { session, port, renewLink } = context
  // First of all, lest another user who learned the key use it up or have a new one printed.
  if (session.isKey(key) && !context.canUseKey(request)) return sendRefusal(request, response, refusals.user)
  const admitted = session.redeemKey(key, request.headers.cookie)
  if (admitted === null) {
    return sendRefusal(
      request,
      response,
      session.isUsedKey(key) && renewLink() ? refusals.keyUsed : refusals.keyUnknown,
    )
  }
  context.onAdmission?.()
  response.setHeader('Set-Cookie', `${getCookieName(port)}=${admitted.cookie}; HttpOnly; SameSite=Strict; Path=/`)
  const path = `/#enter=${admitted.loginKey}`
  if (isCrossSite(request)) return sendRedirectPage(response, path)
  response.setHeader('Location', path)
  respond(response, 303, 'text/plain; charset=utf-8', '')
}

async function enter(context: RouteContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readJsonBody(request, response)
  const loginKey = body.ok && isObject(body.value) ? body.value['ticket'] : undefined
  const secret = context.session.getPageSecret(request.headers.cookie, loginKey)
  if (secret !== null) return respondJson(response, 200, { secret })
  sendRefusal(request, response, context.renewLink() ? refusals.ticket : refusals.session)
}

/** Logs this browser out, with all its pages. The program prints a new address. */
function leave(context: RouteContext, request: IncomingMessage, response: ServerResponse): void {
  const { session, port, openResponses, renewLink } = context
  session.endBrowser(request.headers.cookie)
  response.setHeader('Set-Cookie', `${getCookieName(port)}=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/`)
  respondJson(response, 200, {})
  for (const other of openResponses)
    if (other !== response && !session.hasCookie(other.req.headers.cookie)) other.destroy()
  renewLink()
}

/** The files hold no secret, but without a session nobody should learn which version is running. */
async function serveFile(
  context: RouteContext,
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
): Promise<void> {
  if (request.method !== 'GET') {
    response.setHeader('Allow', 'GET')
    return sendRefusal(request, response, refusals.method)
  }
  if (!context.session.hasCookie(request.headers.cookie)) return sendRefusal(request, response, refusals.session)
  if (isCrossSite(request)) return sendRefusal(request, response, refusals.site)
  let path: string
  try {
    path = decodeURIComponent(pathname)
  } catch {
    return sendRefusal(request, response, refusals.missing)
  }
  await context.serveAsset(request, response, path)
}

/** `Sec-Fetch-Site: none` is an address that the user typed or opened from another program. */
function isCrossSite(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}
