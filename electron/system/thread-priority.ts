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

/**
 * Limits of a thread that reads much and keeps little of it. By default it would fill some 50 MB
 * before it drops anything. No limit of what it keeps.
 */
export const THREAD_MEMORY = { maxYoungGenerationSizeMb: 8 }
