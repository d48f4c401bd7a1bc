import type { RecordingEntry } from '../../../shared/ipc/recordings.ts'
import { ARCHIVE_EXTENSION, PAGE_EXTENSION, RECORDING_EXTENSION } from '../../../shared/recordings/recording.ts'
import { saveBlob, toFileName } from '../../components/file-download.ts'
import { readRecordingFile, type ExportKind } from '../../stores/recordings.ts'

const extensions = { archive: ARCHIVE_EXTENSION, page: PAGE_EXTENSION }

/** Offers a recording, or what was written of it, as a download; returns the file's name. */
export async function downloadRecording(
  { id, name }: RecordingEntry,
  signal: AbortSignal,
  exported?: ExportKind,
  save = saveBlob,
): Promise<string> {
  const extension = exported ? extensions[exported] : RECORDING_EXTENSION
  const file = toFileName(name, extension.slice(1), 'recording')
  save(await readRecordingFile(id, signal, exported), file)
  return file
}
