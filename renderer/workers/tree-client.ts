import { fromWireError } from '../../shared/errors.ts'
import type { ResponseMeta, ReadInput } from '../../shared/ipc/bridge.ts'
import type { ListingAccess } from '../../shared/ipc/listing.ts'
import type { TreeChunk } from '../model/tree/tree-chunk.ts'
import { ListingAccessExpiredError } from './listing-reader.ts'
import {
  UnknownNodesError,
  type TreeFinding,
  type TreePageHeader,
  type TreeReply,
  type TreeRequest,
  type TreeTask,
} from './tree-protocol.ts'

type ReplyListener = (reply: TreeReply) => void

/**
 * A page that the worker reads. `head` resolves when the page is parsed, `chunk` when its nodes are
 * read.
 */
export interface PageReading {
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

/** A tree in a worker of its own. Every method rejects with a plain Error if the worker fails. */
export class TreeWorker {
  readonly #worker: Worker
  readonly #listeners = new Map<number, ReplyListener>()
  #seq = 0
  #isHealthy = true

  constructor(root: string, topicid: string) {
    this.#worker = spareWorker ?? startWorker()
    spareWorker = null
    this.#worker.onmessage = ({ data }: MessageEvent<TreeReply>) => this.#listeners.get(data.seq)?.(data)
    this.#worker.onerror = (event) => {
      this.#isHealthy = false
      this.#failAll(event.message || 'the worker stopped')
    }
    // Nobody waits for the reply, and the tree may be closed before it arrives.
    this.#ask({ task: 'open', root, topicid }, []).catch(() => undefined)
  }

  /** The bytes are transferred to the worker. */
  readPage(bytes: ArrayBuffer): PageReading {
    return this.#requestPage({ task: 'page', bytes }, [bytes]).page
  }

  /**
   * The worker fetches a page of the listing. Resolves when the bytes have arrived.
   * @throws AppError as a call does, ListingAccessExpiredError when `access` must be requested
   *   again
   */
  async fetchPage(access: ListingAccess, id: string, input: ReadInput, cursor: string | null): Promise<FetchedPage> {
    const { page, arrived } = this.#requestPage({ task: 'fetch', access, id, input, cursor }, [])
    return { meta: await arrived, ...page }
  }

  /** Stops fetching further pages. With `isImmediate`, the current request is cancelled too. */
  stopFetching(isImmediate: boolean): void {
    this.#ask({ task: 'stopFetching', isImmediate }, []).catch(() => undefined)
  }

  #requestPage(task: TreeTask, transfer: Transferable[]): { page: PageReading; arrived: Promise<ResponseMeta> } {
    const chunk = Promise.withResolvers<TreeChunk>()
    const head = Promise.withResolvers<TreePageHeader>()
    const arrived = Promise.withResolvers<ResponseMeta>()
    const fail = (error: Error): void => {
      this.#listeners.delete(seq)
      for (const { reject } of [arrived, head, chunk]) reject(error)
    }
    const seq = this.#send(task, transfer, (reply) => {
      if (reply.kind === 'arrived') arrived.resolve(reply.meta)
      else if (reply.kind === 'head') head.resolve(reply.head)
      else if (reply.kind === 'unfetched') {
        fail(reply.error === 'outdated' ? new ListingAccessExpiredError() : fromWireError(reply.error))
      } else if (reply.kind === 'chunk') {
        this.#listeners.delete(seq)
        chunk.resolve(reply.chunk)
      } else if (reply.kind === 'unknown') fail(new UnknownNodesError(reply.bytes))
      else fail(new Error(reply.kind === 'failed' ? reply.message : 'unexpected reply'))
    })
    // The caller gets the error from the promise that it awaits. The other promises must not cause
    // unhandled rejections.
    for (const { promise } of [arrived, head, chunk]) promise.catch(() => undefined)
    return { page: { head: head.promise, chunk: chunk.promise }, arrived: arrived.promise }
  }

  async search(text: string, limit: number): Promise<Uint32Array<ArrayBuffer>> {
    const reply = await this.#ask({ task: 'search', text, limit }, [])
    return reply.kind === 'matches' ? reply.matches : new Uint32Array(0)
  }

  /** The index of each card, or -1 where the tree does not contain it. */
  async indexesOf(noteids: readonly string[]): Promise<Int32Array<ArrayBuffer>> {
    const reply = await this.#ask({ task: 'indexesOf', noteids }, [])
    return reply.kind === 'indexes' ? reply.indexes : new Int32Array(noteids.length).fill(-1)
  }

  async indexOf(noteid: string): Promise<number> {
    const [index = -1] = await this.indexesOf([noteid])
    return index
  }

  /**
   * Changes the title of a card that was renamed.
   * @returns the index of the card, or -1 if the tree does not contain the card
   */
  async setTitle(noteid: string, title: string): Promise<number> {
    const reply = await this.#ask({ task: 'retitle', noteid, title }, [])
    return reply.kind === 'index' ? reply.index : -1
  }

  async getNodeSource(index: number): Promise<string | null> {
    const reply = await this.#ask({ task: 'source', index }, [])
    return reply.kind === 'source' ? reply.text : null
  }

  /**
   * Prepares a page for searching, so that the first search is fast.
   * @param page counted from 0
   */
  async prepareSearch(page: number): Promise<boolean> {
    const reply = await this.#ask({ task: 'prepare', page }, [])
    return reply.kind === 'done'
  }

  /**
   * Finds errors in one page that parsing hides. A request covers a single page, so that a search
   * need not wait for all pages.
   * @param page counted from 0
   */
  async auditPage(page: number): Promise<{ findings: readonly TreeFinding[]; total: number }> {
    const reply = await this.#ask({ task: 'audit', page }, [])
    return reply.kind === 'audit' ? reply : { findings: [], total: 0 }
  }

  /**
   * Closes the tree. An idle worker is kept for the next tree, because compiling its code takes as
   * long as reading a hundred pages. A busy worker is terminated, because it would delay the next
   * tree.
   */
  close(): void {
    if (this.#isHealthy && this.#listeners.size === 0 && spareWorker === null) storeSpare(this.#worker)
    else this.#worker.terminate()
    this.#failAll('closed')
  }

  #ask(task: TreeTask, transfer: Transferable[]): Promise<TreeReply> {
    return new Promise((resolve, reject) => {
      const seq = this.#send(task, transfer, (reply) => {
        this.#listeners.delete(seq)
        if (reply.kind === 'failed') reject(new Error(reply.message))
        else resolve(reply)
      })
    })
  }

  #send(task: TreeTask, transfer: Transferable[], listener: ReplyListener): number {
    this.#seq += 1
    this.#listeners.set(this.#seq, listener)
    const request: TreeRequest = { ...task, seq: this.#seq }
    this.#worker.postMessage(request, transfer)
    return this.#seq
  }

  #failAll(message: string): void {
    for (const [seq, listener] of [...this.#listeners]) listener({ seq, kind: 'failed', message })
    this.#listeners.clear()
  }
}
