import { randomBytes, randomUUID } from 'node:crypto'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findEndpoint } from '../../shared/bridge/endpoints/index.ts'
import { DemoAuth } from './auth.ts'
import type { DemoState, Routes } from './context.ts'
import { isSpared, misbehave, spoil, type FaultName } from './faults.ts'
import { buildLibrary } from './library/build.ts'
import { generateSet } from './library/generated.ts'
import { checkBody, checkParams, parseQuery, readBody } from './parse.ts'
import { DemoError, json, type DemoReply } from './reply.ts'
import { cardWriteRoutes } from './routes/card-writes.ts'
import { documentRoutes } from './routes/documents.ts'
import { libraryRoutes } from './routes/library.ts'
import { noteRoutes } from './routes/notes.ts'
import { stateRoutes, statusOf } from './routes/state.ts'
import { treeRoutes } from './routes/tree.ts'
import { send, sendBytes } from './send.ts'
import { WritingDesk } from './writing.ts'

export interface DemoHostOptions {
  /** 0 = any. */
  readonly port?: number
  readonly token?: string
  /** Cards of the generated study set. */
  readonly nodes?: number
  readonly seed?: number
  /** Delay before each answer, milliseconds. */
  readonly latencyMs?: number
  readonly fault?: FaultName | null
  /** Six digits that `POST /pair` takes. */
  readonly pairingCode?: string | null
  readonly walkLimit?: number
  readonly excerptLimit?: number
  /** How long a pencil commit stays unfinished, milliseconds. */
  readonly settleMs?: number
}

/** One request as it was answered; `status` 0 = broken off on purpose. */
export interface DemoLogEntry {
  readonly method: string
  readonly path: string
  readonly endpoint: string | null
  readonly status: number
}

export interface DemoHost {
  readonly baseUrl: string
  readonly port: number
  readonly token: string
  readonly log: readonly DemoLogEntry[]
  readonly state: DemoState
  setFault(fault: FaultName | null): void
  setLatency(ms: number): void
  /** A gap in which nothing listens, then a new `instanceNonce`; operation records are lost (spec §4). */
  restart(gapMs?: number): Promise<void>
  close(): Promise<void>
}

const routes: Routes = {
  ...stateRoutes,
  ...libraryRoutes,
  ...treeRoutes,
  ...documentRoutes,
  ...noteRoutes,
  ...cardWriteRoutes,
}

const PREFIX = '/bridge/v1'
const LOG_LENGTH = 20_000

/** Starts a simulated host on loopback: the whole contract over real HTTP. Throws when the port is taken. */
export async function startDemoHost(options: DemoHostOptions = {}): Promise<DemoHost> {
  const seed = options.seed ?? 20_260
  const auth = new DemoAuth(
    options.token ?? `mnb0.${randomBytes(24).toString('base64url')}`,
    options.pairingCode ?? null,
  )
  const library = buildLibrary(seed)
  const desk = new WritingDesk(options.settleMs ?? 1_500)
  let nonce = randomUUID()
  let fault = options.fault ?? null
  let latency = options.latencyMs ?? 0
  let count = 0
  const log: DemoLogEntry[] = []
  const [firstSet] = library.sets
  const state: DemoState = {
    library,
    generated: generateSet(seed, options.nodes ?? 200_000),
    desk,
    walkLimit: options.walkLimit ?? 2_000_000,
    excerptLimit: options.excerptLimit ?? 50_000,
    instanceNonce: () => nonce,
    startedAt: Date.now(),
    open: {
      topicid: firstSet?.topicid ?? '',
      bookmd5: firstSet?.documents[0] ?? null,
      noteid: firstSet?.cards[3]?.noteid ?? null,
      page: 12,
    },
    orders: new Map(),
    practiceConfigured: true,
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://local')
    const path = url.pathname.startsWith(`${PREFIX}/`) ? url.pathname.slice(PREFIX.length) : null
    const { endpoint, params } = findEndpoint(request.method ?? 'GET', path ?? '')
    const entry = { method: request.method ?? '', path: request.url ?? '', endpoint: endpoint?.id ?? null }
    response.once('close', () => {
      if (log.length >= LOG_LENGTH) log.shift()
      log.push({ ...entry, status: response.headersSent ? response.statusCode : 0 })
    })
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency))
    const failing = fault
    try {
      if (path === null || !endpoint) throw new DemoError(404, 'ROUTE_NOT_FOUND', 'There is no such route.')
      const spared = isSpared(endpoint.id)
      if (failing && !spared && misbehave(failing, request, response)) return
      auth.admit(request, endpoint)
      const reply = await route(request, url, endpoint, params)
      const spoiled = failing && !spared ? spoil(failing, endpoint.id, reply) : reply
      if (Buffer.isBuffer(spoiled)) sendBytes(response, 'application/json', spoiled)
      else send(request, response, spoiled, failing === 'wrong-content-type' ? 'text/html' : null)
      if (failing === 'restart' && (count += 1) % 5 === 0) void host.restart()
    } catch (error) {
      if (error instanceof DemoError) send(request, response, error.reply(), null)
      else send(request, response, json({ error: { code: 'INTERNAL', message: String(error) } }, 500), null)
    }
  }

  async function route(
    request: IncomingMessage,
    url: URL,
    endpoint: NonNullable<ReturnType<typeof findEndpoint>['endpoint']>,
    params: Readonly<Record<string, string>>,
  ): Promise<DemoReply> {
    if (endpoint.id === 'status.get') return statusOf(state, auth.authorized(request))
    checkParams(endpoint, params)
    const query = parseQuery(endpoint, url.searchParams)
    const sent = endpoint.method === 'POST' ? await readBody(request) : {}
    checkBody(endpoint, sent)
    if (endpoint.id === 'pair.post') return json({ token: auth.pair(sent['code']) })
    const body = auth.confirm(request, endpoint, sent)
    const serve = routes[endpoint.id]
    if (!serve) throw new DemoError(501, 'NOT_IMPLEMENTED', 'The demo host does not implement this route.')
    return serve(state, { endpoint, params, query, body })
  }

  const create = (): http.Server =>
    http.createServer({ keepAliveTimeout: 5_000 }, (request, response) => void answer(request, response))
  let server = create()
  const port = await listen(server, options.port ?? 0)
  let restarting: Promise<void> | null = null

  const host: DemoHost = {
    baseUrl: `http://127.0.0.1:${port}${PREFIX}`,
    port,
    token: auth.token,
    log,
    state,
    setFault(next) {
      fault = next
    },
    setLatency(ms) {
      latency = ms
    },
    restart(gapMs = 1_000) {
      restarting ??= (async () => {
        await shut(server)
        nonce = randomUUID()
        desk.forget()
        await new Promise((resolve) => setTimeout(resolve, gapMs))
        server = create()
        await listen(server, port)
        restarting = null
      })()
      return restarting
    },
    async close() {
      await restarting
      await shut(server)
    },
  }
  return host
}

function listen(server: http.Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

function shut(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
