import type { ResponseMeta } from '../../shared/ipc/bridge.ts'
import type { MethodInput } from '../../shared/workers/worker-methods.ts'
import type { TreeChunk } from '../model/tree/tree-chunk.ts'
import { PageWorker } from './page-worker.ts'
import { UnknownNodesError, type TreePageHeader } from './tree-protocol.ts'
import type { TreeMethods } from './tree.worker.ts'

/** `head` resolves when the page is parsed, `chunk` when its nodes are read. */
interface PageReading {
  readonly head: Promise<TreePageHeader>
  readonly chunk: Promise<TreeChunk>
}

export interface FetchedPage extends PageReading {
  readonly meta: ResponseMeta
}

const startWorker = (): Worker =>
  new Worker(new URL('./tree.worker.ts', import.meta.url), { type: 'module', name: 'tree' })

let spareWorker: Worker | null = null

/** Starts the worker for the next tree in advance, so that loading its first page need not wait. */
export function prewarmTreeWorker(): void {
  if (spareWorker === null) storeSpare(startWorker())
}

function storeSpare(worker: Worker): void {
  spareWorker = worker
  worker.onmessage = null
  // The next tree then starts a worker of its own, which reports the error.
  worker.onerror = () => (spareWorker = null)
}

function takeWorker(): Worker {
  const worker = spareWorker ?? startWorker()
  spareWorker = null
  return worker
}

/** A tree in a worker of its own. Every call rejects with a plain Error if the worker fails. */
export class TreeWorker extends PageWorker<TreeMethods> {
  readonly #worker: Worker

  constructor(root: string, topicid: string) {
    const worker = takeWorker()
    super(worker)
    this.#worker = worker
    // Nobody waits for the reply, and the tree may be closed before it arrives.
    this.call('open', { root, topicid }).catch(() => undefined)
  }

  /** Stops fetching further pages. With `isImmediate`, the current request is cancelled too. */
  stopFetching(isImmediate: boolean): void {
    this.call('stopFetching', isImmediate).catch(() => undefined)
  }

  /** The bytes are transferred to the worker. */
  readPage(bytes: ArrayBuffer): PageReading {
    return this.#requestPage('addPage', bytes, [bytes])
  }

  /**
   * The worker fetches a page of the listing. Resolves when the bytes have arrived.
   * @throws AppError as a call does, with `LISTING_ACCESS_EXPIRED` when `access` must be requested
   *   again
   */
  async fetchPage(request: MethodInput<TreeMethods['fetchPage']>): Promise<FetchedPage> {
    const { meta, ...page } = this.#requestPage('fetchPage', request, [])
    return { meta: await meta, ...page }
  }

  #requestPage<Name extends 'addPage' | 'fetchPage'>(
    method: Name,
    input: MethodInput<TreeMethods[Name]>,
    transfer: ArrayBuffer[],
  ): PageReading & { meta: Promise<ResponseMeta> } {
    const head = Promise.withResolvers<TreePageHeader>()
    const meta = Promise.withResolvers<ResponseMeta>()
    let unreadBytes: ArrayBuffer | null = null
    const reading = this.call(method, input, {
      transfer,
      onPart(part) {
        if ('meta' in part) meta.resolve(part.meta)
        else if ('head' in part) head.resolve(part.head)
        else unreadBytes = part.unreadBytes
      },
    })
    const chunk = reading.catch((error: unknown) => {
      throw unreadBytes ? new UnknownNodesError(unreadBytes) : error
    })
    // The caller gets the error from the promise that it awaits.
    chunk.catch((error: unknown) => {
      head.reject(error)
      meta.reject(error)
    })
    for (const { promise } of [head, meta]) promise.catch(() => undefined)
    return { head: head.promise, meta: meta.promise, chunk }
  }

  async indexOf(noteid: string): Promise<number> {
    const [index = -1] = await this.call('findIndexes', [noteid])
    return index
  }

  /**
   * Closes the tree. An idle worker is kept for the next tree, because compiling its code takes as
   * long as reading a hundred pages. A busy worker is terminated, because it would delay the next
   * tree.
   */
  close(): void {
    if (this.hasFailed || !this.isIdle || spareWorker !== null) return this.end()
    storeSpare(this.#worker)
    this.fail(new Error('closed'))
  }
}
