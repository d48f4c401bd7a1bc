import { setPriority } from 'node:os'

/** Sets the calling thread's priority, which only Linux has; does nothing on other systems. */
export function trySetPriority(priority: number): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(0, priority)
  } catch {
    // Without privileges, the priority cannot be raised, also not from a low one of the program.
  }
}

/** A thread that keeps little would fill some 50 MB before it drops anything. */
export const THREAD_MEMORY = { maxYoungGenerationSizeMb: 8 }
