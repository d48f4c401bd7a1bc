import type { RecordingEntry } from '../../../shared/ipc/recordings.ts'
import { RECORDING_EXTENSION } from '../../../shared/recordings/recording.ts'
import { saveBlob, toFileName } from '../../components/file-download.ts'
import { readRecordingFile } from '../../stores/recordings.ts'

/** Offers the file of a recording as a download of the browser. */
export async function downloadRecording({ id, name }: RecordingEntry, signal: AbortSignal): Promise<void> {
  saveBlob(await readRecordingFile(id, signal), toFileName(name, RECORDING_EXTENSION.slice(1), 'recording'))
}
