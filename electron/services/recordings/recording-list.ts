import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import { isObject } from '../../../shared/json/object.ts'
import { recordingEntrySchema } from '../../../shared/ipc/recordings.ts'
import { ARCHIVE_EXTENSION } from '../../../shared/recordings/recording.ts'
import { isProcessAlive } from '../../system/process-state.ts'
import { readJsonFile, tryRemoveFile, writeAtomic } from '../files/atomic-file.ts'

/** The rest of an entry is true only while the program runs. */
const storedEntrySchema = z
  .object(recordingEntrySchema.shape)
  .omit({ isRemoved: true, isInDataDir: true, served: true })
export type StoredRecording = z.infer<typeof storedEntrySchema>

const MAX_RECORDINGS = 500

/** The recordings that the data directory knows, in `recordings.json`; the newest first. */
interface RecordingList {
  list(): readonly StoredRecording[]
  find(id: string): StoredRecording | null
  /** Adds an entry, or replaces the one with the same id. @throws STORE_FAILED */
  put(recording: StoredRecording): void
  /** @throws STORE_FAILED */
  remove(id: string): void
}

export function openRecordingList(dataDir: string): RecordingList {
  const file = path.join(dataDir, 'recordings.json')
  const { value } = readJsonFile(file, isObject)
  const stored = isObject(value) && Array.isArray(value['recordings']) ? (value['recordings'] as unknown[]) : []
  let recordings = stored.flatMap((entry) => {
    const parsed = storedEntrySchema.safeParse(entry)
    return parsed.success ? [parsed.data] : []
  })

  function write(next: StoredRecording[]): void {
    writeAtomic(file, `${JSON.stringify({ recordings: next }, null, 2)}\n`)
    recordings = next
  }
  const listOthers = (id: string): StoredRecording[] => recordings.filter((recording) => recording.id !== id)

  return {
    list: () => recordings,
    find: (id) => recordings.find((recording) => recording.id === id) ?? null,
    put: (recording) => write([recording, ...listOthers(recording.id)].slice(0, MAX_RECORDINGS)),
    remove: (id) => write(listOthers(id)),
  }
}

/** Removes archives that pages have read, and what a run left behind that was killed. */
export function removeUnfinished(dir: string): void {
  if (!existsSync(dir)) return
  for (const name of readdirSync(dir)) {
    const pid = /\.(\d{1,10})-\d+\.tmp$/.exec(name)?.[1]
    // Another process, such as the command line, may write with the same data directory.
    const isLeft = pid !== undefined && (Number(pid) === process.pid || !isProcessAlive(Number(pid)))
    if (isLeft || name.endsWith(ARCHIVE_EXTENSION)) tryRemoveFile(path.join(dir, name))
  }
}

export const createRemovedError = (cause?: unknown): AppError =>
  new AppError(
    {
      kind: 'refused',
      code: 'RECORDING_REMOVED',
      message: 'The file of this recording is no longer where it was.',
      retryable: false,
    },
    { cause },
  )
