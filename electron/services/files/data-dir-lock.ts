import { randomUUID } from 'node:crypto'
import { linkSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { makeDataDir, tryRemoveFile } from './atomic-file.ts'
import { getProcessStart, isProcessAlive } from '../../system/process-state.ts'
import { z } from 'zod'
import { readRegularFile } from '../../system/regular-file.ts'

const ownerSchema = z.looseObject({
  pid: z.number().int().positive(),
  /** Result of `getProcessStart` for the owner; null if the system does not report it. */
  started: z.string().nullable().optional(),
  id: z.string().optional(),
  /** The kind of program; absent in locks of earlier versions. */
  holder: z.enum(['desktop', 'browser', 'command']).optional().catch(undefined),
})

type LockOwner = z.infer<typeof ownerSchema>
type LockHolder = NonNullable<LockOwner['holder']>

function readLockOwner(file: string): LockOwner | null {
  try {
    return ownerSchema.parse(JSON.parse(readRegularFile(file).text))
  } catch {
    return null
  }
}

function isLockHeld({ pid, started }: LockOwner): boolean {
  if (pid === process.pid || !isProcessAlive(pid)) return false
  const processStart = getProcessStart(pid)
  return !started || processStart === null || processStart === started
}

/** Programs that start at the same moment block each other for a few milliseconds. */
const MAX_ATTEMPTS = 100

/**
 * Claims the data directory for this process by writing `lock.json`. The lock of a process that has
 * ended is taken over.
 * @returns A function that releases the lock.
 * @throws DATA_DIR_IN_USE when another process holds the lock, or DATA_DIR_UNUSABLE.
 */
export function acquireDataDirLock(dataDir: string, holder: LockHolder): () => void {
  const file = path.join(dataDir, 'lock.json')
  const temporaryFile = `${file}.${process.pid}.tmp`
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
    writeNewFile(temporaryFile, text)
    for (let attempt = 1; !tryPlaceLock(temporaryFile, file, text); attempt += 1) {
      assertLockIsFree(file, dataDir)
      if (attempt > MAX_ATTEMPTS) throw createUnusableError(dataDir, null)
      withExclusiveFile(file, text, () => {
        assertLockIsFree(file, dataDir)
        tryRemoveFile(file)
      })
    }
  } catch (error) {
    throw error instanceof AppError ? error : createUnusableError(dataDir, error)
  } finally {
    tryRemoveFile(temporaryFile)
  }
  removeLeftovers(dataDir)
  return () => {
    if (readLockOwner(file)?.id === id) tryRemoveFile(file)
  }
}

function assertLockIsFree(file: string, dataDir: string): void {
  const owner = readLockOwner(file)
  if (owner && isLockHeld(owner)) throw createInUseError(owner, dataDir)
}

/** Placed in one step, so that no process reads half of it. False if there is a lock already. */
function tryPlaceLock(temporaryFile: string, file: string, text: string): boolean {
  return tryCreate(() => {
    try {
      linkSync(temporaryFile, file)
    } catch (error) {
      // The disk has no hard links (FAT, some network shares).
      if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes(errorCodeOf(error))) throw error
      writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
    }
  })
}

function tryCreate(create: () => void): boolean {
  try {
    create()
    return true
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Calls `action` only if no other process is in the same function for this file; otherwise returns
 * after a short wait. Only one process at a time may remove the lock of an ended process, because a
 * second process might remove the new lock of the first. Each process writes a claim and then looks
 * for other claims, so that of two processes at least one sees the other. Claims of ended processes
 * are ignored.
 */
function withExclusiveFile(file: string, text: string, action: () => void): void {
  const claim = `${file}.${process.pid}.claim`
  try {
    writeNewFile(claim, text)
    const dir = path.dirname(file)
    const others = readdirSync(dir).filter((name) => name.endsWith('.claim') && name !== path.basename(claim))
    if (!others.some((name) => isClaimed(path.join(dir, name)))) return action()
  } finally {
    tryRemoveFile(claim)
  }
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1 + Math.random() * 20)
}

/** Removes the file first, so that a link or FIFO under this name is never written through. */
function writeNewFile(file: string, text: string): void {
  rmSync(file, { force: true })
  writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
}

/** An incomplete claim file has no content yet, so the process id in its name is used. */
function isClaimed(claim: string): boolean {
  return isLockHeld(readLockOwner(claim) ?? { pid: Number(claim.split('.').at(-2)) })
}

/** Removes temporary files of processes that were killed during a write. */
function removeLeftovers(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = /\.json\.(\d+)\.(?:tmp|claim)$/.exec(name)?.[1]
    if (pid !== undefined && !isProcessAlive(Number(pid))) tryRemoveFile(path.join(dataDir, name))
  }
}

const errorCodeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

const HOLDER_NAMES: Readonly<Record<LockHolder | 'unknown', string>> = {
  desktop: 'Bridge Inspector’s window',
  browser: 'Bridge Inspector in the browser',
  command: 'A command of Bridge Inspector that writes',
  unknown: 'Bridge Inspector',
}

function createInUseError(
  { pid, holder }: { pid: number; holder?: LockHolder | undefined },
  dataDir: string,
): AppError {
  const name = HOLDER_NAMES[holder ?? 'unknown']
  return new AppError({
    kind: 'refused',
    code: 'DATA_DIR_IN_USE',
    message: `${name} is already running with this data directory (process ${pid}, ${dataDir}). Use that one, quit it, or choose another directory with --data-dir.`,
    retryable: false,
    params: { pid, holder: holder ?? 'unknown', name },
  })
}

function createUnusableError(dataDir: string, error: unknown): AppError {
  const reason = errorCodeOf(error) || 'its lock cannot be replaced'
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
