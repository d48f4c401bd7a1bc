import { constants, copyFileSync, existsSync, rmSync } from 'node:fs'
import { readRegularBytes } from '../files/regular.ts'
import { damageIn } from './wal.ts'

/** A log of this size holds everything that a journal can; it is read once, at the start. */
const LONGEST = 1024 * 1024 * 1024

/** Where a damaged log was copied to, and whether something may be missing because of it. */
export interface DamagedLog {
  readonly aside: string
  readonly isLoss: boolean
}

/**
 * Looks at the log of a journal before SQLite takes what is valid in it and overwrites the rest. Of a damaged one a copy is put aside, with the
 * database that it belongs to. Throws what the file system throws: then nothing may be opened.
 */
export function keepDamagedLog(file: string, now = Date.now()): DamagedLog | null {
  const damage = damageIn(bytesOf(`${file}-wal`), bytesOf(`${file}-shm`))
  if (!damage) return null
  const aside = `${file}.broken-${now}`
  for (const end of ['', '-wal']) {
    if (existsSync(file + end)) copyFileSync(file + end, aside + end, constants.COPYFILE_EXCL)
  }
  // The database has it all: what is left of the log would put older pages in the place of newer ones.
  if (damage.isCopied) for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
  return { aside, isLoss: !damage.isCopied }
}

const bytesOf = (file: string): Buffer =>
  existsSync(file) ? readRegularBytes(file, { maxBytes: LONGEST }).bytes : Buffer.alloc(0)
