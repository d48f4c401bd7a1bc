import { computed, onScopeDispose, ref, shallowRef } from 'vue'
import type { ResponseOf } from '../../../shared/bridge/endpoints/index.ts'
import type { AppError } from '../../../shared/errors.ts'
import { toAppError, isCancellation } from '../../stores/errors.ts'
import { readEndpoint } from '../../stores/host-read.ts'

type Sent = NonNullable<ResponseOf<'documents.tocCandidates'>['candidates']>[number]

/** A line that may be a heading, as it was sent, and its place in what was read so far. */
export interface HeadingCandidate {
  readonly index: number
  readonly line: Sent
}

/** Lines that are kept; of a long book the first ones. */
const MOST = 20_000

/** Candidates of a document, read a range at a time; the next range is asked for by a person, because scanning is slow. */
export function useHeadingCandidates(bookmd5: () => string) {
  const candidates = shallowRef<readonly HeadingCandidate[]>([])
  /** Pages that the host says it has scanned; null before the first answer. */
  const scannedPages = ref<number | null>(null)
  const nextStart = ref<number | null>(null)
  const isTruncated = ref(false)
  const hint = ref('')
  const isScanning = ref(false)
  const error = shallowRef<AppError | null>(null)
  let abort: AbortController | null = null
  let end = 0

  async function ask(start: number, anew: boolean): Promise<void> {
    abort?.abort()
    const mine = new AbortController()
    abort = mine
    isScanning.value = true
    error.value = null
    if (anew) {
      candidates.value = []
      scannedPages.value = null
    }
    try {
      const query = { start, end: Math.min(end, start + 59) }
      const { value } = await readEndpoint('documents.tocCandidates', { params: { bookmd5: bookmd5() }, query }, mine)
      const from = candidates.value.length
      const moreCandidates = (value.candidates ?? []).map((line, at) => ({ index: from + at, line }))
      candidates.value = [...candidates.value, ...moreCandidates].slice(0, MOST)
      scannedPages.value = (scannedPages.value ?? 0) + (value.pagesScanned ?? 0)
      isTruncated.value = value.truncated === true
      // A page that does not advance would be asked for without end.
      const next = value.nextStart ?? null
      nextStart.value = next !== null && next > start ? next : null
      hint.value = typeof value.hint === 'string' ? value.hint : ''
    } catch (thrown) {
      if (!isCancellation(thrown)) error.value = toAppError(thrown)
    } finally {
      if (abort === mine) isScanning.value = false
    }
  }
  onScopeDispose(() => abort?.abort())

  return {
    list: candidates,
    scanned: scannedPages,
    truncated: isTruncated,
    hint,
    busy: isScanning,
    error,
    /** Where the scan may go on; null at its end. */
    next: computed(() => (nextStart.value !== null && nextStart.value <= end ? nextStart.value : null)),
    scanRange(start: number, last: number): void {
      end = last
      void ask(start, true)
    },
    scanNextRange(): void {
      if (nextStart.value !== null) void ask(nextStart.value, false)
    },
    cancel: () => abort?.abort(),
  }
}
