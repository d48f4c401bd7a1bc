import { computed, onScopeDispose, shallowReactive, watch } from 'vue'
import { getLimit } from '../../../shared/bridge/host-limits.ts'
import { judgeChangeImpact } from '../../../shared/bridge/data-change.ts'
import { documentedLimits } from '../../../shared/bridge/documented-limits.ts'
import type { AppError } from '../../../shared/errors.ts'
import { useConnection } from '../../stores/connection.ts'
import { useDataChanges } from '../../stores/data-changes.ts'
import { toAppError, isCancellation } from '../../stores/errors.ts'
import { useHostCapabilities } from '../../stores/host-capabilities.ts'
import { readEndpoint, toResponseReport, type ResponseReport } from '../../stores/host-read.ts'
import { mapPagesByNumber, type PageText } from './page-numbers.ts'

/** A chunk has at most as many pages as the host sends at once. */
type Chunk =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: AppError }
  | { readonly status: 'ready'; readonly pages: ReadonlyMap<number, PageText>; readonly reported: ResponseReport }

/** Reads in chunks; `loadPage` requests that of a page, when the page becomes visible. */
export function usePageTexts(bookmd5: () => string, blocks: () => boolean, lastPage: () => number) {
  const connection = useConnection()
  const chunks = shallowReactive(new Map<number, Chunk>())
  const pendingRequests = new Set<AbortController>()
  const hostCapabilities = useHostCapabilities()
  const chunkSize = computed(() => {
    const { max } = getLimit(hostCapabilities.limits, 'documents.pages', 'pages')
    return Math.min(documentedLimits.documentPages, max ?? documentedLimits.documentPages)
  })
  const getChunkIndex = (page: number): number => Math.floor((page - 1) / chunkSize.value)

  function clearChunks(): void {
    for (const abort of pendingRequests) abort.abort()
    pendingRequests.clear()
    chunks.clear()
  }
  watch([bookmd5, blocks, chunkSize, () => connection.epoch], clearChunks)
  onScopeDispose(clearChunks)
  // Visible pages request their text again as soon as the chunks are cleared.
  onScopeDispose(
    useDataChanges().onChange((change) => {
      const shownRead = { endpoint: 'documents.pages', params: { bookmd5: bookmd5() } }
      if (chunks.size > 0 && judgeChangeImpact(change, shownRead) !== 'no') clearChunks()
    }),
  )

  /** Does nothing if the chunk of the page is known or under way. */
  function loadPage(page: number): void {
    const chunkIndex = getChunkIndex(page)
    if (page < 1 || chunks.has(chunkIndex) || !connection.online) return
    void loadChunk(chunkIndex)
  }

  async function loadChunk(chunkIndex: number): Promise<void> {
    const abort = new AbortController()
    pendingRequests.add(abort)
    chunks.set(chunkIndex, { status: 'loading' })
    const start = chunkIndex * chunkSize.value + 1
    const last = lastPage()
    const end = last >= start ? Math.min(last, start + chunkSize.value - 1) : start + chunkSize.value - 1
    try {
      const query = { start, end, ...(blocks() ? { blocks: 1 } : {}) }
      const response = await readEndpoint(
        'documents.pages',
        { params: { bookmd5: bookmd5() }, query },
        { signal: abort.signal },
      )
      if (abort.signal.aborted) return
      chunks.set(chunkIndex, {
        status: 'ready',
        pages: mapPagesByNumber(response.value.pages, start),
        reported: toResponseReport(response),
      })
    } catch (error) {
      if (abort.signal.aborted) return
      if (isCancellation(error)) chunks.delete(chunkIndex)
      else chunks.set(chunkIndex, { status: 'failed', error: toAppError(error) })
    } finally {
      pendingRequests.delete(abort)
    }
  }

  return {
    loadPage,
    getChunk: (page: number): Chunk | undefined => chunks.get(getChunkIndex(page)),
    getPageText(page: number): PageText | null {
      const chunk = chunks.get(getChunkIndex(page))
      return chunk?.status === 'ready' ? (chunk.pages.get(page) ?? null) : null
    },
    retryPage(page: number): void {
      chunks.delete(getChunkIndex(page))
      loadPage(page)
    },
  }
}

export type PageTexts = ReturnType<typeof usePageTexts>
