import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createChildEnv } from './child-env.ts'

/** A zombie, which its parent has not reaped yet, does not count: it no longer holds anything. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // The process belongs to another user. It is alive, but must not be signalled.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  return !isZombieOrDead(pid)
}

/** False if the system does not report process states. */
function isZombieOrDead(pid: number): boolean {
  try {
    if (process.platform === 'linux') return /^[ZXx]/.test(readLinuxStat(pid)[0] ?? '')
    if (process.platform === 'darwin') return readPsColumn('state=', pid).startsWith('Z')
  } catch {
    // The process has just ended, or its state is not available: signal 0 decides.
  }
  return false
}

/**
 * Returns when a process was started, in the system's own notation; null if unknown. Process ids
 * are reused after a reboot, and quickly in containers: only id and start together identify a
 * process.
 */
export function getProcessStart(pid: number): string | null {
  try {
    if (process.platform === 'linux') return readLinuxStart(pid)
    if (process.platform === 'darwin') return readPsColumn('lstart=', pid) || null
  } catch {
    // There is no such process, or its start is not available.
  }
  return null
}

/** Field 22 of `stat` counts the ticks since boot. */
function readLinuxStart(pid: number): string | null {
  const ticks = readLinuxStat(pid)[19]
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return ticks === undefined ? null : `${boot}/${ticks}`
}

/** Fields of `stat` from the third (the state) on; the name before may have spaces and brackets. */
function readLinuxStat(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function readPsColumn(column: string, pid: number): string {
  const options = { encoding: 'utf8', timeout: 2_000, stdio: 'pipe', env: createChildEnv(process.env) } as const
  return execFileSync('/bin/ps', ['-o', column, '-p', String(pid)], options).trim()
}
