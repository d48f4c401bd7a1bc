import { getLimit } from '../../shared/bridge/host-limits.ts'
import type { JsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { createCancelledError } from '../../shared/errors.ts'
import type { ReadInput } from '../../shared/ipc/bridge.ts'
import type { ListingAccess } from '../../shared/ipc/listing.ts'
import { call, getListingAccess } from '../ipc/call.ts'
import { ListingAccessExpiredError } from '../workers/listing-reader.ts'
import type { FetchedPage, TreeWorker } from '../workers/tree-client.ts'

/**
 * Which listing: a study set, optionally one of its sub-maps, in the host's order or sorted by
 * document (spec §4 card listing).
 */
export interface TreeKey {
  readonly topicid: string
  readonly root: string
  readonly sort: '' | 'document'
  readonly pageSize: number
}

let listingCount = 0

/**
 * The pages of a listing, each by the cursor that it is requested with. The worker fetches them
 * itself where it can, so that their bytes never pass through this thread; elsewhere they come by
 * calls and are transferred. `signal` aborts what is on its way.
 */
export class TreePages {
  readonly #worker: TreeWorker
  readonly #input: Promise<ReadInput>
  readonly #signal: AbortSignal
  readonly #onAbort = (): void => this.#worker.stopFetching(true)
  #access: ListingAccess | null | undefined

  constructor(worker: TreeWorker, key: TreeKey, signal: AbortSignal) {
    this.#worker = worker
    this.#input = createFirstRequest(key)
    this.#signal = signal
    signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  /**
   * Fetches a page and waits for `before`, the end of reading the previous page, because pages
   * would pile up otherwise.
   * @throws AppError also when aborted, but never for a page that the worker has begun to read: the
   *   worker would know a page that nobody else does
   */
  async fetchPage(cursor: string | null, before: Promise<void>): Promise<FetchedPage> {
    for (;;) {
      this.#access ??= this.#access === null ? null : await getListingAccess()
      if (this.#signal.aborted) throw createCancelledError()
      if (this.#access === null) return this.#fetchByCall(cursor, before)
      listingCount += 1
      const input = await this.#input
      const fetching = this.#worker.fetchPage(this.#access, `listing-${listingCount}`, input, cursor)
      try {
        const fetched = await fetching
        await before
        return fetched
      } catch (error) {
        if (this.#signal.aborted) throw createCancelledError()
        if (!(error instanceof ListingAccessExpiredError)) throw error
        this.#access = await getListingAccess(this.#access)
      }
    }
  }

  /** Discards pages that were read ahead. A finished response needs no abort. */
  close(): void {
    this.#signal.removeEventListener('abort', this.#onAbort)
    if (this.#access && !this.#signal.aborted) this.#worker.stopFetching(false)
  }

  async #fetchByCall(cursor: string | null, before: Promise<void>): Promise<FetchedPage> {
    const input = await this.#input
    const query = cursor === null ? input.query : { ...input.query, cursor }
    const { meta, bytes } = await call('bridge.read', { ...input, query }, { signal: this.#signal })
    await before
    return { meta, ...this.#worker.readPage(bytes) }
  }
}

/**
 * The request for the first page, as large as the settings want and the host's capabilities allow.
 */
async function createFirstRequest({ topicid, root, sort, pageSize }: TreeKey): Promise<ReadInput> {
  const limits = await call('bridge.limits', {}).catch(() => null)
  const { min, max } = getLimit(limits, 'studySets.tree', 'limit')
  return {
    endpoint: 'studySets.tree' satisfies JsonEndpointId,
    readAhead: true,
    params: { topicid },
    query: {
      limit: Math.max(min ?? 1, Math.min(pageSize, max ?? pageSize)),
      ...(root === '' ? {} : { root }),
      ...(sort === '' ? {} : { sort }),
    },
  }
}
