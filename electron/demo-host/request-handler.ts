import type { IncomingMessage, ServerResponse } from 'node:http'
import { classifyRequest, lookUpByEndpoint, type KnownEndpoint } from '../../shared/bridge/endpoints/index.ts'
import type { DemoAuth } from './demo-auth.ts'
import type { DemoState, DemoRoute } from './state/context.ts'
import type { Dialect } from './dialects/index.ts'
import { computeDryRun } from './dry-runs.ts'
import { isFaultName, isFaultExempt, respondWithFault, applyReplyFault, type FaultName } from './faults.ts'
import { assertValidBody } from './state/check-body.ts'
import { assertValidParams, MAX_FILE_BYTES, parseBody, parseQuery, readBody } from './request-parser.ts'
import { DemoError, createJsonReply, type DemoReply } from './state/reply.ts'
import { demoRoutes } from './routes/index.ts'
import { createStatusReply } from './routes/state.ts'
import { sendReply, sendBytes } from './reply-sender.ts'

export const BRIDGE_PATH_PREFIX = '/bridge/v1'

/** With this header a request chooses its own fault, if the host allows that. */
const FAULT_HEADER = 'x-demo-fault'

/** One request as it was answered; `status` 0 means that it was broken off on purpose. */
export interface DemoLogEntry {
  readonly method: string
  /** With its query, as sent. */
  readonly path: string
  readonly endpoint: string | null
  readonly status: number
  /** JSON text of a write's body; null for reads and for long bodies. */
  readonly body: string | null
  /** The route did its work, whatever was answered then. */
  readonly isExecuted: boolean
}

interface HandlerOptions {
  readonly dialect: Dialect
  readonly state: DemoState
  readonly auth: DemoAuth
  /** The fault of a request to this endpoint, if any. */
  readonly fault: (endpointId: string) => FaultName | null
  readonly latencyMs: () => number
  readonly allowFaultHeader: boolean
  readonly restart: () => void
  readonly record: (entry: DemoLogEntry) => void
}

interface RoutedRequest {
  readonly endpoint: KnownEndpoint
  readonly params: Readonly<Record<string, string>>
  readonly search: URLSearchParams
  readonly sent: Buffer
}

/** Longer bodies of writes are not kept in the log. */
const MAX_LOGGED_BODY_BYTES = 4_096

/** With the fault `restart` the host restarts after this many requests. */
const RESTART_INTERVAL_REQUESTS = 5

/** Answers requests: finds the row in the endpoint table, checks the gates, calls the route. Never rejects. */
export function createRequestHandler({ state, auth, dialect, restart, record, ...settings }: HandlerOptions) {
  let count = 0

  return async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request
    const [bare = '', search = ''] = splitOnce(url, '?')
    const path =
      (bare.startsWith(`${BRIDGE_PATH_PREFIX}/`) ? dialect.toTablePath(bare.slice(BRIDGE_PATH_PREFIX.length)) : null) ??
      ''
    // A HEAD is a GET whose body is not sent.
    const { endpoint, params } = classifyRequest(method === 'HEAD' ? 'GET' : method, path)
    let body: string | null = null
    let executed = false
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : 0
      record({ method, path: url, endpoint: endpoint?.id ?? null, status, body, isExecuted: executed })
    })
    const latency = settings.latencyMs()
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency))
    const failing = endpoint && !isFaultExempt(endpoint.id) ? faultOf(request, endpoint.id) : null
    try {
      const most = endpoint?.isUpload ? MAX_FILE_BYTES : undefined
      const sent = method === 'POST' ? await readBody(request, most) : Buffer.alloc(0)
      if (sent.byteLength > 0 && endpoint?.access !== 'read' && sent.byteLength <= MAX_LOGGED_BODY_BYTES)
        body = sent.toString()
      if (failing && respondWithFault(failing, request, response)) return
      auth.assertAdmitted(request, endpoint)
      if (!endpoint) return sendReply(request, response, createNoRouteReply(path), null)
      const own = await route(request, { endpoint, params, search: new URLSearchParams(search), sent })
      const reply = dialect.transformReply(own, endpoint.id)
      executed = true
      if (failing === 'reset-after') return void request.socket.resetAndDestroy()
      if (failing === 'restart') restartAfter(request, response)
      const spoiled = failing ? applyReplyFault(failing, endpoint.id, reply) : reply
      if (Buffer.isBuffer(spoiled)) sendBytes(response, 'application/json', spoiled)
      else sendReply(request, response, spoiled, failing === 'wrong-content-type' ? 'text/html' : null)
    } catch (error) {
      if (error instanceof DemoError)
        sendReply(request, response, dialect.transformReply(error.reply(), endpoint?.id ?? ''), null)
      else
        sendReply(
          request,
          response,
          createJsonReply({ error: { code: 'INTERNAL', message: String(error) } }, 500),
          null,
        )
    }
  }

  function faultOf(request: IncomingMessage, endpointId: string): FaultName | null {
    const asked = settings.allowFaultHeader ? request.headers[FAULT_HEADER] : undefined
    return typeof asked === 'string' && isFaultName(asked) ? asked : settings.fault(endpointId)
  }

  /** The answer is sent whole; the gap comes after it. */
  function restartAfter(request: IncomingMessage, response: ServerResponse): void {
    count += 1
    if (request.headers[FAULT_HEADER] === 'restart' || count % RESTART_INTERVAL_REQUESTS === 0)
      response.once('close', restart)
  }

  async function route(
    request: IncomingMessage,
    { endpoint, params, search, sent: bytes }: RoutedRequest,
  ): Promise<DemoReply> {
    if (endpoint.id === 'status.get') return createStatusReply(state, auth.isAuthorized(request))
    assertValidParams(endpoint, params)
    // An upload's gate is in the query, and refuses only after all bytes were sent (observed §2).
    if (endpoint.confirm === 'query' && search.get('confirm') !== '1') throw createConfirmRequiredError(null)
    const query = parseQuery(endpoint, search)
    const sent = endpoint.isUpload ? {} : parseBody(bytes)
    if (endpoint.id === 'pair.post') return createJsonReply({ token: auth.pairDevice(sent['code']) })
    const body = auth.fillBody(request, endpoint, sent)
    if (endpoint.confirm === 'body' && body['confirm'] !== true) {
      throw createConfirmRequiredError(computeDryRun(state, { endpoint, params, body }))
    }
    assertValidBody(endpoint, body, dialect.getRequiredMembers(endpoint.id))
    const serve = lookUpByEndpoint<DemoRoute>(demoRoutes, endpoint.id)
    if (!serve) throw new DemoError(501, 'NOT_IMPLEMENTED', 'The demo host does not implement this route.')
    return serve(state, { endpoint, params, query, body, bytes, callRoute: (...asked) => callFor(request, ...asked) })
  }

  /** Calls a route through the JSON-RPC channel, with the rights of its caller. */
  async function callFor(request: IncomingMessage, method: string, url: string, body: unknown): Promise<DemoReply> {
    const [path, search] = splitOnce(url, '?')
    const { endpoint, params } = classifyRequest(method, dialect.toTablePath(path) ?? '')
    if (!endpoint || endpoint.id === 'mcp.post') throw new DemoError(404, 'ROUTE_NOT_FOUND', 'There is no such route.')
    auth.assertAdmitted(request, endpoint)
    const sent = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body))
    return dialect.transformReply(
      await route(request, { endpoint, params, search: new URLSearchParams(search), sent }),
      endpoint.id,
    )
  }
}

const createConfirmRequiredError = (details: object | null): DemoError =>
  new DemoError(
    422,
    'CONFIRM_REQUIRED',
    'The request lacked confirm. Nothing was executed.',
    details ? { details } : {},
  )

/** The answer for a path without this method: `GET /mcp` has its own rule; for others the existing methods are named. */
function createNoRouteReply(path: string): DemoReply {
  const allowed = ['GET', 'POST'].filter((method) => classifyRequest(method, path).endpoint !== null)
  if (path === '/mcp') {
    return new DemoError(501, 'NOT_IMPLEMENTED', 'The channel takes only POST.').reply({ Allow: 'POST' })
  }
  if (allowed.length === 0) return new DemoError(404, 'ROUTE_NOT_FOUND', 'There is no such route.').reply()
  const allow = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  return new DemoError(405, 'METHOD_NOT_ALLOWED', `This path takes ${allow}.`).reply({ Allow: allow })
}

/** Not a URL parser, which would throw on what a careless client sends, and resolve `..` before it can be refused. */
function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
