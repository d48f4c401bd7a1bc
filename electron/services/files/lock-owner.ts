import { z } from 'zod'
import { getProcessStart, isProcessAlive } from '../../system/process-state.ts'
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
export type LockHolder = NonNullable<LockOwner['holder']>

/** Reads the owner in a lock file; null if the file is missing or invalid. */
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
  const processStart = getProcessStart(pid)
  return !started || processStart === null || processStart === started
}
