import { afterEach, expect, test, vi } from 'vitest'
import { formatBodyText } from '../../../renderer/workers/response-parser.ts'
import { COPIED_PIECE_BYTES, PieceCollector } from '../../../renderer/workers/list-chunks.ts'
import type { FormatResult, ParseWorkerReply, ParseWorkerRequest } from '../../../renderer/workers/parse-protocol.ts'

afterEach(() => vi.unstubAllGlobals())

/** Answers as the page's own worker does, and keeps how many bytes each message held. */
function stubWorker(): number[] {
  const sizes: number[] = []
  const pieces = new PieceCollector()
  class Own {
    onmessage: ((event: { data: ParseWorkerReply }) => void) | null = null
    postMessage(data: ParseWorkerRequest): void {
      if (data.task === 'piece') {
        sizes.push(data.bytes.byteLength)
        pieces.add(data.seq, data.bytes)
      } else if (data.task === 'format') {
        sizes.push(typeof data.source === 'string' ? 0 : (data.source?.byteLength ?? 0))
        const result: FormatResult = formatBodyText(data.source ?? pieces.joinPieces(data.seq), data.options)
        this.onmessage?.({ data: { seq: data.seq, ok: true, result } })
      }
    }
    terminate(): void {
      // Nothing runs.
    }
  }
  vi.stubGlobal('Worker', Own)
  return sizes
}

test('a long text reaches the worker complete, in chunks small enough to copy quickly', async () => {
  const sizes = stubWorker()
  vi.resetModules()
  const { formatInWorker } = await import('../../../renderer/workers/parse-client.ts')
  const text = `["${'数'.repeat(COPIED_PIECE_BYTES)}","end"]`
  const source = new Uint8Array(Buffer.from(text)).buffer
  const options = { isIndented: false, maxChars: Number.POSITIVE_INFINITY }
  const [long, short] = await Promise.all([formatInWorker(source, options), formatInWorker('{"a":1}', options)])
  expect(long.text === text).toBe(true)
  expect(short.text).toBe('{"a":1}')
  expect(Math.max(...sizes)).toBe(COPIED_PIECE_BYTES)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(source.byteLength)
  // The page goes on using it.
  expect(source.byteLength).toBe(Buffer.byteLength(text))
})
