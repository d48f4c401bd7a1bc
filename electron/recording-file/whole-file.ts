import { rename, rm } from 'node:fs/promises'
import { toSaveError } from './recording-error.ts'

/** Only the user may read what was recorded, until the user decides otherwise. */
export const FILE_MODE = 0o600

/** Two files may be written to the same place at the same time; the later one remains. */
let nextNumber = 0

/**
 * Writes a file beside its final place, so that a part of a file never has the name of the whole.
 * If `write` throws, there is no new file.
 * @param write gets the path to write to
 * @throws SAVE_FAILED if the disk refuses the file, and what `write` throws
 */
export async function writeWhole<T>(file: string, write: (temporary: string) => Promise<T>): Promise<T> {
  nextNumber += 1
  const temporary = `${file}.${process.pid}-${nextNumber}.tmp`
  await rm(temporary, { force: true })
  try {
    const result = await write(temporary)
    await rename(temporary, file)
    return result
  } catch (error) {
    await rm(temporary, { force: true })
    throw toSaveError(error)
  }
}
