import type { PDFDocumentProxy } from 'pdfjs-dist'
import { computed, onScopeDispose, reactive, ref, shallowRef } from 'vue'
import type { ReadByteRange } from './pdf.ts'

/** The library's warnings that a page lacks pictures, glyphs, patterns or drawing steps. */
const lossPatterns = [
  /Unable to decode image/,
  /getTransferableImage - failed/,
  /Image dimensions are missing/,
  /Image exceeded maximum allowed size/,
  /Dependent image/,
  /Filter ".*" is not supported/,
  /getOperatorList - ignoring/,
  /handleTilingType - ignoring/,
  /parseShading - ignoring/,
  /_handleColorSpace - ignoring/,
  /buildFontPaths - ignoring/,
  /loadFont - (?:lookup|preEvaluateFont|translateFont) failed/,
  /translateFont - fetching/,
  /ensureStateFont/,
  /Font ".*" is not available/,
  /Type3 font resource/,
  /Invalid cMap data/,
  /parseAppearanceStream - ignoring/,
]

/** If a warning says that a part was not drawn, returns it as one line; null for other warnings. */
function parseLoss(warning: string): string | null {
  const text = warning.replace(/^Warning: /, '').replace(/\s+/g, ' ')
  return lossPatterns.some((pattern) => pattern.test(text)) ? text.slice(0, 200) : null
}

const MAX_LOSSES_PER_PAGE = 50

interface PasswordPrompt {
  readonly isRetry: boolean
  submit(password: string): void
}

/** Opens for the lifetime of the scope; collects password requests and warnings. */
export function usePdfDocument(
  source: { readonly read: ReadByteRange; readonly total: number | null },
  onFailed: (reason: string) => void,
) {
  const document = shallowRef<PDFDocumentProxy | null>(null)
  const page = ref(1)
  /** Set while a protected PDF waits for a password. */
  const passwordPrompt = shallowRef<PasswordPrompt | null>(null)
  const isOpening = ref(true)
  /** The losses of each page by page number. The library warns while it reads a page. */
  const losses = reactive(new Map<number, string[]>())
  const missingFontNames = ref<readonly string[]>([])
  const abort = new AbortController()

  function onWarning(text: string): void {
    const loss = parseLoss(text)
    const knownLosses = losses.get(page.value) ?? []
    if (loss === null || knownLosses.includes(loss) || knownLosses.length >= MAX_LOSSES_PER_PAGE) return
    losses.set(page.value, [...knownLosses, loss])
  }

  const askPassword = (isRetry: boolean): Promise<string> =>
    new Promise((resolve) => {
      passwordPrompt.value = { isRetry, submit: resolve }
    })

  function submitPassword(password: string): void {
    const { value } = passwordPrompt
    passwordPrompt.value = null
    value?.submit(password)
  }

  async function open(): Promise<void> {
    try {
      const { openPdf } = await import('./pdf.ts')
      const { read, total } = source
      document.value = (await openPdf({ read, total, signal: abort.signal, askPassword, onWarning })).document
    } catch (error) {
      if (!abort.signal.aborted) onFailed(error instanceof Error ? error.message : String(error))
    } finally {
      isOpening.value = false
    }
  }
  void open()
  onScopeDispose(() => abort.abort())

  return {
    document,
    page,
    pageCount: computed(() => document.value?.numPages ?? 0),
    passwordPrompt,
    submitPassword,
    isOpening,
    losses: computed(() => losses.get(page.value) ?? []),
    missingFonts: missingFontNames,
    signal: abort.signal,
  }
}
