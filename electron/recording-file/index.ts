// Opens, reads, verifies, reduces, exports and writes recording files. The format itself is
// shared/recordings/recording.ts. Read recording-file.ts first.

export { exportArchive } from './archive-writer.ts'
export { openRecording, type RecordingFile } from './recording-file.ts'
export { assertPageBuilt, writeRecordingPage } from './page-writer.ts'
export { writeRecording } from './recording-writer.ts'
export { createReducedSource, loadReducibleRecording, nameBody } from './reduction.ts'
export { createSigner } from './seal.ts'
export { readSeals } from './seal-reader.ts'
export { verifyRecording } from './verification.ts'
export { checkExpansion } from './zip-reader.ts'
