import {
  getDocument,
  GlobalWorkerOptions,
  PDFDataRangeTransport,
  type PDFDocumentProxy,
} from 'pdfjs-dist/legacy/build/pdf.mjs'
import PdfWorker from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?worker'

/** Bytes from `start` to `end` (excluded) of something that lies elsewhere. */
export type ReadBytes = (
  start: number,
  end: number,
  signal: AbortSignal,
) => Promise<{ bytes: ArrayBuffer; total: number | null }>

const PIECE = 1024 * 1024
/** A document that does not say how long it is, is read up to here. */
const MOST = 64 * 1024 * 1024

/**
 * Opens a PDF in a worker of its own. With a known length only the ranges that are needed are read. Rejects with what the library
 * says of a broken file. `close` ends the worker and whatever is still read.
 */
export async function openPdf(
  read: ReadBytes,
  total: number | null,
  signal: AbortSignal,
): Promise<{ document: PDFDocumentProxy; close: () => void }> {
  const worker = new PdfWorker()
  GlobalWorkerOptions.workerPort = worker
  const safe = { isEvalSupported: false, enableXfa: false, disableAutoFetch: true, disableStream: true }
  const task =
    total === null
      ? getDocument({ ...safe, data: new Uint8Array(await whole(read, signal)) })
      : getDocument({ ...safe, rangeChunkSize: PIECE, range: new Ranges(read, total, signal) })
  const close = (): void => {
    void task.destroy().finally(() => worker.terminate())
  }
  try {
    return { document: await task.promise, close }
  } catch (error) {
    close()
    throw error
  }
}

class Ranges extends PDFDataRangeTransport {
  readonly #read: ReadBytes
  readonly #signal: AbortSignal

  constructor(read: ReadBytes, total: number, signal: AbortSignal) {
    super(total, null)
    this.#read = read
    this.#signal = signal
  }

  override requestDataRange(begin: number, end: number): void {
    this.#read(begin, end, this.#signal)
      .then(({ bytes }) => this.onDataRange(begin, new Uint8Array(bytes)))
      // The library waits for a range that does not come; the viewer is closed, or shows the failure of its content.
      .catch(() => undefined)
  }
}

async function whole(read: ReadBytes, signal: AbortSignal): Promise<ArrayBuffer> {
  const pieces: ArrayBuffer[] = []
  for (let at = 0; at < MOST;) {
    const { bytes } = await read(at, at + PIECE, signal)
    pieces.push(bytes)
    at += bytes.byteLength
    if (bytes.byteLength < PIECE) break
  }
  return new Blob(pieces).arrayBuffer()
}
