import type { ChildProcess } from 'node:child_process'

/** A program that is busy does not hear a signal, so it is ended after this time. */
const MAX_STOP_MS = 3_000

/** Passes the signals of this process to a program, which ends within three seconds. */
export function forwardSignals(child: ChildProcess): void {
  let timer: NodeJS.Timeout | null = null
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const onSignal = (): void => {
      child.kill(signal)
      timer ??= setTimeout(() => child.kill('SIGKILL'), MAX_STOP_MS)
    }
    process.on(signal, onSignal)
    child.once('exit', () => {
      process.off(signal, onSignal)
      if (timer) clearTimeout(timer)
    })
  }
}
