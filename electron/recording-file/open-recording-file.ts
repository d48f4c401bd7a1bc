import { constants } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { createRecordingError } from './recording-error.ts'

/** A FIFO would block until somebody writes. Windows has no such flag. */
const READ_FLAGS = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0)

/** Opens a file that the user names. @throws RECORDING_UNREADABLE, RECORDING_NOT_A_RECORDING */
export async function openRecordingFile(file: string): Promise<FileHandle> {
  try {
    assertIsFile((await stat(file)).isFile())
    const handle = await open(file, READ_FLAGS)
    try {
      // It may have been replaced since.
      assertIsFile((await handle.stat()).isFile())
      return handle
    } catch (error) {
      await handle.close()
      throw error
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
    const reason = String(error.code)
    throw createRecordingError('RECORDING_UNREADABLE', `The file cannot be read (${reason}).`, { reason })
  }
}

function assertIsFile(isFile: boolean): void {
  if (!isFile) throw createRecordingError('RECORDING_NOT_A_RECORDING', 'This is not a file.')
}
