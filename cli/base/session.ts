import { setTimeout } from 'node:timers/promises'
import type { App, Ports } from '../../electron/app-composition.ts'
import { type Config, parseConfig, assertNoTokenFlag } from '../../electron/config.ts'
import { AppError, createCancelledError, fromWireError, createRefusedError } from '../../shared/errors.ts'
import type { ConnectionState } from '../../shared/ipc/connection.ts'
import type { ProfileView } from '../../shared/ipc/profiles.ts'
import { ipcMethods, type IpcInput, type MethodName, type IpcOutput } from '../../shared/ipc/index.ts'
import { type HostOptions, createUsageError } from './flags.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the data directory for a command that asks no host. */
export function getDataDir(chosenDir: string | undefined, env: Environment): string {
  return parseConfig(chosenDir === undefined ? [] : [`--data-dir=${chosenDir}`], env).dataDir
}

/** @throws FLAG_INVALID when flags contradict each other or a flag has no effect */
export function toProgramConfig(options: HostOptions, env: Environment): Config {
  const hostChoices = [options.profile, options.baseUrl, options.demo].filter(
    (choice) => choice !== undefined && choice !== false,
  )
  if (hostChoices.length > 1)
    throw createUsageError('--profile, --base-url and --demo each say which host is meant. Use only one of them.')
  assertFlagsEffective(options)
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

/** Refuses flags that would have no effect, because the user expects one. */
function assertFlagsEffective({ demo, demoNodes, demoDialect, tokenFile }: HostOptions): void {
  if (demo !== true && demoNodes !== undefined) throw createUsageError('--demo-nodes takes effect only with --demo.')
  if (demo !== true && demoDialect !== undefined)
    throw createUsageError('--demo-dialect takes effect only with --demo.')
  if (demo === true && tokenFile !== undefined)
    throw createUsageError('--token-file has no effect with --demo: the demo host has a token of its own.')
}

export interface SessionOptions {
  readonly host: HostOptions
  /** True if records are kept and the data directory is locked, as a write requires. */
  readonly isJournaled?: boolean
  /** True if a session that stores nothing keeps its traffic in memory and looks for mistakes. */
  readonly keepsTraffic?: boolean
  /** The session resolves even if the host is unreachable or no host was named. */
  readonly isOfflineAllowed?: boolean
  /** The session resolves even if the host does not respond like a bridge. */
  readonly isAnyResponseAllowed?: boolean
  /** Limit of `--timeout`: the whole command (default), each request, or decided by the command. */
  readonly timeLimit?: 'command' | 'request' | 'none'
  /**
   * Milliseconds for which the session waits while another program locks the data directory. The
   * default is 10 s if that program is a command, and 0 if it is the app.
   */
  readonly waitLockMs?: number | undefined
  /** The file to which `content.save` writes. */
  readonly savePath?: string
}

/** The services of one command, which are called through the dispatcher. */
export interface Session {
  /**
   * Calls a method of the dispatcher, as a page does.
   * @throws AppError only.
   */
  call<M extends MethodName>(method: M, input: IpcInput<M>): Promise<IpcOutput<M>>
  readonly app: App
}

export interface ConnectedSession extends Session {
  readonly state: ConnectionState
}

export interface ProgramFiles {
  readonly demoWorker: URL
  readonly trafficWorker: URL
  readonly snapshotWorker: URL
  readonly sourceMapWorker: URL
  /** Folder with the files that ship with the program; it ends with a slash. */
  readonly resources: URL
}

interface SessionEnvironment extends Pick<Ports, 'cipher' | 'env' | 'runtime' | 'version'> {
  readonly files: ProgramFiles
}

/** Caller name of reads, which are cancelled when the command is stopped. */
const CALLER = 'command-line'
/** Caller name of writes. A write under way cannot be cancelled, so its response is awaited. */
const SENDER = 'command-line-send'

/** @throws the errors of `composeApp` */
export async function startSession(
  config: Config,
  { files, ...ports }: SessionEnvironment,
  {
    host,
    isJournaled = false,
    keepsTraffic = false,
    savePath,
  }: Pick<SessionOptions, 'host' | 'isJournaled' | 'keepsTraffic' | 'savePath'>,
  signal: AbortSignal,
): Promise<Session> {
  const { composeApp } = await import('../../electron/app-composition.ts')
  const app = await composeApp(config, {
    ...ports,
    mode: 'desktop',
    chooseFile: async () => savePath ?? null,
    chooseFolder: null,
    demoWorker: files.demoWorker,
    trafficWorker: files.trafficWorker,
    snapshotWorker: files.snapshotWorker,
    sourceMapWorker: files.sourceMapWorker,
    resources: files.resources,
    openExternal: async () => false,
    panelProcess: null,
    isVisit: !isJournaled,
    keepsTraffic,
  })
  let lastCallId = 0
  const maxRetries = parseRetries(host)
  const isWrite = (method: MethodName): boolean =>
    method === 'operations.send' || (isJournaled && method === 'panel.callAs')

  async function call<M extends MethodName>(method: M, input: IpcInput<M>): Promise<IpcOutput<M>> {
    // A pending decision about a panel's write is delivered even after the command was stopped.
    if (signal.aborted && method !== 'panel.decide') throw createCancelledError()
    for (let retriesLeft = repeatableMethods.has(method) ? maxRetries : 0; ; retriesLeft -= 1) {
      try {
        return await callOnce(method, input)
      } catch (error) {
        if (retriesLeft <= 0 || signal.aborted || !(error instanceof AppError) || !error.wire.retryable) throw error
        await waitForRetry(error.wire.retryAfterSeconds, signal)
      }
    }
  }

  async function callOnce<M extends MethodName>(method: M, input: IpcInput<M>): Promise<IpcOutput<M>> {
    const reply = await app.dispatcher.call(isWrite(method) ? SENDER : CALLER, {
      id: String((lastCallId += 1)),
      method,
      input,
    })
    if (!reply.ok) throw fromWireError(reply.error)
    return parseOutput(method, reply.value)
  }
  signal.addEventListener('abort', () => app.dispatcher.removeCaller(CALLER), { once: true })
  return { call, app }
}

/** Only reads may be repeated. */
const repeatableMethods: ReadonlySet<MethodName> = new Set(['bridge.read', 'content.open', 'traffic.send'])
const RETRY_WAIT_S = 1
/** A host may ask for a longer pause, but no command waits longer. */
const MAX_RETRY_WAIT_S = 60

/** @throws FLAG_NUMBER when the value is not a whole number up to 999 */
export function parseRetries({ retry }: Pick<HostOptions, 'retry'>): number {
  if (retry === undefined) return 0
  if (!/^\d{1,3}$/.test(retry)) throw createRefusedError('FLAG_NUMBER', '--retry takes a whole number up to 999.')
  return Number(retry)
}

/** Resolves early when the signal is aborted, which the caller must check. */
export function waitForRetry(seconds: number = RETRY_WAIT_S, signal: AbortSignal): Promise<void> {
  return setTimeout(Math.min(seconds, MAX_RETRY_WAIT_S) * 1_000, undefined, { signal }).catch(() => undefined)
}

/** The handlers run in this process, so binary output already has the declared type. */
function parseOutput<M extends MethodName>(method: M, value: unknown): IpcOutput<M> {
  return (ipcMethods[method].isBinary ? value : ipcMethods[method].output.parse(value)) as IpcOutput<M>
}

/** Waits for the first attempt to connect. @throws the reason for having no connection */
export async function connectSession(
  session: Session,
  {
    host,
    isOfflineAllowed = false,
    isAnyResponseAllowed = false,
  }: Pick<SessionOptions, 'host' | 'isOfflineAllowed' | 'isAnyResponseAllowed'>,
  signal: AbortSignal,
): Promise<ConnectedSession> {
  const { call, app } = session
  if (app.firstProfile === null && !isOfflineAllowed) {
    throw createRefusedError('NOT_CONNECTED', 'Say which host is meant: --profile NAME, --base-url URL or --demo.')
  }
  let state = app.firstProfile === null ? await call('connection.get', {}) : await call('connection.retry', {})
  for (
    let retriesLeft = parseRetries(host);
    retriesLeft > 0 && state.phase === 'offline' && !signal.aborted;
    retriesLeft -= 1
  ) {
    await waitForRetry(state.error?.retryAfterSeconds, signal)
    state = await call('connection.retry', {})
  }
  const hasResponse = ['host', 'http', 'malformed'].includes(state.error?.kind ?? '')
  if (state.phase !== 'online' && !isOfflineAllowed && !(isAnyResponseAllowed && hasResponse))
    throw toConnectionError(state)
  return { ...session, state }
}

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

/** @throws NOT_CONNECTED when no host is connected */
export async function getConnectedProfile({ call, state }: ConnectedSession): Promise<ProfileView> {
  const view = (await call('profiles.list', {})).find(({ profile }) => profile.id === state.profile?.id)
  if (!view) throw createRefusedError('NOT_CONNECTED', 'No host is connected.')
  return view
}
