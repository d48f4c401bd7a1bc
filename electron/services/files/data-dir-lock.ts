import { randomUUID } from 'node:crypto'
import { linkSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { makeDataDir, tryRemoveFile } from './atomic-file.ts'
import { isLockHeld, isProcessAlive, getProcessStart, readLockOwner, type LockHolder } from './lock-owner.ts'

/** Programs that start at the same moment get in each other's way for a few milliseconds. */
const ATTEMPTS = 100

/**
 * Claims the data directory for this process, which `lock.json` then names. The lock of a process
 * that is gone is taken over. Throws `DATA_DIR_IN_USE` if another process holds it, and
 * `DATA_DIR_UNUSABLE`. Returns a function that releases the lock.
 */
export function acquireDataDirLock(dataDir: string, holder: LockHolder): () => void {
  const file = path.join(dataDir, 'lock.json')
  const mine = `${file}.${process.pid}.tmp`
  const id = randomUUID()
  try {
    makeDataDir(dataDir)
    const text = JSON.stringify({
      pid: process.pid,
      started: getProcessStart(process.pid),
      id,
      holder,
      since: Date.now(),
    })
    writeNew(mine, text)
    for (let attempt = 1; !placed(mine, file, text); attempt += 1) {
      refuseWhereHeld(file, dataDir)
      if (attempt > ATTEMPTS) throw unusable(dataDir, null)
      withExclusiveFile(file, text, () => {
        refuseWhereHeld(file, dataDir)
        tryRemoveFile(file)
      })
    }
  } catch (error) {
    throw error instanceof AppError ? error : unusable(dataDir, error)
  } finally {
    tryRemoveFile(mine)
  }
  sweep(dataDir)
  return () => {
    if (readLockOwner(file)?.id === id) tryRemoveFile(file)
  }
}

function refuseWhereHeld(file: string, dataDir: string): void {
  const owner = readLockOwner(file)
  if (owner && isLockHeld(owner)) throw inUse(owner, dataDir)
}

/**
 * Puts a finished lock in place, so that nobody ever reads half of one. Returns false if there
 * already is one.
 */
function placed(mine: string, file: string, text: string): boolean {
  return unlessThere(() => {
    try {
      linkSync(mine, file)
    } catch (error) {
      // This disk has no hard links (FAT, some network shares).
      if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes(codeOf(error))) throw error
      writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
    }
  })
}

function unlessThere(create: () => void): boolean {
  try {
    create()
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Acts only while no other process is here; otherwise does nothing after a short wait. Only one
 * process at a time may remove a dead lock, because a second one might remove the first one's new
 * lock. Each puts up a claim under a name of its own and then looks around, so that of two
 * processes at least one sees the other. The claim of a dead process counts for nothing.
 */
function withExclusiveFile(file: string, text: string, act: () => void): void {
  const claim = `${file}.${process.pid}.claim`
  try {
    writeNew(claim, text)
    const dir = path.dirname(file)
    const others = readdirSync(dir).filter((name) => name.endsWith('.claim') && name !== path.basename(claim))
    if (!others.some((name) => isClaimed(path.join(dir, name)))) return act()
  } finally {
    tryRemoveFile(claim)
  }
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1 + Math.random() * 20)
}

/**
 * A file of our own: whatever a killed process or a stranger left under this name is removed, never
 * written through.
 */
function writeNew(file: string, text: string): void {
  rmSync(file, { force: true })
  writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
}

/**
 * A claim that is still being written says nothing yet, so the process id in its name has to do.
 */
function isClaimed(claim: string): boolean {
  return isLockHeld(readLockOwner(claim) ?? { pid: Number(claim.split('.').at(-2)) })
}

/** Removes what processes left behind when they were killed in the middle of a write. */
function sweep(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = /\.json\.(\d+)\.(?:tmp|claim)$/.exec(name)?.[1]
    if (pid !== undefined && !isProcessAlive(Number(pid))) tryRemoveFile(path.join(dataDir, name))
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

const holders: Readonly<Record<LockHolder | 'unknown', string>> = {
  desktop: 'Bridge Inspector’s window',
  browser: 'Bridge Inspector in the browser',
  command: 'A command of Bridge Inspector that writes',
  unknown: 'Bridge Inspector',
}

function inUse({ pid, holder }: { pid: number; holder?: LockHolder | undefined }, dataDir: string): AppError {
  const name = holders[holder ?? 'unknown']
  return new AppError({
    kind: 'refused',
    code: 'DATA_DIR_IN_USE',
    message: `${name} is already running with this data directory (process ${pid}, ${dataDir}). Use that one, quit it, or choose another directory with --data-dir.`,
    retryable: false,
    params: { pid, holder: holder ?? 'unknown', name },
  })
}

function unusable(dataDir: string, error: unknown): AppError {
  const reason = codeOf(error) || 'its lock cannot be replaced'
  return new AppError(
    {
      kind: 'refused',
      code: 'DATA_DIR_UNUSABLE',
      message: `The data directory ${dataDir} cannot be used (${reason}). Choose another directory with --data-dir.`,
      retryable: false,
      params: { reason },
    },
    { cause: error },
  )
}
