import type { JsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { withCursor } from '../../shared/bridge/listing-cursor.ts'
import { AppError, createCancelledError } from '../../shared/errors.ts'
import type { ReadInput } from '../../shared/ipc/bridge.ts'
import type { ListingAccess } from '../../shared/ipc/listing.ts'
import { call, getListingAccess } from '../ipc/call.ts'
import { LISTING_ACCESS_EXPIRED } from '../workers/listing-reader.ts'
import type { FetchedPage, TreeWorker } from '../workers/tree-client.ts'

/** A study set or sub-map, in the host's order or by document (spec §4 card listing). */
export interface TreeKey {
  readonly topicid: string
  readonly root: string
  readonly sort: '' | 'document'
  readonly pageSize: number
}

let listingCount = 0

/** Null if it is not known yet, or if listings must be read by calls. */
let lastAccess: ListingAccess | null = null

async function requestAccess(refused?: ListingAccess): Promise<ListingAccess | null> {
  lastAccess = await getListingAccess(refused)
  return lastAccess
}

/**
 * Gets the access of workers in advance. With it, the worker requests the first page of a listing
 * before the page draws that a tree is being loaded.
 */
export async function prepareListingAccess(): Promise<void> {
  if (lastAccess === null) await requestAccess().catch(() => null)
}

/**
 * Fetches the pages of a listing by cursor. The worker fetches them itself if it can, so that their
 * bytes do not pass through this thread; otherwise this thread fetches them by calls and transfers
 * the bytes. `signal` aborts pending requests.
 */
export class TreePages {
  readonly #worker: TreeWorker
  readonly #input: ReadInput
  readonly #signal: AbortSignal
  readonly #onAbort = (): void => this.#worker.stopFetching(true)
  #access: ListingAccess | null | undefined = lastAccess ?? undefined

  constructor(worker: TreeWorker, key: TreeKey, signal: AbortSignal) {
    this.#worker = worker
    this.#input = createFirstRequest(key)
    this.#signal = signal
    signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  /**
   * Fetches a page. Waits for `before`, which resolves when the previous page was read, because
   * pages would otherwise pile up in memory.
   * @throws AppError also when aborted, but not for a page that the worker has begun to read,
   *   because the tree in the worker already contains that page
   */
  async fetchPage(cursor: string | null, before: Promise<void>): Promise<FetchedPage> {
    for (;;) {
      if (this.#access === undefined) this.#access = await requestAccess()
      if (this.#signal.aborted) throw createCancelledError()
      if (this.#access === null) return this.#fetchByCall(cursor, before)
      listingCount += 1
      const id = `listing-${listingCount}`
      const fetching = this.#worker.fetchPage({ access: this.#access, id, input: this.#input, cursor })
      try {
        const fetched = await fetching
        await before
        return fetched
      } catch (error) {
        if (this.#signal.aborted) throw createCancelledError()
        if (!(error instanceof AppError) || error.code !== LISTING_ACCESS_EXPIRED) throw error
        this.#access = await requestAccess(this.#access)
      }
    }
  }

  /** Discards pages that were fetched in advance. A complete response needs no abort. */
  close(): void {
    this.#signal.removeEventListener('abort', this.#onAbort)
    if (this.#access && !this.#signal.aborted) this.#worker.stopFetching(false)
  }

  async #fetchByCall(cursor: string | null, before: Promise<void>): Promise<FetchedPage> {
    const query = withCursor(this.#input.query, cursor)
    const { meta, bytes } = await call('bridge.read', { ...this.#input, query }, { signal: this.#signal })
    await before
    return { meta, ...this.#worker.readPage(bytes) }
  }
}

/** The service process replaces a size of pages that the host does not allow. */
const createFirstRequest = ({ topicid, root, sort, pageSize }: TreeKey): ReadInput => ({
  endpoint: 'studySets.tree' satisfies JsonEndpointId,
  readAhead: true,
  params: { topicid },
  query: {
    limit: pageSize,
    ...(root === '' ? {} : { root }),
    ...(sort === '' ? {} : { sort }),
  },
})
