import 'pdfjs-dist/legacy/build/pdf.worker.min.mjs'

/** Sent to the page in addition to the library's own messages, which have a target. */
export interface PdfWarning {
  readonly pdfWarning: string
}

/** The number of warnings is limited, because a broken document may warn endlessly. */
let warningsLeft = 500

const scope = self as unknown as { postMessage(message: PdfWarning): void }
// The library reports unreadable parts of a document only on the console, which users do not see.
// eslint-disable-next-line no-console
console.warn = (text: unknown) => {
  warningsLeft -= 1
  if (warningsLeft >= 0) scope.postMessage({ pdfWarning: String(text).slice(0, 300) })
}
