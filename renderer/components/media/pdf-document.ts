import type { PDFDocumentProxy } from 'pdfjs-dist'
import { computed, onScopeDispose, reactive, ref, shallowRef } from 'vue'
import type { ReadByteRange } from './pdf.ts'

/** Library warnings that mean something is missing from the page: pictures, glyphs, patterns, whole drawing steps. */
const losses = [
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

/** What a warning says was not drawn, cut to one line; null if it means no loss. */
function lossOf(warning: string): string | null {
  const text = warning.replace(/^Warning: /, '').replace(/\s+/g, ' ')
  return losses.some((one) => one.test(text)) ? text.slice(0, 200) : null
}

/** Losses listed per page. */
const MAX_LOSSES_PER_PAGE = 50

interface PasswordPrompt {
  readonly isRetry: boolean
  submit(password: string): void
}

/**
 * Opens a PDF for as long as the scope lives, with what it asks for and what of it can't be drawn. `failed` is called with the reason if it
 * can't be opened.
 */
export function usePdfDocument(
  source: { readonly read: ReadByteRange; readonly total: number | null },
  failed: (reason: string) => void,
) {
  const document = shallowRef<PDFDocumentProxy | null>(null)
  const page = ref(1)
  /** It is protected and waits for a password. */
  const passwordPrompt = shallowRef<PasswordPrompt | null>(null)
  const isOpening = ref(true)
  /** By page, because the library warns while it reads one. */
  const losses = reactive(new Map<number, string[]>())
  const missingFontNames = ref<readonly string[]>([])
  const abort = new AbortController()

  function onWarning(text: string): void {
    const loss = lossOf(text)
    const known = losses.get(page.value) ?? []
    if (loss === null || known.includes(loss) || known.length >= MAX_LOSSES_PER_PAGE) return
    losses.set(page.value, [...known, loss])
  }

  const askPassword = (wrong: boolean): Promise<string> =>
    new Promise((answer) => {
      passwordPrompt.value = { isRetry: wrong, submit: answer }
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
      if (!abort.signal.aborted) failed(error instanceof Error ? error.message : String(error))
    } finally {
      isOpening.value = false
    }
  }
  void open()
  onScopeDispose(() => abort.abort())

  return {
    document,
    page,
    pages: computed(() => document.value?.numPages ?? 0),
    asked: passwordPrompt,
    give: submitPassword,
    opening: isOpening,
    losses: computed(() => losses.get(page.value) ?? []),
    fonts: missingFontNames,
    signal: abort.signal,
  }
}
