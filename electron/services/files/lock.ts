import { mkdirSync, openSync, readFileSync, rmSync, writeSync, closeSync } from 'node:fs'
import path from 'node:path'
import { AppError } from '../../../shared/errors.ts'

/**
 * Takes the data directory for this process: `lock.json` holds its process id. The lock of a process that is gone is taken
 * over. Throws `DATA_DIR_IN_USE` when another one lives. Returns what releases it.
 */
export function takeLock(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true })
  const file = path.join(dataDir, 'lock.json')
  for (let attempt = 0; ; attempt += 1) {
    try {
      const handle = openSync(file, 'wx', 0o600)
      writeSync(handle, JSON.stringify({ pid: process.pid, since: Date.now() }))
      closeSync(handle)
      return () => release(file)
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'EEXIST'
      if (!taken || attempt > 3) throw error
      const pid = owner(file)
      if (pid !== null && pid !== process.pid && lives(pid)) throw inUse(pid, dataDir)
      rmSync(file, { force: true })
    }
  }
}

function release(file: string): void {
  if (owner(file) === process.pid) rmSync(file, { force: true })
}

function owner(file: string): number | null {
  try {
    const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid?: unknown }
    return typeof pid === 'number' && Number.isInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function inUse(pid: number, dataDir: string): AppError {
  return new AppError({
    kind: 'refused',
    code: 'DATA_DIR_IN_USE',
    message: `Bridge Inspector already runs on this data directory (process ${pid}, ${dataDir}). Use that one, end it, or start this one with --data-dir and another directory.`,
    retryable: false,
    params: { pid },
  })
}
