import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { isProcessAlive } from '../system/process-state.ts'
import { toSaveError } from './recording-error.ts'

/** Only the user may read what was recorded, until the user decides otherwise. */
export const FILE_MODE = 0o600
const DIR_MODE = 0o700

/** Two files may be written to the same place at the same time; the later one remains. */
let nextNumber = 0
/** Temporary files that this process writes now. */
const activeFiles = new Set<string>()

/** Gives a path to write to, and removes the file then; after a kill, the next program does. */
export async function withTemporaryFile<T>(
  dir: string,
  file: string,
  use: (temporary: string) => Promise<T>,
): Promise<T> {
  nextNumber += 1
  const temporary = path.join(dir, `${path.basename(file)}.${process.pid}-${nextNumber}.tmp`)
  activeFiles.add(temporary)
  try {
    await rm(temporary, { force: true })
    return await use(temporary)
  } finally {
    await rm(temporary, { force: true })
    activeFiles.delete(temporary)
  }
}

/**
 * Writes a file elsewhere and moves it to its place, so that a part of a file never has the name of
 * the whole. If `write` throws, there is no new file.
 * @param temporaryDir where it is written; beside its place without a data directory
 * @param write gets the path to write to
 * @throws SAVE_FAILED if the disk refuses the file, and what `write` throws
 */
export async function writeWhole<T>(
  file: string,
  temporaryDir: string | undefined,
  write: (temporary: string) => Promise<T>,
): Promise<T> {
  const targetDir = path.dirname(file)
  const dir = temporaryDir ?? targetDir
  try {
    if (temporaryDir !== undefined) await mkdir(dir, { recursive: true, mode: DIR_MODE })
    for (const usedDir of new Set([dir, targetDir])) await removeLeftovers(usedDir)
    return await withTemporaryFile(dir, file, async (temporary) => {
      const result = await write(temporary)
      await moveFile(temporary, file)
      return result
    })
  } catch (error) {
    throw toSaveError(error)
  }
}

/** A file moves to another disk by a copy, which has its name only when it is whole, too. */
async function moveFile(temporary: string, file: string): Promise<void> {
  try {
    await rename(temporary, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
    await withTemporaryFile(path.dirname(file), file, async (copy) => {
      await copyFile(temporary, copy)
      const handle = await open(copy, 'r+')
      await handle.sync().finally(() => handle.close())
      await rename(copy, file)
    })
  }
}

const TEMPORARY_NAME = /\.(?:birec|har|html)\.(\d{1,10})-\d+\.tmp$/

/** Removes what a process left behind that was killed while it wrote a file. */
export async function removeLeftovers(dir: string): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const pid = TEMPORARY_NAME.exec(name)?.[1]
    const file = path.join(dir, name)
    // Another process may have had the number of this one.
    const isInUse =
      pid === undefined || activeFiles.has(file) || (Number(pid) !== process.pid && isProcessAlive(Number(pid)))
    if (!isInUse) await rm(file, { force: true }).catch(() => undefined)
  }
}
