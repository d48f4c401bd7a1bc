import { setPriority } from 'node:os'

/**
 * Sets the priority of the calling thread. Does nothing except on Linux, because only Linux has a
 * priority for each thread.
 */
export function trySetPriority(priority: number): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(0, priority)
  } catch {
    // Without privileges, the priority cannot be raised, also not from a low one of the program.
  }
}
