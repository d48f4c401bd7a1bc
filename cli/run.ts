import { AppError, toWireError } from '../shared/errors.ts'
import { createCheckedOutput, formatErrorLine, createOutputError } from '../electron/system/output.ts'
import type { CommandExit } from './base/command.ts'
import { toExitName, programExits, type ExitName } from '../electron/system/program-exits.ts'
import { createIo } from './base/io.ts'
import type { ProgramEnvironment, StopSignal } from './run-command.ts'

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

/**
 * Returns the exit code after all output has been written. Only what a command line needs is
 * loaded, because loading the whole program takes several times as long as most commands.
 */
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
    let commandExit: CommandExit = 'ok'
    if (hasFlag(argv, '--version', '-V')) await io.printText(`${environment.version}\n`)
    else {
      const { runCommand } = await import('./run-command.ts')
      const isHelpWanted = hasFlag(argv, '--help', '-h')
      commandExit = await runCommand(argv, isHelpWanted, programEnvironment, io, stop)
    }
    await io.flush()
    code = toExitCode(stop.getReason() ?? commandExit)
  } catch (thrown) {
    const reason = stop.getReason()
    const { kind, responseBytes = null } = thrown instanceof AppError ? thrown : {}
    if (reason === null && kind === 'unread' && responseBytes) {
      const { printResponse } = await import('./output/response-list.ts')
      await printResponse(io, new Uint8Array(responseBytes))
    }
    if (reason === null) io.printStderr((await import('./output/error-text.ts')).formatError(thrown))
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

/** Only words before `--` and without a value count. */
function hasFlag(words: readonly string[], ...names: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end < 0 ? words : words.slice(0, end)).some((word) => names.includes(word.replace(/=true$/, '')))
}
