import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../../../shared/errors.ts'
import type { RecordingState } from '../../../shared/ipc/recording.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient, BridgeTarget } from '../bridge/types.ts'
import type { Bus } from '../bus.ts'
import type { Notices } from '../notices.ts'
import { toClientLabel, parseClientLabel, RecordedClients } from './recorded-clients.ts'
import { forwardRequest } from './forwarded-request.ts'
import { identifyCredential, findStrangerRefusal } from './guard.ts'
import { startListener, DEFAULT_LISTENER_LIMITS, type RecordingListener, type ListenerLimits } from './listener.ts'
import { REFUSALS, sendRefusal, type Refusal } from './refusal.ts'

interface Options {
  readonly client: Pick<BridgeClient, 'relay'>
  readonly connection: Pick<Connection, 'target' | 'capabilities' | 'state'>
  readonly bus: Bus
  readonly notices: Pick<Notices, 'add'>
  /** Removes every known token from a text. */
  readonly conceal: (text: string) => string
  readonly limits?: Partial<ListenerLimits>
}

export interface Recording {
  state(): RecordingState
  /** Starts it, unless it is on already. Throws `PORT_TAKEN`, `PORT_FORBIDDEN`. */
  start(options: { readonly port?: number | undefined; readonly label?: string | undefined }): Promise<RecordingState>
  /** Starts it, and returns its address with the key as `key`: for the terminal. Throws like `start`. */
  startWithUrl(): Promise<string>
  /** Names the clients from now on; an empty name leaves it to their `User-Agent`. */
  setLabel(label: string): RecordingState
  stop(): Promise<RecordingState>
}

const PREFIX = '/bridge/v1'
/** Requests under way at once. */
const MAX_CONCURRENT_REQUESTS = 256
const STOPPED =
  'Recording another client has stopped, because another host is connected. Start it again to record for this one.'
/** Pages are told at most this often. */
const PUBLISH_INTERVAL_MS = 200

/** A run of the listener. */
interface Run {
  readonly listener: RecordingListener
  readonly key: string
  readonly clients: RecordedClients
  readonly abort: AbortController
  readonly startedAt: number
}

/**
 * Passes other clients on to the connected host, and records them. It stays with the host that it was started for: when another one is
 * connected it stops, because a client means the host that it was pointed at.
 */
export function createRecording({ client, connection, bus, notices, conceal, limits }: Options): Recording {
  let run: Run | null = null
  let starting: Promise<RecordingState> | null = null
  let label = ''
  let boundTo: string | null = null
  let [passed, refusedCount, underWay] = [0, 0, 0]
  let lastAt: number | null = null
  let telling: NodeJS.Timeout | null = null

  const state = (): RecordingState => ({
    on: run !== null,
    baseUrl: run && `http://127.0.0.1:${run.listener.port}${PREFIX}`,
    key: run?.key ?? null,
    startedAt: run?.startedAt ?? null,
    passed,
    refused: refusedCount,
    lastAt,
    // A token may have become known since.
    label: conceal(label),
  })

  function tell(): RecordingState {
    if (telling) clearTimeout(telling)
    telling = null
    const now = state()
    bus.publish('recording.changed', now)
    return now
  }
  function tellSoon(): void {
    telling ??= setTimeout(tell, PUBLISH_INTERVAL_MS).unref()
  }

  function counted(hostWasAsked: boolean): void {
    if (hostWasAsked) passed += 1
    else refusedCount += 1
    lastAt = Date.now()
    tellSoon()
  }

  /** Null while no host is connected. */
  function targetNow(): BridgeTarget | null {
    try {
      return connection.target()
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }

  function serve(now: Run, request: IncomingMessage, response: ServerResponse, waits: boolean): void {
    const no = (refusal: Refusal): void => {
      sendRefusal(request, response, refusal)
      counted(false)
    }
    const stranger = findStrangerRefusal(request, now.listener.port)
    if (stranger) return no(stranger)
    const target = targetNow()
    const credential = identifyCredential(request, now.key, target)
    if (credential === null) return no(REFUSALS.unauthorized)
    now.listener.admit(request.socket)
    const url = request.url ?? ''
    if (!url.startsWith(`${PREFIX}/`)) return no(REFUSALS.route)
    if (target === null) return no(REFUSALS.disconnected)
    if (underWay >= MAX_CONCURRENT_REQUESTS) return no(REFUSALS.busy)
    underWay += 1
    const name = label || parseClientLabel(conceal(request.headers['user-agent'] ?? ''))
    void forwardRequest(request, response, {
      client,
      connection,
      target,
      rawPath: url.slice(PREFIX.length),
      origin: now.clients.originOf(request, credential, name),
      isMasked: credential === 'key',
      expectsContinue: waits,
      stopSignal: now.abort.signal,
    }).then((asked) => {
      underWay -= 1
      counted(asked)
    })
  }

  async function open(port: number): Promise<RecordingState> {
    const all = { ...DEFAULT_LISTENER_LIMITS, ...limits }
    const listener = await startListener(
      port,
      (request, response, waits) => run && serve(run, request, response, waits),
      all,
    )
    ;[passed, refusedCount, lastAt] = [0, 0, null]
    boundTo = connection.state().profile?.baseUrl ?? null
    const key = randomBytes(32).toString('base64url')
    run = { listener, key, clients: new RecordedClients(), abort: new AbortController(), startedAt: Date.now() }
    return tell()
  }

  async function stop(): Promise<RecordingState> {
    const { listener, abort } = run ?? {}
    run = null
    abort?.abort()
    await listener?.close()
    return tell()
  }

  bus.subscribe(({ topic }) => {
    if (topic !== 'connection.changed' || !run) return
    const baseUrl = connection.state().profile?.baseUrl ?? null
    if (baseUrl === null) return
    boundTo ??= baseUrl
    if (baseUrl === boundTo) return
    void stop()
    notices.add({ level: 'warning', code: 'RECORDING_STOPPED', message: STOPPED })
  })

  const start: Recording['start'] = async ({ port = 0, label: given }) => {
    if (given !== undefined) label = toClientLabel(conceal(given))
    if (run) return tell()
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
    setLabel(given) {
      label = toClientLabel(conceal(given))
      return tell()
    },
    stop,
  }
}
