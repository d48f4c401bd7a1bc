import { exits, type ExitName } from '../shared/exit.ts'

/** The one way in which a command is told to stop. */
export interface Stop {
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
export function onSignals(): Stop {
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
