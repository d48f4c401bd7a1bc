import 'pdfjs-dist/legacy/build/pdf.worker.min.mjs'

/** Told to the page beside the library's own messages, which have a target. */
export interface PdfWarning {
  readonly pdfWarning: string
}

/** A broken document may warn without end. */
let left = 500

const scope = self as unknown as { postMessage(message: PdfWarning): void }
// What of a document cannot be read is said in the console alone, where nobody looks.
// eslint-disable-next-line no-console
console.warn = (text: unknown) => {
  left -= 1
  if (left >= 0) scope.postMessage({ pdfWarning: String(text).slice(0, 300) })
}
