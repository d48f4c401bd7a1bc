import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Door } from '../handlers/door.ts'
import { refuseOrigin, type Refusal } from './guard.ts'
import { answer, answerJson } from './headers.ts'
import { serveCall, serveCancel, serveEvents } from './ipc.ts'
import { COOKIE, LOAD_HEADER, SECRET_HEADER, type Session } from './session.ts'
import type { Assets } from './static.ts'

export interface RouteContext {
  readonly door: Door
  readonly session: Session
  readonly assets: Assets
}

/** What a request must bring: `key` the one-time key, `cookie` the session, `page` cookie, own Origin and the page's secret. */
export type Rule = 'key' | 'cookie' | 'cookie+origin' | 'page'

export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly rule: Rule
  readonly serve: (
    context: RouteContext,
    request: IncomingMessage,
    response: ServerResponse,
    caller: string,
  ) => void | Promise<void>
}

/** Every route with its rule. What is not in this table, and is no file of the page, is refused. */
export const routes: readonly Route[] = [
  { method: 'POST', path: '/ipc/enter', rule: 'cookie+origin', serve: enter },
  { method: 'POST', path: '/ipc/call', rule: 'page', serve: (c, q, s, caller) => serveCall(c.door, caller, q, s) },
  { method: 'POST', path: '/ipc/cancel', rule: 'page', serve: (c, q, s, caller) => serveCancel(c.door, caller, q, s) },
  { method: 'GET', path: '/ipc/events', rule: 'page', serve: (c, q, s, caller) => serveEvents(c.door, caller, q, s) },
]

/** Finds the route, checks its rule, and serves it. Host was checked before. */
export async function serveRoute(
  context: RouteContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://local')
  const key = url.searchParams.get('key')
  if (request.method === 'GET' && url.pathname === '/' && key !== null) return redeem(context, response, key)
  const route = routes.find((one) => one.path === url.pathname)
  if (!route) return serveFile(context, request, response, url.pathname)
  const refusal = route.method === request.method ? refuse(route.rule, context.session, request) : methodRefusal
  if (refusal) return refuseWith(response, refusal)
  const load = String(request.headers[LOAD_HEADER] ?? '').slice(0, 64)
  await route.serve(context, request, response, `${String(request.headers[SECRET_HEADER] ?? '')}/${load}`)
}

const methodRefusal: Refusal = { status: 405, reason: 'This route does not take this method.' }
const noSession: Refusal = {
  status: 401,
  reason: 'No session. Start Bridge Inspector again and use the address it prints.',
}

function refuse(rule: Rule, session: Session, request: IncomingMessage): Refusal | null {
  if (!session.hasCookie(request.headers.cookie)) return noSession
  if (rule === 'cookie') return null
  const origin = refuseOrigin(request)
  if (origin || rule === 'cookie+origin') return origin
  return session.knowsPage(request.headers[SECRET_HEADER]) ? null : noSession
}

function refuseWith(response: ServerResponse, { status, reason }: Refusal): void {
  answer(response, status, 'text/plain; charset=utf-8', reason)
}

function redeem(context: RouteContext, response: ServerResponse, key: string): void {
  const cookie = context.session.redeem(key)
  if (cookie === null) {
    return refuseWith(response, {
      status: 403,
      reason:
        'This address was used already or is not of this run. Start Bridge Inspector again and use the new address.',
    })
  }
  response.setHeader('Set-Cookie', `${COOKIE}=${cookie}; HttpOnly; SameSite=Strict; Path=/`)
  response.setHeader('Location', '/')
  answer(response, 303, 'text/plain; charset=utf-8', '')
}

function enter(context: RouteContext, _request: IncomingMessage, response: ServerResponse): void {
  answerJson(response, 200, { secret: context.session.enter() })
}

/** Files of the page hold nothing secret, but only a session gets them: a stranger learns not even which version runs. */
async function serveFile(
  context: RouteContext,
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
): Promise<void> {
  if (request.method !== 'GET') return refuseWith(response, methodRefusal)
  if (!context.session.hasCookie(request.headers.cookie)) return refuseWith(response, noSession)
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return refuseWith(response, { status: 403, reason: 'This page cannot be opened from another site.' })
  }
  let path: string
  try {
    path = decodeURIComponent(pathname)
  } catch {
    return refuseWith(response, { status: 404, reason: 'There is no such page.' })
  }
  await context.assets(request, response, path)
}
