// Recordings: files that hold what was seen, so that others can believe and repeat it. The file
// itself is in electron/recording-file, its types are in shared/recordings.
// Read this file first, then recording-list.ts.
import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import { AppError, createRefusedError } from '../../../shared/errors.ts'
import type { IpcInput, IpcOutput } from '../../../shared/ipc/index.ts'
import { MAX_RECORDING_SLICE_BYTES, type RecordingEntry } from '../../../shared/ipc/recordings.ts'
import type { Bus } from '../bus.ts'
import { openRecordingList, toRecordingEntry, type StoredRecording } from './recording-list.ts'

interface Options {
  readonly dataDir: string
  readonly bus: Bus
}

export interface Recordings {
  list(): RecordingEntry[]
  /** Removes an entry, and on request the file, if it is in the data directory. */
  forget(input: IpcInput<'recordings.forget'>): Promise<void>
  readSlice(input: IpcInput<'recordings.slice'>): Promise<IpcOutput<'recordings.slice'>>
}

export function createRecordings({ dataDir, bus }: Options): Recordings {
  const stored = openRecordingList(dataDir)
  /** Files that this program keeps; others belong to the user. */
  const ownDir = path.join(dataDir, 'recordings')

  function getRecording(id: string): StoredRecording {
    const recording = stored.find(id)
    if (!recording) throw createRefusedError('RECORDING_UNKNOWN', 'This recording is not in the list (any more).')
    return recording
  }

  return {
    list: () => stored.list().map((recording) => toRecordingEntry(recording, null)),
    async forget({ id, removesFile }) {
      const { file } = getRecording(id)
      if (removesFile && path.dirname(file) === ownDir) await rm(file, { force: true })
      stored.remove(id)
      bus.publish('recordings.changed', {})
    },
    async readSlice({ id, start, end }) {
      const { file } = getRecording(id)
      const handle = await open(file, 'r').catch((error: unknown) => {
        throw createRemovedError(error)
      })
      try {
        const { size } = await handle.stat()
        const length = Math.max(0, Math.min(end, size, start + MAX_RECORDING_SLICE_BYTES) - start)
        const bytes = new ArrayBuffer(length)
        const { bytesRead } = await handle.read(new Uint8Array(bytes), 0, length, start)
        return { meta: { start, total: size }, bytes: bytes.slice(0, bytesRead) }
      } finally {
        await handle.close()
      }
    },
  }
}

const createRemovedError = (cause: unknown): AppError =>
  new AppError(
    {
      kind: 'refused',
      code: 'RECORDING_REMOVED',
      message: 'The file of this recording is no longer where it was.',
      retryable: false,
    },
    { cause },
  )
