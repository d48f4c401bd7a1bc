import { AppError, toWire, refused } from '../shared/errors.ts'
import { takeEnvironment, refuseToken } from '../electron/config.ts'
import type { Ports } from '../electron/compose.ts'
import { commands, DEFAULT_COMMAND } from './commands/index.ts'
import { usageError, type Command, type Context, type Ending } from './command.ts'
import { commandHelp, programHelp } from './describe/help.ts'
import { exitFor, exits, type ExitName } from './exit.ts'
import { createIo, type Io, type Streams } from './io/io.ts'
import { parsed } from './parse/parse.ts'
import { has, wordsOf } from './parse/words.ts'
import { configOf } from './session/config.ts'
import { connected, startSession, type Files, type Session } from './session/session.ts'
import { onSignals, type Stop } from './signals.ts'

/** What the program is started in: plain Node, or the main process of the desktop app. */
export interface Host extends Pick<Ports, 'cipher' | 'runtime' | 'version'> {
  readonly streams: Streams
  readonly env: Record<string, string | undefined>
  readonly files: Files
  readonly become: Context['become']
}

/** Runs a command line. Returns the exit code; everything that was printed has been handed over by then. */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  const stop = onSignals()
  const quiet = has(argv, '--quiet')
  const color = !has(argv, '--no-color')
  const { streams, env } = host
  const io = createIo(streams, { quiet, color, env }, () => stop.end('ok'), stop.signal)
  try {
    const ending = await perform(argv, host, io, stop)
    return codeOf(stop.reason() ?? ending)
  } catch (thrown) {
    const reason = stop.reason()
    if (reason !== null) return codeOf(reason)
    const error = thrown instanceof AppError ? thrown : new AppError(toWire(thrown))
    io.complain(
      `${error.code ?? error.kind.toUpperCase()}: ${thrown instanceof AppError ? error.message : describe(thrown)}`,
    )
    return codeOf(exitFor(error))
  } finally {
    io.progress(null)
    stop.dispose()
  }
}

const codeOf = (ending: Ending): number => (typeof ending === 'number' ? ending : exits[ending].code)

/** A defect: there is no log here, so whoever reports it needs what it says. Foreign data and tokens never get into such a message. */
const describe = (thrown: unknown): string =>
  thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)

async function perform(argv: readonly string[], host: Host, io: Io, stop: Stop): Promise<Ending> {
  refuseToken(argv)
  const words = wordsOf(argv, commands)
  const wantsHelp = has(argv, '--help', '-h')
  if (words.command === null && wantsHelp) return printed(io, programHelp(commands))
  if (has(argv, '--version')) return printed(io, host.version)
  if (words.command === 'help')
    return printed(io, words.rest[0] ? commandHelp(named(words.rest[0])) : programHelp(commands))
  const command = named(words.command ?? DEFAULT_COMMAND)
  if (wantsHelp) return printed(io, commandHelp(command))
  const { args, options } = command.passes ? { args: words.rest, options: {} } : parsed(command, words.rest)
  const opened: Session[] = []
  const env = command.passes ? host.env : takeEnvironment(host.env)
  const context: Context = {
    io,
    streams: host.streams,
    version: host.version,
    signal: stop.signal,
    become: host.become,
    async open(wanted) {
      const config = configOf(wanted.host, env)
      for (const { message } of config.warnings) io.remark(`Warning: ${message}`)
      const session = await startSession(config, { ...host, env }, wanted, stop.signal).catch((error: unknown) => {
        throw inUse(error) ? dataDirInUse() : error
      })
      opened.push(session)
      return connected(session, wanted)
    },
  }
  try {
    return await command.run(context, args, options)
  } finally {
    for (const { app } of opened) await app.dispose()
  }
}

function named(name: string): Command {
  const command = commands.find((one) => one.name === name)
  if (command) return command
  // Only a word that looks like a command is repeated: anything else could be a misplaced token.
  const shown = /^[a-z-]{1,20}$/.test(name) ? ` "${name}"` : ''
  throw usageError(`There is no command${shown}. --help lists the commands.`)
}

async function printed(io: Io, text: string): Promise<ExitName> {
  await io.say(`${text}\n`)
  return 'ok'
}

const inUse = (error: unknown): boolean => error instanceof AppError && error.code === 'DATA_DIR_IN_USE'

const dataDirInUse = (): AppError =>
  refused(
    'DATA_DIR_IN_USE',
    'Bridge Inspector is running with this data directory, and keeps the journal that a write must be in. Nothing was sent. Write in the app, close it, or use another directory with --data-dir.',
  )
