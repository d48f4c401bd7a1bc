import type { IncomingMessage, ServerResponse } from 'node:http'
import { classifyRequest, lookUpByEndpoint, type KnownEndpoint } from '../../shared/bridge/endpoints/index.ts'
import type { DemoAuth } from './demo-auth.ts'
import type { DemoState, DemoRoute } from './state/context.ts'
import type { Dialect } from './dialects/index.ts'
import { applyDrift } from './drift/drift.ts'
import type { DriftVersion } from './drift/drift-list.ts'
import { computeDryRun } from './dry-runs.ts'
import { isFaultName, isFaultExempt, respondWithFault, applyReplyFault, type FaultName } from './faults.ts'
import { assertValidBody } from './state/check-body.ts'
import { assertValidParams, MAX_FILE_BYTES, parseBody, parseQuery, readBody } from './request-parser.ts'
import { DemoError, createJsonReply, type DemoReply } from './state/reply.ts'
import { demoRoutes } from './routes/index.ts'
import { createStatusReply } from './routes/state.ts'
import { sendReply, sendBytes } from './reply-sender.ts'

export const BRIDGE_PATH_PREFIX = '/bridge/v1'

const FAULT_HEADER = 'x-demo-fault'

/** A handled request. The status is 0 if a fault closed the connection without a response. */
export interface DemoLogEntry {
  readonly method: string
  /** The path includes the query, as sent. */
  readonly path: string
  readonly endpoint: string | null
  readonly status: number
  /** The JSON text of a write's body; null for reads and for long bodies. */
  readonly body: string | null
  /** True if the route performed the request, even if a fault changed the response. */
  readonly isExecuted: boolean
}

interface HandlerOptions {
  readonly dialect: Dialect
  readonly state: DemoState
  readonly auth: DemoAuth
  readonly fault: (endpointId: string) => FaultName | null
  readonly driftVersion: () => DriftVersion
  readonly latencyMs: () => number
  readonly allowFaultHeader: boolean
  readonly restart: () => void
  readonly record: (entry: DemoLogEntry) => void
}

interface RoutedRequest {
  readonly endpoint: KnownEndpoint
  readonly params: Readonly<Record<string, string>>
  readonly search: URLSearchParams
  readonly bodyBytes: Buffer
}

/** Longer bodies of writes are not logged. */
const MAX_LOGGED_BODY_BYTES = 4_096

/** The number of requests after which the host restarts with the fault `restart`. */
const RESTART_INTERVAL_REQUESTS = 5

/** Finds the endpoint, checks access and `confirm`, and calls the route. Never rejects. */
export function createRequestHandler({ state, auth, dialect, restart, record, ...settings }: HandlerOptions) {
  let count = 0

  return async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request
    const [barePath = '', search = ''] = splitOnce(url, '?')
    const path =
      (barePath.startsWith(`${BRIDGE_PATH_PREFIX}/`)
        ? dialect.toTablePath(barePath.slice(BRIDGE_PATH_PREFIX.length))
        : null) ?? ''
    // A HEAD is a GET whose body is not sent.
    const { endpoint, params } = classifyRequest(method === 'HEAD' ? 'GET' : method, path)
    let body: string | null = null
    let isExecuted = false
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : 0
      record({ method, path: url, endpoint: endpoint?.id ?? null, status, body, isExecuted })
    })
    const latency = settings.latencyMs()
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency))
    const chosenFault =
      (settings.allowFaultHeader ? getRequestedFault(request) : null) ?? settings.fault(endpoint?.id ?? '')
    const fault = endpoint && !isFaultExempt(endpoint.id) ? chosenFault : null
    const send = (reply: DemoReply, contentType: string | null = null): void => {
      const driftingRequest = { method, path, template: endpoint?.path ?? null, query: new URLSearchParams(search) }
      const isDrifting = chosenFault === 'drift'
      const sentReply = isDrifting ? applyDrift(reply, driftingRequest, settings.driftVersion()) : reply
      sendReply(request, response, sentReply, contentType)
    }
    try {
      const maxBytes = endpoint?.isUpload ? MAX_FILE_BYTES : undefined
      const bodyBytes = method === 'POST' ? await readBody(request, maxBytes) : Buffer.alloc(0)
      if (bodyBytes.byteLength > 0 && endpoint?.access !== 'read' && bodyBytes.byteLength <= MAX_LOGGED_BODY_BYTES)
        body = bodyBytes.toString()
      if (fault && respondWithFault(fault, request, response)) return
      auth.assertAdmitted(request, endpoint)
      if (!endpoint) return send(createNoRouteReply(path))
      const routeReply = await callEndpoint(request, {
        endpoint,
        params,
        search: new URLSearchParams(search),
        bodyBytes,
      })
      const reply = dialect.transformReply(routeReply, endpoint.id)
      isExecuted = true
      if (fault === 'reset-after') return void request.socket.resetAndDestroy()
      if (fault === 'restart') restartAfter(request, response)
      const faultyReply = fault ? applyReplyFault(fault, endpoint.id, reply) : reply
      if (Buffer.isBuffer(faultyReply)) sendBytes(response, 'application/json', faultyReply)
      else send(faultyReply, fault === 'wrong-content-type' ? 'text/html' : null)
    } catch (error) {
      if (error instanceof DemoError) send(dialect.transformReply(error.reply(), endpoint?.id ?? ''))
      else send(createJsonReply({ error: { code: 'INTERNAL', message: String(error) } }, 500))
    }
  }

  /** Restarts the host once the complete response was sent. */
  function restartAfter(request: IncomingMessage, response: ServerResponse): void {
    count += 1
    if (request.headers[FAULT_HEADER] === 'restart' || count % RESTART_INTERVAL_REQUESTS === 0)
      response.once('close', restart)
  }

  async function callEndpoint(
    request: IncomingMessage,
    { endpoint, params, search, bodyBytes: bytes }: RoutedRequest,
  ): Promise<DemoReply> {
    if (endpoint.id === 'status.get') return createStatusReply(state, auth.isAuthorized(request))
    assertValidParams(endpoint, params)
    // An upload's `confirm` is in the query, and is checked after all bytes (observed §2).
    if (endpoint.confirm === 'query' && search.get('confirm') !== '1') throw createConfirmRequiredError(null)
    const query = parseQuery(endpoint, search)
    const requestBody = endpoint.isUpload ? {} : parseBody(bytes)
    if (endpoint.id === 'pair.post') return createJsonReply({ token: auth.pairDevice(requestBody['code']) })
    const body = auth.fillBody(request, endpoint, requestBody)
    if (endpoint.confirm === 'body' && body['confirm'] !== true) {
      throw createConfirmRequiredError(computeDryRun(state, { endpoint, params, body }))
    }
    assertValidBody(endpoint, body, dialect.getRequiredMembers(endpoint.id))
    const serve = lookUpByEndpoint<DemoRoute>(demoRoutes, endpoint.id)
    if (!serve) throw new DemoError(501, 'NOT_IMPLEMENTED', 'The demo host does not implement this route.')
    return serve(state, {
      endpoint,
      params,
      query,
      body,
      bytes,
      callRoute: (...call) => callInternally(request, ...call),
    })
  }

  /** Calls a route through the JSON-RPC channel, with the rights of its caller. */
  async function callInternally(
    request: IncomingMessage,
    method: string,
    url: string,
    body: unknown,
  ): Promise<DemoReply> {
    const [path, search] = splitOnce(url, '?')
    const { endpoint, params } = classifyRequest(method, dialect.toTablePath(path) ?? '')
    if (!endpoint || endpoint.id === 'mcp.post') throw new DemoError(404, 'ROUTE_NOT_FOUND', 'There is no such route.')
    auth.assertAdmitted(request, endpoint)
    const bodyBytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body))
    return dialect.transformReply(
      await callEndpoint(request, { endpoint, params, search: new URLSearchParams(search), bodyBytes }),
      endpoint.id,
    )
  }
}

/** The fault that a request chooses for itself, if the host allows that. */
export function getRequestedFault({ headers }: IncomingMessage): FaultName | null {
  const name = headers[FAULT_HEADER]
  return typeof name === 'string' && isFaultName(name) ? name : null
}

const createConfirmRequiredError = (details: object | null): DemoError =>
  new DemoError(
    422,
    'CONFIRM_REQUIRED',
    'The request lacked confirm. Nothing was executed.',
    details ? { details } : {},
  )

/** The error names the methods that the path has. `GET /mcp` has its own rule. */
function createNoRouteReply(path: string): DemoReply {
  const allowed = ['GET', 'POST'].filter((method) => classifyRequest(method, path).endpoint !== null)
  if (path === '/mcp') {
    return new DemoError(501, 'NOT_IMPLEMENTED', 'The channel takes only POST.').reply({ Allow: 'POST' })
  }
  if (allowed.length === 0) return new DemoError(404, 'ROUTE_NOT_FOUND', 'There is no such route.').reply()
  const allow = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  return new DemoError(405, 'METHOD_NOT_ALLOWED', `This path takes ${allow}.`).reply({ Allow: allow })
}

/** A URL parser would throw for invalid text, and resolve `..` before the path can be refused. */
export function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator)
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)]
}
