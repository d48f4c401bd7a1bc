import { spawn } from 'node:child_process'
import { callerFolder } from './paths.mjs'

const MAX_STOP_MS = 3_000

/** By default, a program that passes bytes on keeps up to 96 MB of new objects, mostly garbage. */
export const smallYoungGeneration = '--max-semi-space-size=4'

/** Runs a program in the foreground, passes signals on, and exits with its exit code. */
export function runInForeground(program, args, env = process.env, cwd = callerFolder) {
  const child = spawn(program, args, { cwd, stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      child.kill(signal)
      // A program that is busy does not hear a signal.
      setTimeout(() => child.kill('SIGKILL'), MAX_STOP_MS)
    })
  child.once('error', (error) => {
    process.stderr.write(`${program} could not be started: ${error.message}\n`)
    process.exit(1)
  })
  child.once('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}
