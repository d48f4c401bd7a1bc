// Forwards the requests of other clients to the connected host, so that they are recorded. The
// record itself is written by services/traffic. Read this file first, then forwarded-request.ts.
import { randomBytes } from 'node:crypto'
import { type IncomingMessage, type ServerResponse } from 'node:http'
import { AppError, createRefusedError } from '../../../shared/errors.ts'
import type { ClientProxyState } from '../../../shared/ipc/client-proxy.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient, BridgeTarget } from '../bridge/types.ts'
import type { Bus } from '../bus.ts'
import {
  closeServer,
  programConnectionLimits,
  type ConnectionLimits,
  createLimitedServer,
  type ConnectionLimiter,
} from '../../system/connection-limiter.ts'
import type { Notices } from '../notices.ts'
import { toClientLabel, parseClientLabel, RecordedClients, type FindProcess } from './recorded-clients.ts'
import { forwardRequest, type ForwardOptions, type RequestFate } from './forwarded-request.ts'
import { identifyCredential, findStrangerRefusal } from './guard.ts'
import { REFUSALS, sendRefusal, type Refusal } from './refusal.ts'
import type { AddressInfo } from 'node:net'
import { MAX_RELAY_BUFFER_BYTES } from '../bridge/wire/relay-exchange.ts'
import { NodeAbortController } from '../../core/node-abort.ts'

interface ProxyListener {
  readonly port: number
  /** Its connections: call `admitConnection` with one that has shown a valid key. */
  readonly connections: ConnectionLimiter
  close(): Promise<void>
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void

/**
 * Listens on 127.0.0.1. The handler sets the time limit of a body. Everything before the body has a
 * limit, so that idle clients cannot occupy all connections.
 * @throws PORT_TAKEN, PORT_FORBIDDEN
 */
async function startListener(
  port: number,
  handleRequest: RequestHandler,
  limits: ConnectionLimits,
): Promise<ProxyListener> {
  const { server, connections } = createLimitedServer(limits, { highWaterMark: MAX_RELAY_BUFFER_BYTES })
  const serve = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void => {
    response.once('close', connections.beginRequest(request.socket))
    handleRequest(request, response, expectsContinue)
  }
  server.on('request', (request, response) => serve(request, response, false))
  server.on('checkContinue', (request, response) => serve(request, response, true))
  // The host decides on expectations other than `100-continue`.
  server.on('checkExpectation', (request, response) => serve(request, response, false))
  server.on('upgrade', (_request, socket) => socket.destroy())
  server.on('connect', (_request, socket) => socket.destroy())
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(port, error)))
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    close: () => closeServer(server),
  }
}

function toListenError(port: number, error: NodeJS.ErrnoException): Error {
  if (error.code === 'EADDRINUSE')
    return createRefusedError('PORT_TAKEN', `Port ${port} is already in use by another program. Choose another one.`, {
      port,
    })
  if (error.code === 'EACCES')
    return createRefusedError(
      'PORT_FORBIDDEN',
      `This user is not allowed to listen on port ${port}. Choose another one.`,
      {
        port,
      },
    )
  return error
}

export { findPeerProcess as findProcess } from '../../system/peer-process.ts'

interface Options {
  readonly breakpoints: ForwardOptions['breakpoints']
  readonly recorder: ForwardOptions['recorder']
  readonly client: Pick<BridgeClient, 'relay'>
  readonly connection: Pick<Connection, 'target' | 'capabilities' | 'state'>
  readonly bus: Bus
  readonly notices: Pick<Notices, 'add'>
  /** Removes every known token from a text. */
  readonly conceal: (text: string) => string
  readonly limits?: Partial<ConnectionLimits>
  readonly findProcess?: FindProcess
}

export interface ClientProxy {
  state(): ClientProxyState
  /** Starts the listener, unless it is on. @throws PORT_TAKEN, PORT_FORBIDDEN */
  start(options: { readonly port?: number | undefined; readonly label?: string | undefined }): Promise<ClientProxyState>
  /** Returns the address with the key as parameter `key`, for a terminal. Throws like `start`. */
  startWithUrl(): Promise<string>
  /** Names the clients from now on. With an empty name, their `User-Agent` is used. */
  setLabel(label: string): ClientProxyState
  stop(): Promise<ClientProxyState>
}

const PREFIX = '/bridge/v1'
/** A connection may have several requests under way (pipelining). */
const MAX_CONCURRENT_REQUESTS = programConnectionLimits.maxGuests
const STOPPED_MESSAGE =
  'Recording another client has stopped, because another host is connected. Start it again to record for this one.'
/** The shortest interval between two messages to the pages. */
const PUBLISH_INTERVAL_MS = 200

interface Run {
  readonly listener: ProxyListener
  readonly key: string
  readonly clients: RecordedClients
  readonly abort: AbortController
  readonly startedAt: number
}

/**
 * Forwards requests of other clients to the connected host and records them. It stops
 * when a different host is connected, because its clients mean the host for which it was started.
 */
export function createClientProxy(options: Options): ClientProxy {
  const { client, connection, breakpoints, recorder, bus, notices, conceal, limits } = options
  let run: Run | null = null
  let starting: Promise<ClientProxyState> | null = null
  let label = ''
  let boundTo: string | null = null
  let [passedCount, refusedCount, lockedCount, activeCount] = [0, 0, 0, 0]
  let lastAt: number | null = null
  let publishTimer: NodeJS.Timeout | null = null

  const state = (): ClientProxyState => ({
    on: run !== null,
    baseUrl: run && `http://127.0.0.1:${run.listener.port}${PREFIX}`,
    key: run?.key ?? null,
    startedAt: run?.startedAt ?? null,
    passed: passedCount,
    refused: refusedCount,
    locked: lockedCount,
    lastAt,
    // A token may have become known since the label was set.
    label: conceal(label),
  })

  function publish(): ClientProxyState {
    if (publishTimer) clearTimeout(publishTimer)
    publishTimer = null
    const current = state()
    bus.publish('clientProxy.changed', current)
    return current
  }
  function schedulePublish(): void {
    publishTimer ??= setTimeout(publish, PUBLISH_INTERVAL_MS).unref()
  }

  function countRequest(fate: RequestFate): void {
    if (fate === 'passed') passedCount += 1
    if (fate === 'refused' || fate === 'locked') refusedCount += 1
    if (fate === 'locked') lockedCount += 1
    lastAt = Date.now()
    schedulePublish()
  }

  /** The current target; null while no host is connected. */
  function getTarget(): BridgeTarget | null {
    try {
      return connection.target()
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }

  function serve(currentRun: Run, request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const refuse = (refusal: Refusal): void => {
      sendRefusal(request, response, refusal)
      countRequest('refused')
    }
    const stranger = findStrangerRefusal(request, currentRun.listener.port)
    if (stranger) return refuse(stranger)
    const target = getTarget()
    const credential = identifyCredential(request, currentRun.key, target)
    if (credential === null) return refuse(REFUSALS.unauthorized)
    currentRun.listener.connections.admitConnection(request.socket)
    const url = request.url ?? ''
    if (!url.startsWith(`${PREFIX}/`)) return refuse(REFUSALS.route)
    if (target === null) return refuse(REFUSALS.disconnected)
    if (activeCount >= MAX_CONCURRENT_REQUESTS) return refuse(REFUSALS.busy)
    activeCount += 1
    const name = label || parseClientLabel(conceal(request.headers['user-agent'] ?? ''))
    void forwardRequest(request, response, {
      breakpoints,
      recorder,
      client,
      connection,
      target,
      getTarget,
      rawPath: url.slice(PREFIX.length),
      origin: currentRun.clients.originOf(request, credential, name),
      isMasked: credential === 'key',
      expectsContinue,
      stopSignal: currentRun.abort.signal,
    }).then((fate) => {
      activeCount -= 1
      countRequest(fate)
    })
  }

  async function open(port: number): Promise<ClientProxyState> {
    const listenerLimits = { ...programConnectionLimits, ...limits }
    const listener = await startListener(
      port,
      (request, response, expectsContinue) => run && serve(run, request, response, expectsContinue),
      listenerLimits,
    )
    ;[passedCount, refusedCount, lockedCount, lastAt] = [0, 0, 0, null]
    boundTo = connection.state().profile?.baseUrl ?? null
    const key = randomBytes(32).toString('base64url')
    run = {
      listener,
      key,
      clients: new RecordedClients(options.findProcess),
      abort: new NodeAbortController(),
      startedAt: Date.now(),
    }
    return publish()
  }

  async function stop(): Promise<ClientProxyState> {
    const { listener, abort } = run ?? {}
    run = null
    abort?.abort()
    await listener?.close()
    return publish()
  }

  bus.on('connection.changed', () => {
    if (!run) return
    const baseUrl = connection.state().profile?.baseUrl ?? null
    if (baseUrl === null) return
    boundTo ??= baseUrl
    if (baseUrl === boundTo) return
    void stop()
    notices.add({ level: 'warning', code: 'RECORDING_STOPPED', message: STOPPED_MESSAGE })
  })

  const start: ClientProxy['start'] = async ({ port = 0, label: newLabel }) => {
    if (newLabel !== undefined) label = toClientLabel(conceal(newLabel))
    if (run) return publish()
    starting ??= open(port).finally(() => (starting = null))
    return starting
  }

  return {
    state,
    start,
    async startWithUrl() {
      const { baseUrl, key } = await start({})
      return `${baseUrl}?key=${key}`
    },
    setLabel(newLabel) {
      label = toClientLabel(conceal(newLabel))
      return publish()
    },
    stop,
  }
}
