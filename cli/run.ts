import { setTimeout } from 'node:timers/promises'
import { AppError, cancelled, refused, toWire } from '../shared/errors.ts'
import { takeEnvironment, refuseToken } from '../electron/config.ts'
import type { Ports } from '../electron/compose.ts'
import { dependableOutput, errorLine, outputFailed } from '../electron/system/output.ts'
import { commands, DEFAULT_COMMAND } from './commands/index.ts'
import type { Command, Context, Ending } from './base/command.ts'
import { durationOf, usageError } from './base/flags.ts'
import { commandHelp, programHelp } from './describe/help.ts'
import { exitFor, exits, type ExitName } from '../shared/exit.ts'
import { complaintOf } from './output/host-error.ts'
import { createIo, type Io, type Streams } from './base/io.ts'
import { parsed, suggestionFor, has, wordsOf } from './base/parse.ts'
import { configOf, connected, startSession, type Files, type Session } from './base/session.ts'

/** The one way in which a command is told to stop. */
interface Stop {
  readonly signal: AbortSignal
  /** Why it was told to; null if it was not. */
  reason(): ExitName | null
  end(reason: ExitName): void
  dispose(): void
}

const reasons = { SIGINT: 'interrupted', SIGTERM: 'ended', SIGHUP: 'ended' } as const satisfies Partial<
  Record<NodeJS.Signals, ExitName>
>

/** Stops on Ctrl+C and on signals. The second one ends the process at once. */
function onSignals(): Stop {
  const abort = new AbortController()
  let why: ExitName | null = null
  const end = (reason: ExitName): void => {
    why ??= reason
    abort.abort()
  }
  const handlers = Object.entries(reasons).map(([name, reason]) => {
    const handler = (): void => {
      if (abort.signal.aborted) process.exit(exits[reason].code)
      end(reason)
    }
    process.on(name, handler)
    return () => process.off(name, handler)
  })
  return { signal: abort.signal, reason: () => why, end, dispose: () => handlers.forEach((off) => off()) }
}

/** What the program is started in: plain Node, or the main process of the desktop app. */
export interface Host extends Pick<Ports, 'cipher' | 'runtime' | 'version'> {
  readonly streams: Streams
  readonly env: Record<string, string | undefined>
  readonly files: Files
  readonly become: Context['become']
}

/** Runs a command line. Returns the exit code; everything that was printed has been handed over by then. */
export async function run(argv: readonly string[], started: Host): Promise<number> {
  const stop = onSignals()
  const quiet = has(argv, '--quiet')
  const color = !has(argv, '--no-color')
  const { stdin, stdout, stderr } = started.streams
  const streams = { stdin, stdout: dependableOutput(stdout), stderr: dependableOutput(stderr) }
  const host = { ...started, streams }
  let outputFailure: AppError | null = null
  const io = createIo(
    streams,
    { quiet, color, env: host.env },
    {
      onReaderGone: () => stop.end('ok'),
      onOutputFailed(stream, error) {
        const failure = outputFailed(error)
        outputFailure ??= failure
        if (stream === 'stderr') return
        io.complain(errorLine(failure))
        stop.end('failed')
      },
    },
    stop.signal,
  )
  let code: number
  try {
    const ending = await perform(argv, host, io, stop)
    await io.flush()
    code = codeOf(stop.reason() ?? ending)
  } catch (thrown) {
    const reason = stop.reason()
    if (reason === null) io.complain(complaintOf(thrown))
    code = codeOf(reason ?? exitFor(thrown instanceof AppError ? thrown : new AppError(toWire(thrown))))
    await io.flush()
  } finally {
    io.progress(null)
    stop.dispose()
  }
  // What should have stood on standard error is missing as well: then at least the exit code says that something failed.
  return code === exits.ok.code && outputFailure !== null ? exits.failed.code : code
}

const codeOf = (ending: Ending): number => (typeof ending === 'number' ? ending : exits[ending].code)

async function perform(argv: readonly string[], host: Host, io: Io, stop: Stop): Promise<Ending> {
  refuseToken(argv)
  const words = wordsOf(argv, commands)
  const wantsHelp = has(argv, '--help', '-h')
  if (words.command === null && wantsHelp) return printed(io, programHelp(commands))
  if (has(argv, '--version', '-V')) return printed(io, host.version)
  if (words.command === 'help')
    return printed(io, words.rest[0] ? commandHelp(named(words.rest[0])) : programHelp(commands))
  const command = named(words.command ?? DEFAULT_COMMAND)
  if (wantsHelp) return printed(io, commandHelp(command))
  // Another entry point parses its words itself; they are checked here all the same, so that every command complains alike.
  const { args, options, words: checked } = parsed(command, words.rest)
  const opened: Session[] = []
  const timers: NodeJS.Timeout[] = []
  const env = command.passes ? host.env : takeEnvironment(host.env)
  const context: Context = {
    io,
    streams: host.streams,
    version: host.version,
    signal: stop.signal,
    become: host.become,
    async open(wanted) {
      const timeoutMs = durationOf('timeout', wanted.host.timeout)
      const { timeLimit = 'command' } = wanted
      const config = { ...configOf(wanted.host, env), timeoutMs: timeLimit === 'none' ? null : (timeoutMs ?? null) }
      if (timeLimit !== 'none' && timeoutMs !== undefined) timers.push(stopAfter(timeoutMs, io, stop))
      for (const { message } of config.warnings) io.remark(`Warning: ${message}`)
      const session = await startedOnceFree(
        () => startSession(config, { ...host, env }, wanted, stop.signal),
        wanted.waitLockMs,
        io,
        stop.signal,
      )
      opened.push(session)
      for (const { code, message } of session.app.notices()) if (code.startsWith('PROFILES_SHARE_')) io.remark(message)
      const connection = await connected(session, wanted, stop.signal)
      // From here on, what a command writes is not called back: each of its requests has its own limit.
      if (timeLimit === 'request') for (const timer of timers) clearTimeout(timer)
      return connection
    },
  }
  try {
    return await command.run(context, command.passes ? checked : args, options)
  } finally {
    for (const timer of timers) clearTimeout(timer)
    for (const { app } of opened) await app.dispose()
  }
}

/** Ends a command that only reads when its time is over. */
function stopAfter(ms: number, io: Io, stop: Stop): NodeJS.Timeout {
  return globalThis.setTimeout(() => {
    io.complain(`TIMEOUT: It did not end within ${ms / 1000} s (--timeout).`)
    stop.end('offline')
  }, ms)
}

function named(name: string): Command {
  const command = commands.find((one) => one.name === name)
  if (command) return command
  // Only a word that looks like a command is repeated: anything else could be a misplaced token.
  const looksLikeOne = /^[a-z-]{1,20}$/.test(name)
  const suggestion = looksLikeOne ? suggestionFor(name, ['help', ...commands.map((one) => one.name)]) : ''
  throw usageError(`There is no command${looksLikeOne ? ` "${name}"` : ''}.${suggestion} --help lists the commands.`)
}

async function printed(io: Io, text: string): Promise<ExitName> {
  await io.say(`${text}\n`)
  return 'ok'
}

/** How long a command waits for another one, which ends by itself. */
const WAIT_FOR_COMMAND_MS = 10_000
const LOCK_POLL_MS = 100

/** Starts a session once no other program holds the data directory. Says who holds it, and throws `DATA_DIR_IN_USE` when the time is over. */
async function startedOnceFree(
  start: () => Promise<Session>,
  waitMs: number | undefined,
  io: Io,
  signal: AbortSignal,
): Promise<Session> {
  const startedAt = performance.now()
  for (let isTold = false; ;) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'DATA_DIR_IN_USE') throw error
      const { name = 'Bridge Inspector', pid = 0, holder } = error.wire.params ?? {}
      const limit = waitMs ?? (holder === 'command' ? WAIT_FOR_COMMAND_MS : 0)
      if (performance.now() - startedAt >= limit) throw dataDirInUse(`${name} (process ${pid})`, limit)
      if (!isTold) io.remark(`Waiting for the data directory, in which process ${pid} writes: ${name}.`)
      isTold = true
    }
    await setTimeout(LOCK_POLL_MS, undefined, { signal }).catch(() => {
      throw cancelled()
    })
  }
}

const dataDirInUse = (holder: string, waitedMs: number): AppError =>
  refused(
    'DATA_DIR_IN_USE',
    `${holder} is running with this data directory, and keeps the journal that a write must be in. ${waitedMs > 0 ? `It did not end within ${waitedMs / 1000} s. ` : ''}Nothing was sent. Write there, end it, wait for it with --wait-lock, or use another directory with --data-dir.`,
  )
