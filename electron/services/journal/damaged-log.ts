import { constants, copyFileSync, existsSync, rmSync } from 'node:fs'
import { readRegularBytes } from '../../system/regular.ts'
import { damageIn } from './wal.ts'

/** A log of this size holds everything a journal can; it is read once, at startup. */
const LONGEST = 1024 * 1024 * 1024

/** Where a damaged log was copied to, and whether anything may be missing because of it. */
interface DamagedLog {
  readonly aside: string
  readonly isLoss: boolean
}

/**
 * Checks a journal's log before SQLite takes over what is valid and overwrites the rest. A damaged one is copied aside together with its
 * database. Throws what the file system throws; nothing may be opened then.
 */
export function keepDamagedLog(file: string, now = Date.now()): DamagedLog | null {
  const damage = damageIn(bytesOf(`${file}-wal`), bytesOf(`${file}-shm`))
  if (!damage) return null
  const aside = `${file}.broken-${now}`
  for (const end of ['', '-wal']) {
    if (existsSync(file + end)) copyFileSync(file + end, aside + end, constants.COPYFILE_EXCL)
  }
  // The database has everything, and what is left of the log would replace newer pages with older ones.
  if (damage.isCopied) for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
  return { aside, isLoss: !damage.isCopied }
}

const bytesOf = (file: string): Buffer =>
  existsSync(file) ? readRegularBytes(file, { maxBytes: LONGEST }).bytes : Buffer.alloc(0)
