// Writes one recording after another over the same file until it is killed.
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { createRecordingSource } from '../data/recordings.ts'

const [file, temporaryDir] = process.argv.slice(2)
const bodies = Array.from({ length: 2_000 }, (_, index) => JSON.stringify({ index, text: 'private '.repeat(500) }))
const source = createRecordingSource(bodies)
for (;;) {
  await writeRecording(file, source, { temporaryDir })
  process.send?.('written')
}
