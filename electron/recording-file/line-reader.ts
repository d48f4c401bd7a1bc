import { createInvalidError } from './recording-error.ts'

const LINE_FEED = 10
/** A line that is longer is none of the format. */
const MAX_LINE_BYTES = 67_108_864

/** Yields lines without their ends. @throws RECORDING_ENTRY_INVALID for one too long, or cut */
export async function* readLines(chunks: AsyncIterable<Buffer>, entry: string): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let bytes = 0
  let line = 1
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const last = chunk.subarray(start, end)
      yield pieces.length === 0 ? last : Buffer.concat([...pieces, last])
      pieces = []
      bytes = 0
      line += 1
      start = end + 1
    }
    if (start === chunk.length) continue
    pieces.push(chunk.subarray(start))
    bytes += chunk.length - start
    if (bytes > MAX_LINE_BYTES) throw createInvalidError(entry, 'the line is too long', line)
  }
  if (pieces.length > 0) throw createInvalidError(entry, 'the line has no end', line)
}
