import { computed, onScopeDispose, shallowReactive, watch } from 'vue'
import { limitOf } from '../../../shared/bridge/host-limits.ts'
import { judgeTouch } from '../../../shared/bridge/data-change.ts'
import { limits } from '../../../shared/bridge/endpoints/limits.ts'
import type { AppError } from '../../../shared/errors.ts'
import { useConnection } from '../../stores/connection.ts'
import { useDataChanges } from '../../stores/data-changes.ts'
import { asAppError, isCancelled } from '../../stores/errors.ts'
import { useListed } from '../../stores/listed.ts'
import { readEndpoint, reportedIn, type Reported } from '../../stores/read.ts'
import { pagesOf, type PageText } from './page-numbers.ts'

/** The pages of one request, which is at most as many as a host gives at once. */
type Chunk =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: AppError }
  | { readonly status: 'ready'; readonly pages: ReadonlyMap<number, PageText>; readonly reported: Reported }

/** Texts of the pages that are looked at, read in chunks when the first page of one is wanted. */
export function usePageTexts(bookmd5: () => string, blocks: () => boolean, lastPage: () => number) {
  const connection = useConnection()
  const chunks = shallowReactive(new Map<number, Chunk>())
  const running = new Set<AbortController>()
  const listed = useListed()
  const size = computed(() => {
    const { max } = limitOf(listed.limits, 'documents.pages', 'pages')
    return Math.min(limits.documentPages, max ?? limits.documentPages)
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
  function want(page: number): void {
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
      chunks.set(at, { status: 'ready', pages: pagesOf(answer.value.pages, start), reported: reportedIn(answer) })
    } catch (error) {
      if (abort.signal.aborted) return
      if (isCancelled(error)) chunks.delete(at)
      else chunks.set(at, { status: 'failed', error: asAppError(error) })
    } finally {
      running.delete(abort)
    }
  }

  return {
    want,
    /** What is known of the chunk that holds a page. */
    chunk: (page: number): Chunk | undefined => chunks.get(chunkOf(page)),
    text(page: number): PageText | null {
      const chunk = chunks.get(chunkOf(page))
      return chunk?.status === 'ready' ? (chunk.pages.get(page) ?? null) : null
    },
    retry(page: number): void {
      chunks.delete(chunkOf(page))
      want(page)
    },
  }
}

export type PageTexts = ReturnType<typeof usePageTexts>
