import { setTimeout } from 'node:timers/promises'
import { AppError, createCancelledError, createRefusedError, toWireError } from '../shared/errors.ts'
import { extractEnvironment, assertNoTokenFlag } from '../electron/config.ts'
import type { Ports } from '../electron/app-composition.ts'
import { createCheckedOutput, formatErrorLine, createOutputError } from '../electron/system/output.ts'
import { commands, DEFAULT_COMMAND } from './commands/index.ts'
import type { Command, CommandContext, CommandExit } from './base/command.ts'
import { parseDurationMs, createUsageError } from './base/flags.ts'
import { formatCommandHelp, formatProgramHelp } from './describe/help.ts'
import { toExitName, programExits, type ExitName } from '../electron/system/program-exits.ts'
import { formatError } from './output/error-text.ts'
import { printResponse } from './output/response-list.ts'
import { createIo, type Io, type StandardStreams } from './base/io.ts'
import { parseCommand, suggestWord, hasFlag, splitCommandLine } from './base/command-line.ts'
import { toProgramConfig, connectSession, startSession, type ProgramFiles, type Session } from './base/session.ts'

interface StopSignal {
  readonly signal: AbortSignal
  /** The first reason to stop; null if the command was not stopped. */
  getReason(): ExitName | null
  requestStop(reason: ExitName): void
  /** Resolves with the next signal, or with null when the command stops or nobody waits. */
  waitForSignal(until?: AbortSignal): Promise<NodeJS.Signals | null>
  dispose(): void
}

const stopReasons = { SIGINT: 'interrupted', SIGTERM: 'ended', SIGHUP: 'ended' } as const satisfies Partial<
  Record<NodeJS.Signals, ExitName>
>

/** Ctrl+C and signals stop the command. The second one ends the process at once. */
function listenForSignals(): StopSignal {
  const abort = new AbortController()
  let firstReason: ExitName | null = null
  let endWait: ((name: NodeJS.Signals | null) => void) | null = null
  const requestStop = (reason: ExitName): void => {
    firstReason ??= reason
    abort.abort()
  }
  const handlers = Object.entries(stopReasons).map(([name, reason]) => {
    const handler = (): void => {
      if (endWait) return endWait(name as NodeJS.Signals)
      if (abort.signal.aborted) process.exit(programExits[reason].code)
      requestStop(reason)
    }
    process.on(name, handler)
    return () => process.off(name, handler)
  })
  return {
    signal: abort.signal,
    getReason: () => firstReason,
    requestStop,
    waitForSignal: (until) =>
      new Promise((resolve) => {
        const end = until ? AbortSignal.any([abort.signal, until]) : abort.signal
        if (end.aborted) return resolve(null)
        const onAbort = (): void => endWait?.(null)
        endWait = (name) => {
          endWait = null
          end.removeEventListener('abort', onAbort)
          resolve(name)
        }
        end.addEventListener('abort', onAbort, { once: true })
      }),
    dispose: () => handlers.forEach((off) => off()),
  }
}

/** The program runs in plain Node, or in the main process of the desktop app. */
export interface ProgramEnvironment extends Pick<Ports, 'cipher' | 'runtime' | 'version'> {
  readonly streams: StandardStreams
  readonly env: Record<string, string | undefined>
  readonly files: ProgramFiles
  readonly runProgram: CommandContext['runProgram']
}

/** Returns the exit code after all output has been written. */
export async function runCli(argv: readonly string[], environment: ProgramEnvironment): Promise<number> {
  const stop = listenForSignals()
  const quiet = hasFlag(argv, '--quiet')
  const hasColor = !hasFlag(argv, '--no-color')
  const { stdin, stdout, stderr } = environment.streams
  const streams = { stdin, stdout: createCheckedOutput(stdout), stderr: createCheckedOutput(stderr) }
  const programEnvironment = { ...environment, streams }
  let outputFailure: AppError | null = null
  const io = createIo(
    streams,
    { isQuiet: quiet, hasColor: hasColor, env: programEnvironment.env },
    {
      onReaderGone: () => stop.requestStop('ok'),
      onOutputFailed(stream, error) {
        const failure = createOutputError(error)
        outputFailure ??= failure
        if (stream === 'stderr') return
        io.printStderr(formatErrorLine(failure))
        stop.requestStop('failed')
      },
    },
    stop.signal,
  )
  let code: number
  try {
    const commandExit = await runCommand(argv, programEnvironment, io, stop)
    await io.flush()
    code = toExitCode(stop.getReason() ?? commandExit)
  } catch (thrown) {
    const reason = stop.getReason()
    const { kind, responseBytes = null } = thrown instanceof AppError ? thrown : {}
    if (reason === null && kind === 'unread' && responseBytes) await printResponse(io, new Uint8Array(responseBytes))
    if (reason === null) io.printStderr(formatError(thrown))
    code = toExitCode(reason ?? toExitName(thrown instanceof AppError ? thrown : new AppError(toWireError(thrown))))
    await io.flush()
  } finally {
    io.showProgress(null)
    stop.dispose()
  }
  // If standard error failed, nobody saw an error message, so at least the exit code reports it.
  return code === programExits.ok.code && outputFailure !== null ? programExits.failed.code : code
}

const toExitCode = (commandExit: CommandExit): number =>
  typeof commandExit === 'number' ? commandExit : programExits[commandExit].code

async function runCommand(
  argv: readonly string[],
  environment: ProgramEnvironment,
  io: Io,
  stop: StopSignal,
): Promise<CommandExit> {
  assertNoTokenFlag(argv)
  const words = splitCommandLine(argv, commands)
  const wantsHelp = hasFlag(argv, '--help', '-h')
  const { isTTY, columns: declaredColumns } = environment.streams.stdout
  const columns = isTTY === true ? declaredColumns : undefined
  if (words.command === null && wantsHelp) return printAndExit(io, formatProgramHelp(commands, columns))
  if (hasFlag(argv, '--version', '-V')) return printAndExit(io, environment.version)
  if (words.command === 'help')
    return printAndExit(
      io,
      words.rest[0] ? formatCommandHelp(findCommand(words.rest[0]), columns) : formatProgramHelp(commands, columns),
    )
  const command = findCommand(words.command ?? DEFAULT_COMMAND)
  if (wantsHelp) return printAndExit(io, formatCommandHelp(command, columns))
  // Words for another entry point are checked here too, for all commands' errors to be alike.
  const { args, options, words: checkedWords } = parseCommand(command, words.rest)
  const sessions: Session[] = []
  const timers: NodeJS.Timeout[] = []
  const env = command.isPassThrough ? environment.env : extractEnvironment(environment.env)
  const context: CommandContext = {
    io,
    streams: environment.streams,
    version: environment.version,
    resources: environment.files.resources,
    signal: stop.signal,
    env,
    runProgram: environment.runProgram,
    waitForSignal: stop.waitForSignal,
    async openSession(sessionOptions) {
      const timeoutMs = parseDurationMs('timeout', sessionOptions.host.timeout)
      const { timeLimit = 'command' } = sessionOptions
      const config = {
        ...toProgramConfig(sessionOptions.host, env),
        timeoutMs: timeLimit === 'none' ? null : (timeoutMs ?? null),
      }
      if (timeLimit !== 'none' && timeoutMs !== undefined) timers.push(stopAfter(timeoutMs, io, stop))
      for (const { message } of config.warnings) io.printNote(`Warning: ${message}`)
      const session = await retryWhileLocked(
        () => startSession(config, { ...environment, env }, sessionOptions, stop.signal),
        sessionOptions.waitLockMs,
        io,
        stop.signal,
      )
      sessions.push(session)
      for (const { code, message } of session.app.listNotices())
        if (code.startsWith('PROFILES_SHARE_')) io.printNote(message)
      const connection = await connectSession(session, sessionOptions, stop.signal)
      // A write is not cancelled after this point; each of its requests has its own time limit.
      if (timeLimit === 'request') for (const timer of timers) clearTimeout(timer)
      return connection
    },
  }
  try {
    return await command.run(context, command.isPassThrough ? checkedWords : args, options)
  } finally {
    for (const timer of timers) clearTimeout(timer)
    for (const { app } of sessions) await app.dispose()
  }
}

function stopAfter(ms: number, io: Io, stop: StopSignal): NodeJS.Timeout {
  return globalThis.setTimeout(() => {
    io.printStderr(`TIMEOUT: It did not end within ${ms / 1000} s (--timeout).`)
    stop.requestStop('offline')
  }, ms)
}

function findCommand(name: string): Command {
  const command = commands.find((candidate) => candidate.name === name)
  if (command) return command
  // Only what looks like a command is repeated: anything else could be a misplaced token.
  const looksLikeCommand = /^[a-z-]{1,20}$/.test(name)
  const suggestion = looksLikeCommand ? suggestWord(name, ['help', ...commands.map((candidate) => candidate.name)]) : ''
  throw createUsageError(
    `There is no command${looksLikeCommand ? ` "${name}"` : ''}.${suggestion} --help lists the commands.`,
  )
}

async function printAndExit(io: Io, text: string): Promise<ExitName> {
  await io.printText(`${text}\n`)
  return 'ok'
}

/** Time to wait for another command, which ends by itself; the app is not waited for. */
const WAIT_FOR_COMMAND_MS = 10_000
const LOCK_POLL_MS = 100

/** Says who locks the directory, and retries until the time is over. @throws DATA_DIR_IN_USE */
async function retryWhileLocked(
  start: () => Promise<Session>,
  waitMs: number | undefined,
  io: Io,
  signal: AbortSignal,
): Promise<Session> {
  const startedAt = performance.now()
  for (let hasPrintedNote = false; ;) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'DATA_DIR_IN_USE') throw error
      const { name = 'Bridge Inspector', pid = 0, holder } = error.wire.params ?? {}
      const limit = waitMs ?? (holder === 'command' ? WAIT_FOR_COMMAND_MS : 0)
      if (performance.now() - startedAt >= limit) throw createDataDirInUseError(`${name} (process ${pid})`, limit)
      if (!hasPrintedNote) io.printNote(`Waiting for the data directory, in which process ${pid} writes: ${name}.`)
      hasPrintedNote = true
    }
    await setTimeout(LOCK_POLL_MS, undefined, { signal }).catch(() => {
      throw createCancelledError()
    })
  }
}

const createDataDirInUseError = (holder: string, waitedMs: number): AppError =>
  createRefusedError(
    'DATA_DIR_IN_USE',
    `${holder} is running with this data directory, and keeps the journal that a write must be in. ${waitedMs > 0 ? `It did not end within ${waitedMs / 1000} s. ` : ''}Nothing was sent. Write there, end it, wait for it with --wait-lock, or use another directory with --data-dir.`,
  )
