import { setTimeout } from 'node:timers/promises'
import { composeApp, type App, type Ports } from '../../electron/app-composition.ts'
import { type Config, parseConfig, assertNoTokenFlag } from '../../electron/config.ts'
import { loadBuiltinSqlite } from '../../electron/services/journal/database.ts'
import { AppError, createCancelledError, fromWireError, createRefusedError } from '../../shared/errors.ts'
import type { ConnectionState } from '../../shared/ipc/connection.ts'
import type { ProfileView } from '../../shared/ipc/profiles.ts'
import { ipcMethods, type IpcInput, type MethodName, type IpcOutput } from '../../shared/ipc/index.ts'
import { type HostOptions, usageError } from './flags.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The configuration that the flags of a command mean; parsed by the same code as the flags of the program itself. */
export function toConfig(options: HostOptions, env: Environment): Config {
  const ways = [options.profile, options.baseUrl, options.demo].filter((way) => way !== undefined && way !== false)
  if (ways.length > 1)
    throw usageError('--profile, --base-url and --demo each say which host is meant. Use only one of them.')
  refuseIdle(options)
  const flags: string[] = options.demo ? ['--demo'] : []
  const values = {
    'base-url': options.baseUrl,
    'demo-nodes': options.demoNodes,
    'demo-dialect': options.demoDialect,
    'token-file': options.tokenFile,
    'data-dir': options.dataDir,
  }
  for (const [name, value] of Object.entries(values)) if (value !== undefined) flags.push(`--${name}=${value}`)
  assertNoTokenFlag(flags)
  return { ...parseConfig(flags, env), profile: options.profile ?? null }
}

/** A flag that would have no effect is refused: whoever typed it expects one. */
function refuseIdle({ demo, demoNodes, demoDialect, tokenFile }: HostOptions): void {
  if (demo !== true && demoNodes !== undefined) throw usageError('--demo-nodes takes effect only with --demo.')
  if (demo !== true && demoDialect !== undefined) throw usageError('--demo-dialect takes effect only with --demo.')
  if (demo === true && tokenFile !== undefined)
    throw usageError('--token-file has no effect with --demo: the demo host has a token of its own.')
}

export interface SessionOptions {
  readonly host: HostOptions
  /** Keeps records and takes the lock of the data directory, as a write needs it. Without it nothing is kept. */
  readonly isJournaled?: boolean
  /** Resolves with a session also if the host cannot be reached, or none was named. */
  readonly isOfflineAllowed?: boolean
  /** Resolves with a session also if the host answers, but not as a bridge does: what it answers is to be read. */
  readonly isAnyResponseAllowed?: boolean
  /** What `--timeout` limits: the whole command (the default), each request of one that goes on or writes, or what the command says. */
  readonly timeLimit?: 'command' | 'request' | 'none'
  /** Milliseconds to wait while another program holds the data directory; without it, 10 s for a command and none for the app. */
  readonly waitLockMs?: number | undefined
  /** Where `content.save` saves to. */
  readonly savePath?: string
}

/** The services behind their one door, connected. */
export interface Session {
  /** Calls a method as a page does. Throws `AppError` only. */
  call<M extends MethodName>(method: M, input: IpcInput<M>): Promise<IpcOutput<M>>
  readonly app: App
}

export interface ConnectedSession extends Session {
  readonly state: ConnectionState
}

/** Where this program's files are. */
export interface ProgramFiles {
  readonly demoWorker: URL
  readonly trafficWorker: URL
  /** The folder of what ships with the program, with a slash at the end. */
  readonly resources: URL
}

interface SessionEnvironment extends Pick<Ports, 'cipher' | 'env' | 'runtime' | 'version'> {
  readonly files: ProgramFiles
}

/** Who calls, to the door: what is under way for the first one ends when the command is stopped. */
const CALLER = 'command-line'
/** A write that is on its way cannot be called back: its answer is waited for. */
const SENDER = 'command-line-send'

/** Builds the services. Throws `NOT_JOURNALED` where a write could not be recorded, and what `compose` throws. */
export async function startSession(
  config: Config,
  { files, ...ports }: SessionEnvironment,
  { host, isJournaled: records = false, savePath: saveTo }: Pick<SessionOptions, 'host' | 'isJournaled' | 'savePath'>,
  signal: AbortSignal,
): Promise<Session> {
  if (records) requireJournal(ports.runtime)
  const app = await composeApp(config, {
    ...ports,
    mode: 'desktop',
    chooseFile: async () => saveTo ?? null,
    chooseFolder: null,
    demoWorker: files.demoWorker,
    trafficWorker: files.trafficWorker,
    resources: files.resources,
    openExternal: async () => false,
    panelView: null,
    isVisit: !records,
  })
  let next = 0
  const retries = parseRetries(host)
  const sends = (method: MethodName): boolean => method === 'operations.send' || (records && method === 'panel.callAs')

  async function call<M extends MethodName>(method: M, input: IpcInput<M>): Promise<IpcOutput<M>> {
    // Whoever waits for a decision gets one, also at the end.
    if (signal.aborted && method !== 'panel.decide') throw createCancelledError()
    for (let left = repeats.has(method) ? retries : 0; ; left -= 1) {
      try {
        return await once(method, input)
      } catch (error) {
        if (left <= 0 || signal.aborted || !(error instanceof AppError) || !error.wire.retryable) throw error
        await waitForRetry(error.wire.retryAfterSeconds, signal)
      }
    }
  }

  async function once<M extends MethodName>(method: M, input: IpcInput<M>): Promise<IpcOutput<M>> {
    const reply = await app.dispatcher.call(sends(method) ? SENDER : CALLER, {
      id: String((next += 1)),
      method,
      input,
    })
    if (!reply.ok) throw fromWireError(reply.error)
    return outputOf(method, reply.value)
  }
  signal.addEventListener('abort', () => app.dispatcher.removeCaller(CALLER), { once: true })
  return { call, app }
}

/** What only reads, and may be asked again: never a write. */
const repeats: ReadonlySet<MethodName> = new Set(['bridge.read', 'content.open', 'traffic.send'])
const RETRY_WAIT_S = 1
/** A host that asks for a longer pause is asked again after this time. */
const MAX_RETRY_WAIT_S = 60

/** The number that `--retry` means. */
export function parseRetries({ retry }: Pick<HostOptions, 'retry'>): number {
  if (retry === undefined) return 0
  if (!/^\d{1,3}$/.test(retry)) throw createRefusedError('FLAG_NUMBER', '--retry takes a whole number up to 999.')
  return Number(retry)
}

/** Waits as long as the host asked for. Ends early when the command is stopped; whoever waits asks the signal. */
export const waitForRetry = (seconds: number = RETRY_WAIT_S, signal: AbortSignal): Promise<void> =>
  setTimeout(Math.min(seconds, MAX_RETRY_WAIT_S) * 1_000, undefined, { signal }).catch(() => undefined)

/** Said before a host or a person is asked for anything. */
function requireJournal({ node = '' }: Ports['runtime']): void {
  if (loadBuiltinSqlite() !== null) return
  throw createRefusedError(
    'NOT_JOURNALED',
    `A write is recorded before it is sent, which needs Node 22.13 or newer; this is Node ${node}. Nothing was asked or sent.`,
  )
}

/** The handlers run in this very process: what they return has the type that they are declared with. */
function outputOf<M extends MethodName>(method: M, value: unknown): IpcOutput<M> {
  return (ipcMethods[method].isBinary ? value : ipcMethods[method].output.parse(value)) as IpcOutput<M>
}

/** Waits for the first attempt to connect. Throws why there is no connection, unless any state will do. */
export async function connectSession(
  session: Session,
  {
    host,
    isOfflineAllowed: anyState = false,
    isAnyResponseAllowed: anyAnswer = false,
  }: Pick<SessionOptions, 'host' | 'isOfflineAllowed' | 'isAnyResponseAllowed'>,
  signal: AbortSignal,
): Promise<ConnectedSession> {
  const { call, app } = session
  if (app.firstProfile === null && !anyState) {
    throw createRefusedError('NOT_CONNECTED', 'Say which host is meant: --profile NAME, --base-url URL or --demo.')
  }
  let state = app.firstProfile === null ? await call('connection.get', {}) : await call('connection.retry', {})
  for (let left = parseRetries(host); left > 0 && state.phase === 'offline' && !signal.aborted; left -= 1) {
    await waitForRetry(state.error?.retryAfterSeconds, signal)
    state = await call('connection.retry', {})
  }
  const isAnswered = ['host', 'http', 'malformed'].includes(state.error?.kind ?? '')
  if (state.phase !== 'online' && !anyState && !(anyAnswer && isAnswered)) throw toConnectionError(state)
  return { ...session, state }
}

/** Why there is no connection. */
export function toConnectionError({ error, phase, certificate }: ConnectionState): AppError {
  if (certificate) {
    return createRefusedError(
      'CERTIFICATE_UNTRUSTED',
      'The host’s certificate is not trusted. Compare and accept it in the app, then use that profile with --profile.',
    )
  }
  return error
    ? fromWireError(error)
    : new AppError({ kind: 'offline', code: 'OFFLINE', message: `The connection is ${phase}.`, retryable: true })
}

/** The profile in use as it is listed. Throws `NOT_CONNECTED`. */
export async function getConnectedProfile({ call, state }: ConnectedSession): Promise<ProfileView> {
  const found = (await call('profiles.list', {})).find(({ profile }) => profile.id === state.profile?.id)
  if (!found) throw createRefusedError('NOT_CONNECTED', 'No host is connected.')
  return found
}
