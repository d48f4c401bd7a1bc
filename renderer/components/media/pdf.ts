// Viewers and players for pictures, sound, video, PDF and unknown bytes. Callers pass URLs or
// functions that read bytes; `renderer/panes/content` opens the content. For PDF, read this file
// first, then pdf-document.ts and PdfView.vue.

import {
  getDocument,
  GlobalWorkerOptions,
  PasswordResponses,
  PDFDataRangeTransport,
  type PDFDocumentProxy,
  type PDFPageProxy,
} from 'pdfjs-dist/legacy/build/pdf.mjs'
import type { PdfWarning } from './pdf.worker.ts'
import PdfWorker from './pdf.worker.ts?worker'

/** Reads the bytes from `start` to `end` (exclusive). */
export type ReadByteRange = (
  start: number,
  end: number,
  signal: AbortSignal,
) => Promise<{ bytes: ArrayBuffer; total: number | null }>

interface PdfOptions {
  readonly read: ReadByteRange
  /** Size of the document in bytes; null if unknown. */
  readonly total: number | null
  readonly signal: AbortSignal
  /** Called for a protected document. `isRetry` is true if the previous password was incorrect. */
  readonly askPassword: (isRetry: boolean) => Promise<string>
  /** Called with each warning of the library about the document. */
  readonly onWarning: (text: string) => void
}

const RANGE_CHUNK_BYTES = 1024 * 1024
/** A document of unknown length is read up to this size. */
const MAX_UNKNOWN_LENGTH_BYTES = 64 * 1024 * 1024

/**
 * Opens a PDF in its own worker. If the length is known, only the needed ranges are read. Decoders,
 * character maps and fonts are files of the app and need no compilation, because the page's CSP
 * allows neither WebAssembly nor scripts made from text. `close` ends the worker and a read in
 * progress.
 * @throws the library's error for a broken file
 */
export async function openPdf({
  read,
  total,
  signal,
  askPassword,
  onWarning,
}: PdfOptions): Promise<{ document: PDFDocumentProxy; close: () => void }> {
  const worker = new PdfWorker()
  worker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (isWarning(data)) onWarning(data.pdfWarning)
  })
  GlobalWorkerOptions.workerPort = worker
  const files = new URL('/pdf/', location.href).href
  const options = {
    isEvalSupported: false,
    enableXfa: false,
    disableAutoFetch: true,
    disableStream: true,
    useWasm: false,
    // The names of the fonts are available only with this option.
    fontExtraProperties: true,
    useWorkerFetch: true,
    wasmUrl: `${files}wasm/`,
    cMapUrl: `${files}cmaps/`,
    standardFontDataUrl: `${files}standard_fonts/`,
  }
  const task =
    total === null
      ? getDocument({ ...options, data: new Uint8Array(await readWhole(read, signal)) })
      : getDocument({
          ...options,
          rangeChunkSize: RANGE_CHUNK_BYTES,
          range: new ByteRangeTransport(read, total, signal),
        })
  task.onPassword = (submitPassword: (password: string) => void, reason: number) => {
    void askPassword(reason === PasswordResponses.INCORRECT_PASSWORD).then(submitPassword)
  }
  let isClosed = false
  const close = (): void => {
    if (isClosed) return
    isClosed = true
    void task.destroy().finally(() => worker.terminate())
  }
  signal.addEventListener('abort', close, { once: true })
  try {
    return { document: await task.promise, close }
  } catch (error) {
    close()
    throw error
  }
}

const isWarning = (data: unknown): data is PdfWarning =>
  typeof data === 'object' && data !== null && 'pdfWarning' in data && typeof data.pdfWarning === 'string'

/** Finds fonts that the drawn pages use but do not embed, so that other fonts replace them. */
export function findMissingFonts({ commonObjs }: PDFPageProxy): readonly string[] {
  const names = new Set<string>()
  for (const [, font] of commonObjs as Iterable<readonly [string, unknown]>) {
    if (typeof font !== 'object' || font === null || Reflect.get(font, 'missingFile') !== true) continue
    const name: unknown = Reflect.get(font, 'name')
    if (typeof name === 'string') names.add(name.replace(/^[A-Z]{6}\+/, ''))
  }
  return [...names]
}

class ByteRangeTransport extends PDFDataRangeTransport {
  readonly #read: ReadByteRange
  readonly #signal: AbortSignal

  constructor(read: ReadByteRange, total: number, signal: AbortSignal) {
    super(total, null)
    this.#read = read
    this.#signal = signal
  }

  override requestDataRange(begin: number, end: number): void {
    this.#read(begin, end, this.#signal)
      .then(({ bytes }) => this.onDataRange(begin, new Uint8Array(bytes)))
      // The library waits in vain for a failed range; the caller closes or shows the error.
      .catch(() => undefined)
  }
}

async function readWhole(read: ReadByteRange, signal: AbortSignal): Promise<ArrayBuffer> {
  const chunks: ArrayBuffer[] = []
  for (let offset = 0; offset < MAX_UNKNOWN_LENGTH_BYTES;) {
    const { bytes } = await read(offset, offset + RANGE_CHUNK_BYTES, signal)
    chunks.push(bytes)
    offset += bytes.byteLength
    if (bytes.byteLength < RANGE_CHUNK_BYTES) break
  }
  return new Blob(chunks).arrayBuffer()
}
