import { getLimit } from '../../shared/bridge/host-limits.ts'
import type { JsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { createCancelledError } from '../../shared/errors.ts'
import type { ReadInput } from '../../shared/ipc/bridge.ts'
import type { ListingAccess } from '../../shared/ipc/listing.ts'
import { call, getListingAccess } from '../ipc/call.ts'
import { ListingAccessExpiredError } from '../workers/listing-reader.ts'
import type { FetchedPage, TreeWorker } from '../workers/tree-client.ts'

/** Which listing: a study set, optionally one of its sub-maps, in the host's order or sorted by document (spec §4 card listing). */
export interface TreeKey {
  readonly topicid: string
  readonly root: string
  readonly sort: '' | 'document'
  readonly pageSize: number
}

let listings = 0

/**
 * The pages of a listing, each by the cursor it is asked for with. The worker fetches them itself where it can, so that their bytes never
 * pass through this thread; elsewhere they come by calls and are transferred. `signal` ends what is on its way.
 */
export class TreePages {
  readonly #worker: TreeWorker
  readonly #input: Promise<ReadInput>
  readonly #signal: AbortSignal
  readonly #hangUp = (): void => this.#worker.stopFetching(true)
  #door: ListingAccess | null | undefined

  constructor(worker: TreeWorker, key: TreeKey, signal: AbortSignal) {
    this.#worker = worker
    this.#input = request(key)
    this.#signal = signal
    signal.addEventListener('abort', this.#hangUp, { once: true })
  }

  /**
   * Pages are not handed over faster than they are read, or they would pile up: `before` is when the one before is. Throws `AppError`, also
   * when aborted, but never for a page that the worker has begun to read: it would know a page that nobody else does.
   */
  async fetchPage(cursor: string | null, before: Promise<void>): Promise<FetchedPage> {
    for (;;) {
      this.#door ??= this.#door === null ? null : await getListingAccess()
      if (this.#signal.aborted) throw createCancelledError()
      if (this.#door === null) return this.#called(cursor, before)
      listings += 1
      const input = await this.#input
      const asked = this.#worker.fetchPage(this.#door, `listing-${listings}`, input, cursor)
      try {
        const fetched = await asked
        await before
        return fetched
      } catch (error) {
        if (this.#signal.aborted) throw createCancelledError()
        if (!(error instanceof ListingAccessExpiredError)) throw error
        this.#door = await getListingAccess(this.#door)
      }
    }
  }

  /** Whatever was read ahead is let go. An answer that is over is not torn down. */
  close(): void {
    this.#signal.removeEventListener('abort', this.#hangUp)
    if (this.#door && !this.#signal.aborted) this.#worker.stopFetching(false)
  }

  async #called(cursor: string | null, before: Promise<void>): Promise<FetchedPage> {
    const input = await this.#input
    const query = cursor === null ? input.query : { ...input.query, cursor }
    const { meta, bytes } = await call('bridge.read', { ...input, query }, { signal: this.#signal })
    await before
    return { meta, ...this.#worker.readPage(bytes) }
  }
}

/** The first page. It is as large as the settings want and the host's capabilities allow. */
async function request({ topicid, root, sort, pageSize }: TreeKey): Promise<ReadInput> {
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
