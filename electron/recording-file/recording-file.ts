// Recording files: opened here, read by recording-reader.ts, written by recording-writer.ts,
// checked by verification.ts, redacted by redaction.ts, and made pages by page-writer.ts. The
// format itself is shared/recordings/recording.ts. Read this file first.

import { Readable } from 'node:stream'
import { readRecording, type RecordingReader } from './recording-reader.ts'
import { openZip, type ZipFile } from './zip-file.ts'

/** An open recording. Entries are checked while they are read, so that an error names the entry. */
export interface RecordingFile extends RecordingReader {
  readonly zip: ZipFile
  /** The errors of `readBodyPieces` are those of the stream. */
  openBody(name: string): Readable
}

/** @throws RECORDING_UNREADABLE, RECORDING_TRUNCATED, and what `readRecording` throws */
export async function openRecording(file: string): Promise<RecordingFile> {
  const zip = await openZip(file)
  try {
    const reader = await readRecording(zip)
    return {
      ...reader,
      zip,
      openBody: (name) => Readable.from(reader.readBodyPieces(name), { objectMode: false }),
    }
  } catch (error) {
    await zip.close()
    throw error
  }
}
