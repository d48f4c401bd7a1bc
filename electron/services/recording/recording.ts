import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../../../shared/errors.ts'
import type { RecordingState } from '../../../shared/ipc/recording.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient, BridgeTarget } from '../bridge/types.ts'
import type { Bus } from '../bus.ts'
import type { Notices } from '../notices.ts'
import { cleanLabel, labelOf, RecordedClients } from './client.ts'
import { forward } from './forward.ts'
import { credentialOf, refuseStranger } from './guard.ts'
import { listen, listenerLimits, type Listener, type ListenerLimits } from './listener.ts'
import { refusals, refuse, type Refusal } from './refusal.ts'

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
  url(): Promise<string>
  /** Names the clients from now on; an empty name leaves it to their `User-Agent`. */
  name(label: string): RecordingState
  stop(): Promise<RecordingState>
}

const PREFIX = '/bridge/v1'
/** Requests under way at once. */
const MOST_UNDER_WAY = 256
const STOPPED =
  'Recording another client has stopped, because another host is connected. Start it again to record for this one.'
/** Pages are told at most this often. */
const TELL_MS = 200

/** A run of the listener. */
interface Run {
  readonly listener: Listener
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
    telling ??= setTimeout(tell, TELL_MS).unref()
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
      refuse(request, response, refusal)
      counted(false)
    }
    const stranger = refuseStranger(request, now.listener.port)
    if (stranger) return no(stranger)
    const target = targetNow()
    const credential = credentialOf(request, now.key, target)
    if (credential === null) return no(refusals.unauthorized)
    now.listener.letIn(request.socket)
    const url = request.url ?? ''
    if (!url.startsWith(`${PREFIX}/`)) return no(refusals.route)
    if (target === null) return no(refusals.disconnected)
    if (underWay >= MOST_UNDER_WAY) return no(refusals.busy)
    underWay += 1
    const name = label || labelOf(conceal(request.headers['user-agent'] ?? ''))
    void forward(request, response, {
      client,
      connection,
      target,
      rawPath: url.slice(PREFIX.length),
      origin: now.clients.originOf(request, credential, name),
      masked: credential === 'key',
      waits,
      stopped: now.abort.signal,
    }).then((asked) => {
      underWay -= 1
      counted(asked)
    })
  }

  async function open(port: number): Promise<RecordingState> {
    const all = { ...listenerLimits, ...limits }
    const listener = await listen(port, (request, response, waits) => run && serve(run, request, response, waits), all)
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
    if (given !== undefined) label = cleanLabel(conceal(given))
    if (run) return tell()
    starting ??= open(port).finally(() => (starting = null))
    return starting
  }

  return {
    state,
    start,
    async url() {
      const { baseUrl, key } = await start({})
      return `${baseUrl}?key=${key}`
    },
    name(given) {
      label = cleanLabel(conceal(given))
      return tell()
    },
    stop,
  }
}
