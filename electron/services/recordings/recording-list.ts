import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import { isObject } from '../../../shared/json/object.ts'
import { recordingEntrySchema } from '../../../shared/ipc/recordings.ts'
import { ARCHIVE_EXTENSION, PAGE_EXTENSION, type RecordingManifest } from '../../../shared/recordings/recording.ts'
import { isProcessAlive } from '../../system/process-state.ts'
import { readRegularFile } from '../../system/regular-file.ts'
import { readJsonFile, tryRemoveFile, writeAtomic } from '../files/atomic-file.ts'
import type { NewNotice, Notices } from '../notices.ts'

/** The rest of an entry is true only while the program runs. */
const storedEntrySchema = z
  .object(recordingEntrySchema.shape)
  .omit({ isRemoved: true, isInDataDir: true, served: true })
export type StoredRecording = z.infer<typeof storedEntrySchema>

const MAX_RECORDINGS = 500
const LIST_FILE = 'recordings.json'

/**
 * The recordings that the data directory knows, in `recordings.json`; the newest first. Entries
 * that cannot be read are left out of the list with a notice. The file is copied before, because
 * the next write of the list has only those that can.
 */
export function openRecordingList(dataDir: string, notices: Notices) {
  const file = path.join(dataDir, LIST_FILE)
  const isList = (content: unknown): boolean => isObject(content) && Array.isArray(content['recordings'])
  const { value, outcome, asideName = LIST_FILE } = readJsonFile(file, isList)
  const stored = isObject(value) ? (value['recordings'] as unknown[]) : []
  let recordings = stored.flatMap((entry) => storedEntrySchema.safeParse(entry).data ?? [])
  if (outcome === 'backup' || outcome === 'lost') notices.add(createAsideNotice(asideName, outcome === 'backup'))
  const damagedCount = stored.length - recordings.length
  if (damagedCount > 0) notices.add(createDamageNotice(damagedCount, keepDamagedList(file)))

  function write(next: StoredRecording[]): void {
    writeAtomic(file, `${JSON.stringify({ recordings: next }, null, 2)}\n`)
    recordings = next
  }
  const listOthers = (id: string): StoredRecording[] => recordings.filter((recording) => recording.id !== id)

  return {
    list: (): readonly StoredRecording[] => recordings,
    find: (id: string): StoredRecording | null => recordings.find((recording) => recording.id === id) ?? null,
    /** Adds an entry, or replaces the one with the same id. @throws STORE_FAILED */
    put: (recording: StoredRecording): void => write([recording, ...listOthers(recording.id)].slice(0, MAX_RECORDINGS)),
    /** @throws STORE_FAILED */
    remove: (id: string): void => write(listOthers(id)),
  }
}

/** Returns the name of the copy, which is made once however often the program starts. */
function keepDamagedList(file: string): string {
  const copy = `${file}.damaged`
  try {
    const { text } = readRegularFile(file)
    if (!existsSync(copy) || readRegularFile(copy).text !== text) writeAtomic(copy, text)
  } catch {
    // The disk is full. The list stays as it is until the next recording is saved.
  }
  return path.basename(copy)
}

const createDamageNotice = (count: number, copy: string): NewNotice => ({
  level: 'warning',
  code: 'RECORDINGS_DAMAGED',
  message: `${count} recordings cannot be listed, because their entries in ${LIST_FILE} are damaged. The recordings themselves are where they were saved, and ${copy} has the list as it was.`,
  params: { count, list: LIST_FILE, file: copy },
})

const createAsideNotice = (asideName: string, isFromBackup: boolean): NewNotice => ({
  level: 'warning',
  code: isFromBackup ? 'RECORDINGS_FROM_BACKUP' : 'RECORDINGS_LOST',
  message: `The list of recordings could not be read and was set aside as ${asideName}; ${isFromBackup ? 'the last backup is shown, without what was saved after it' : 'the list is empty'}. The recordings themselves are where they were saved.`,
  params: { file: asideName },
})

/** A file that was written, as it is listed. */
export async function describeWritten(
  file: string,
  manifest: RecordingManifest,
  facts: Pick<StoredRecording, 'fingerprint' | 'savedAt'> & Partial<Pick<StoredRecording, 'counts' | 'name'>>,
): Promise<StoredRecording> {
  const { size: bytes } = await stat(file)
  return { id: randomUUID(), file, bytes, openedAt: null, ...toManifestMembers(manifest, file), ...facts }
}

export function toManifestMembers({ title, span, host, parts, redaction }: RecordingManifest, file: string) {
  // The lines of snapshots are their cards, which do not tell how many snapshots there are.
  const counted = Object.entries(parts).filter(([part]) => part !== 'snapshots')
  const counts = counted.map(([part, { entries, lines }]) => [part, lines ?? entries])
  return {
    name: title === '' ? path.basename(file, path.extname(file)) : title,
    span,
    host,
    redaction,
    counts: Object.fromEntries(counts) as Record<string, number>,
  }
}

/** Removes archives that pages have read, and what a run left behind that was killed. */
export function removeTemporaryFiles(dir: string): void {
  if (!existsSync(dir)) return
  for (const name of readdirSync(dir)) {
    const pid = /\.(\d{1,10})-\d+\.tmp$/.exec(name)?.[1]
    // Another process, such as the command line, may write with the same data directory.
    const isLeft = pid !== undefined && (Number(pid) === process.pid || !isProcessAlive(Number(pid)))
    if (isLeft || name.endsWith(ARCHIVE_EXTENSION) || name.endsWith(PAGE_EXTENSION)) tryRemoveFile(path.join(dir, name))
  }
}

export function createRemovedError(cause?: unknown): AppError {
  return new AppError(
    {
      kind: 'refused',
      code: 'RECORDING_REMOVED',
      message: 'The file of this recording is no longer where it was.',
      retryable: false,
    },
    { cause },
  )
}
