import { computed, onScopeDispose, ref, shallowRef } from 'vue'
import type { ResponseOf } from '../../../shared/bridge/endpoints/index.ts'
import type { AppError } from '../../../shared/errors.ts'
import { toAppError, isCancellation } from '../../stores/errors.ts'
import { readEndpoint } from '../../stores/host-read.ts'

type CandidateLine = NonNullable<ResponseOf<'documents.tocCandidates'>['candidates']>[number]

/** A line as sent, with its index among all candidates read so far. */
export interface HeadingCandidate {
  readonly index: number
  readonly line: CandidateLine
}

/** Only the first candidates of a long book are kept. */
const MAX_CANDIDATES = 20_000

/** The user requests each range of pages, because scanning is slow. */
export function useHeadingCandidates(bookmd5: () => string) {
  const candidates = shallowRef<readonly HeadingCandidate[]>([])
  /** Number of pages that the host reports as scanned; null before the first response. */
  const scannedPages = ref<number | null>(null)
  const nextStart = ref<number | null>(null)
  const isTruncated = ref(false)
  const hint = ref('')
  const isScanning = ref(false)
  const error = shallowRef<AppError | null>(null)
  let abort: AbortController | null = null
  let lastPage = 0

  async function requestRange(start: number, isRestart: boolean): Promise<void> {
    abort?.abort()
    const controller = new AbortController()
    abort = controller
    isScanning.value = true
    error.value = null
    if (isRestart) {
      candidates.value = []
      scannedPages.value = null
    }
    try {
      const query = { start, end: Math.min(lastPage, start + 59) }
      const { value } = await readEndpoint(
        'documents.tocCandidates',
        { params: { bookmd5: bookmd5() }, query },
        controller,
      )
      const offset = candidates.value.length
      const moreCandidates = (value.candidates ?? []).map((line, index) => ({ index: offset + index, line }))
      candidates.value = [...candidates.value, ...moreCandidates].slice(0, MAX_CANDIDATES)
      scannedPages.value = (scannedPages.value ?? 0) + (value.pagesScanned ?? 0)
      isTruncated.value = value.truncated === true
      // Without this check, a host whose `nextStart` does not advance would be asked forever.
      const next = value.nextStart ?? null
      nextStart.value = next !== null && next > start ? next : null
      hint.value = typeof value.hint === 'string' ? value.hint : ''
    } catch (thrown) {
      if (!isCancellation(thrown)) error.value = toAppError(thrown)
    } finally {
      if (abort === controller) isScanning.value = false
    }
  }
  onScopeDispose(() => abort?.abort())

  return {
    candidates,
    scannedPages,
    isTruncated,
    hint,
    isScanning,
    error,
    /** First page of the next range; null at the end. */
    nextStartPage: computed(() => (nextStart.value !== null && nextStart.value <= lastPage ? nextStart.value : null)),
    scanRange(start: number, last: number): void {
      lastPage = last
      void requestRange(start, true)
    },
    scanNextRange(): void {
      if (nextStart.value !== null) void requestRange(nextStart.value, false)
    },
    cancel: () => abort?.abort(),
  }
}
