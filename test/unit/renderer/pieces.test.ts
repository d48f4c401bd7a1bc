import { afterEach, expect, test, vi } from 'vitest'
import { serveMethods, type WorkerReply, type WorkerRequest } from '../../../shared/workers/worker-methods.ts'
import type { FormatOptions } from '../../../renderer/model/json/json-formatter.ts'
import { formatBodyText } from '../../../renderer/workers/response-parser.ts'
import { COPIED_PIECE_BYTES, PieceCollector } from '../../../renderer/workers/list-chunks.ts'

afterEach(() => vi.unstubAllGlobals())

/** Answers as the page's own worker does, and keeps how many bytes each message held. */
function stubWorker(): number[] {
  const sizes: number[] = []
  const pieces = new PieceCollector()
  const methods = {
    addPiece({ source, bytes }: { source: number; bytes: ArrayBuffer }) {
      sizes.push(bytes.byteLength)
      pieces.add(source, bytes)
    },
    format({ source, options }: { source: ArrayBuffer | string | number; options: FormatOptions }) {
      sizes.push(source instanceof ArrayBuffer ? source.byteLength : 0)
      return formatBodyText(typeof source === 'number' ? pieces.joinPieces(source) : source, options)
    },
  }
  class Own {
    onmessage: ((event: { data: WorkerReply }) => void) | null = null
    readonly postMessage: (request: WorkerRequest) => void = serveMethods(methods, (data) => this.onmessage?.({ data }))
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
