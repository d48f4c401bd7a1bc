import { randomUUID } from 'node:crypto'
import { linkSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { makeDataDir, removeQuietly } from './atomic.ts'
import { isHeld, lives, processStart, readOwner } from './owner.ts'

/** Programs that start at the same moment get in each other's way for a few milliseconds. */
const ATTEMPTS = 100

/**
 * Takes the data directory for this process: `lock.json` names it. The lock of a process that is gone is taken over. Throws
 * `DATA_DIR_IN_USE` when another one lives, and `DATA_DIR_UNUSABLE`. Returns what releases it.
 */
export function takeLock(dataDir: string): () => void {
  const file = path.join(dataDir, 'lock.json')
  const mine = `${file}.${process.pid}.tmp`
  const id = randomUUID()
  try {
    makeDataDir(dataDir)
    const text = JSON.stringify({ pid: process.pid, started: processStart(process.pid), id, since: Date.now() })
    writeNew(mine, text)
    for (let attempt = 1; !placed(mine, file, text); attempt += 1) {
      refuseWhereHeld(file, dataDir)
      if (attempt > ATTEMPTS) throw unusable(dataDir, null)
      alone(file, text, () => {
        refuseWhereHeld(file, dataDir)
        removeQuietly(file)
      })
    }
  } catch (error) {
    throw error instanceof AppError ? error : unusable(dataDir, error)
  } finally {
    removeQuietly(mine)
  }
  sweep(dataDir)
  return () => {
    if (readOwner(file)?.id === id) removeQuietly(file)
  }
}

function refuseWhereHeld(file: string, dataDir: string): void {
  const owner = readOwner(file)
  if (owner && isHeld(owner)) throw inUse(owner.pid, dataDir)
}

/** Puts a finished lock in place, so that nobody ever reads half of one; false when one is there. */
function placed(mine: string, file: string, text: string): boolean {
  return unlessThere(() => {
    try {
      linkSync(mine, file)
    } catch (error) {
      // No links on this disk (FAT, some network shares).
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
 * Acts only while no other process stands here; otherwise does nothing, after a short wait. A dead lock may be taken away
 * by one process at a time: a second one could take away the new lock of the first. Each puts up a claim under a name of
 * its own and then looks around, so that of two at least one sees the other; the claim of a dead process counts for nothing.
 */
function alone(file: string, text: string, act: () => void): void {
  const claim = `${file}.${process.pid}.claim`
  try {
    writeNew(claim, text)
    const dir = path.dirname(file)
    const others = readdirSync(dir).filter((name) => name.endsWith('.claim') && name !== path.basename(claim))
    if (!others.some((name) => isClaimed(path.join(dir, name)))) return act()
  } finally {
    removeQuietly(claim)
  }
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1 + Math.random() * 20)
}

/** A file of our own: what a killed process or a stranger left under this name is removed, never written through. */
function writeNew(file: string, text: string): void {
  rmSync(file, { force: true })
  writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
}

/** A claim that is being written says nothing yet: then the id in its name has to do. */
function isClaimed(claim: string): boolean {
  return isHeld(readOwner(claim) ?? { pid: Number(claim.split('.').at(-2)) })
}

/** What a process that was killed in the middle of a write left behind. */
function sweep(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = /\.json\.(\d+)\.(?:tmp|claim)$/.exec(name)?.[1]
    if (pid !== undefined && !lives(Number(pid))) removeQuietly(path.join(dataDir, name))
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

function inUse(pid: number, dataDir: string): AppError {
  return new AppError({
    kind: 'refused',
    code: 'DATA_DIR_IN_USE',
    message: `Bridge Inspector already runs on this data directory (process ${pid}, ${dataDir}). Use that one, end it, or start this one with --data-dir and another directory.`,
    retryable: false,
    params: { pid },
  })
}

function unusable(dataDir: string, error: unknown): AppError {
  const reason = codeOf(error) || 'its lock cannot be replaced'
  return new AppError(
    {
      kind: 'refused',
      code: 'DATA_DIR_UNUSABLE',
      message: `The data directory ${dataDir} cannot be used (${reason}). Start with --data-dir and another directory.`,
      retryable: false,
      params: { reason },
    },
    { cause: error },
  )
}
