import { computed, onScopeDispose, shallowReactive, watch } from 'vue'
import { getLimit } from '../../../shared/bridge/host-limits.ts'
import { judgeTouch } from '../../../shared/bridge/data-change.ts'
import { documentedLimits } from '../../../shared/bridge/endpoints/documented-limits.ts'
import type { AppError } from '../../../shared/errors.ts'
import { useConnection } from '../../stores/connection.ts'
import { useDataChanges } from '../../stores/data-changes.ts'
import { toAppError, isCancellation } from '../../stores/errors.ts'
import { useHostCapabilities } from '../../stores/host-capabilities.ts'
import { readEndpoint, pickReport, type ResponseReport } from '../../stores/host-read.ts'
import { numberPages, type PageText } from './page-numbers.ts'

/** The pages of one request, which is at most as many as a host gives at once. */
type Chunk =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: AppError }
  | { readonly status: 'ready'; readonly pages: ReadonlyMap<number, PageText>; readonly reported: ResponseReport }

/** Texts of the pages that are looked at, read in chunks when the first page of one is wanted. */
export function usePageTexts(bookmd5: () => string, blocks: () => boolean, lastPage: () => number) {
  const connection = useConnection()
  const chunks = shallowReactive(new Map<number, Chunk>())
  const running = new Set<AbortController>()
  const listed = useHostCapabilities()
  const size = computed(() => {
    const { max } = getLimit(listed.limits, 'documents.pages', 'pages')
    return Math.min(documentedLimits.documentPages, max ?? documentedLimits.documentPages)
  })
  const chunkOf = (page: number): number => Math.floor((page - 1) / size.value)

  function forget(): void {
    for (const abort of running) abort.abort()
    running.clear()
    chunks.clear()
  }
  watch([bookmd5, blocks, size, () => connection.epoch], forget)
  onScopeDispose(forget)
  // What is in view is wanted again at once.
  onScopeDispose(
    useDataChanges().onChange((change) => {
      const shown = { endpoint: 'documents.pages', params: { bookmd5: bookmd5() } }
      if (chunks.size > 0 && judgeTouch(change, shown) !== 'no') forget()
    }),
  )

  /** Reads the chunk of a page, unless that was done. */
  function loadPage(page: number): void {
    const at = chunkOf(page)
    if (page < 1 || chunks.has(at) || !connection.online) return
    void load(at)
  }

  async function load(at: number): Promise<void> {
    const abort = new AbortController()
    running.add(abort)
    chunks.set(at, { status: 'loading' })
    const start = at * size.value + 1
    const last = lastPage()
    const end = last >= start ? Math.min(last, start + size.value - 1) : start + size.value - 1
    try {
      const query = { start, end, ...(blocks() ? { blocks: 1 } : {}) }
      const answer = await readEndpoint(
        'documents.pages',
        { params: { bookmd5: bookmd5() }, query },
        { signal: abort.signal },
      )
      if (abort.signal.aborted) return
      chunks.set(at, { status: 'ready', pages: numberPages(answer.value.pages, start), reported: pickReport(answer) })
    } catch (error) {
      if (abort.signal.aborted) return
      if (isCancellation(error)) chunks.delete(at)
      else chunks.set(at, { status: 'failed', error: toAppError(error) })
    } finally {
      running.delete(abort)
    }
  }

  return {
    want: loadPage,
    /** What is known of the chunk that holds a page. */
    getChunk: (page: number): Chunk | undefined => chunks.get(chunkOf(page)),
    getPageText(page: number): PageText | null {
      const chunk = chunks.get(chunkOf(page))
      return chunk?.status === 'ready' ? (chunk.pages.get(page) ?? null) : null
    },
    retryPage(page: number): void {
      chunks.delete(chunkOf(page))
      loadPage(page)
    },
  }
}

export type PageTexts = ReturnType<typeof usePageTexts>
