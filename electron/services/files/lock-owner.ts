import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { createChildEnv } from '../../system/child-env.ts'
import { readRegularFile } from '../../system/regular-file.ts'

const ownerSchema = z.looseObject({
  pid: z.number().int().positive(),
  /** Result of `getProcessStart` for the owner; null if the system does not say. */
  started: z.string().nullable().optional(),
  id: z.string().optional(),
  /** What kind of program it is; absent in locks of earlier versions. */
  holder: z.enum(['desktop', 'browser', 'command']).optional().catch(undefined),
})

/** The process that a lock names. */
type LockOwner = z.infer<typeof ownerSchema>
export type LockHolder = NonNullable<LockOwner['holder']>

/** What a lock file says; null if it is missing or useless. */
export function readLockOwner(file: string): LockOwner | null {
  try {
    return ownerSchema.parse(JSON.parse(readRegularFile(file).text))
  } catch {
    return null
  }
}

/** Whether the owner is another process that still exists. */
export function isLockHeld({ pid, started }: LockOwner): boolean {
  if (pid === process.pid || !isProcessAlive(pid)) return false
  const now = getProcessStart(pid)
  return !started || now === null || now === started
}

/**
 * Whether a process with this id is alive. One that has ended but was not reaped by its parent no
 * longer holds anything.
 */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process: it is alive, we are just not allowed to signal it.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  return !hasEnded(pid)
}

/** Whether the process is a zombie (Z) or dead (X); false if the system does not say. */
function hasEnded(pid: number): boolean {
  try {
    if (process.platform === 'linux') return /^[ZXx]/.test(linuxStat(pid)[0] ?? '')
    if (process.platform === 'darwin') return ps('state=', pid).startsWith('Z')
  } catch {
    // It ended in the meantime, or there is no way to ask: signal 0 decides.
  }
  return false
}

/**
 * When a process was started, in the system's own notation; null if unknown. Process ids are reused
 * after a reboot, and right away in a container: only id and start together identify a process.
 */
export function getProcessStart(pid: number): string | null {
  try {
    if (process.platform === 'linux') return linuxStart(pid)
    if (process.platform === 'darwin') return ps('lstart=', pid) || null
  } catch {
    // No such process, or no way to ask.
  }
  return null
}

/** Field 22 of `stat` counts the ticks since boot. */
function linuxStart(pid: number): string | null {
  const ticks = linuxStat(pid)[19]
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return ticks === undefined ? null : `${boot}/${ticks}`
}

/**
 * The fields of `stat` from the third one (the state) on; the name in field 2 may contain spaces
 * and brackets.
 */
function linuxStat(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** One column of `ps` for this process. Throws if there is no such process. */
function ps(column: string, pid: number): string {
  const options = { encoding: 'utf8', timeout: 2_000, stdio: 'pipe', env: createChildEnv(process.env) } as const
  return execFileSync('/bin/ps', ['-o', column, '-p', String(pid)], options).trim()
}
