import { setTimeout } from 'node:timers/promises'
import { AppError, createCancelledError, createRefusedError } from '../shared/errors.ts'
import { extractEnvironment, assertNoTokenFlag } from '../electron/config.ts'
import type { Ports } from '../electron/app-composition.ts'
import { commandNames } from '../electron/system/command-names.ts'
import type { ExitName } from '../electron/system/program-exits.ts'
import { DEFAULT_COMMAND, loadCommand, loadCommands } from './commands/index.ts'
import type { Command, CommandContext, CommandExit } from './base/command.ts'
import { parseDurationMs, createUsageError } from './base/flags.ts'
import { formatCommandHelp, formatProgramHelp } from './describe/help.ts'
import type { Io, StandardStreams } from './base/io.ts'
import { parseCommand, suggestWord, splitCommandLine } from './base/command-line.ts'
import { toProgramConfig, connectSession, startSession, type ProgramFiles, type Session } from './base/session.ts'

export interface StopSignal {
  readonly signal: AbortSignal
  /** The first reason to stop; null if the command was not stopped. */
  getReason(): ExitName | null
  requestStop(reason: ExitName): void
  /** Resolves with the next signal, or with null when the command stops or nobody waits. */
  waitForSignal(until?: AbortSignal): Promise<NodeJS.Signals | null>
  dispose(): void
}

/** The program runs in plain Node, or in the main process of the desktop app. */
export interface ProgramEnvironment extends Pick<Ports, 'cipher' | 'runtime' | 'version'> {
  readonly streams: StandardStreams
  readonly env: Record<string, string | undefined>
  readonly files: ProgramFiles
  readonly runProgram: CommandContext['runProgram']
}

/** @param isHelpWanted true if the help is to be printed instead */
export async function runCommand(
  argv: readonly string[],
  isHelpWanted: boolean,
  environment: ProgramEnvironment,
  io: Io,
  stop: StopSignal,
): Promise<CommandExit> {
  assertNoTokenFlag(argv)
  const { isTTY, columns: declaredColumns } = environment.streams.stdout
  const columns = isTTY === true ? declaredColumns : undefined
  const words = await findCommandWord(argv)
  const helpTopic = words.command === 'help' ? (words.rest[0] ?? null) : words.command
  if (helpTopic === null && (isHelpWanted || words.command === 'help'))
    return printAndExit(io, formatProgramHelp(await loadCommands(), columns))
  const command = await findCommand(helpTopic ?? DEFAULT_COMMAND)
  if (isHelpWanted || words.command === 'help') return printAndExit(io, formatCommandHelp(command, columns))
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

/** A flag before the command may belong to any of them. */
async function findCommandWord(argv: readonly string[]): Promise<ReturnType<typeof splitCommandLine>> {
  const [word] = argv
  if (word === undefined || !word.startsWith('-')) return { command: word ?? null, rest: argv.slice(1) }
  return splitCommandLine(argv, await loadCommands())
}

async function findCommand(name: string): Promise<Command> {
  const command = await loadCommand(name)
  if (command) return command
  // Only what looks like a command is repeated: anything else could be a misplaced token.
  const looksLikeCommand = /^[a-z-]{1,20}$/.test(name)
  const suggestion = looksLikeCommand ? suggestWord(name, ['help', ...commandNames]) : ''
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
