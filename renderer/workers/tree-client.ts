import { fromWireError } from '../../shared/errors.ts'
import type { ResponseMeta, ReadInput } from '../../shared/ipc/bridge.ts'
import type { ListingAccess } from '../../shared/ipc/listing.ts'
import type { TreeChunk } from '../model/tree/tree-chunk.ts'
import { ListingAccessExpiredError } from './listing-reader.ts'
import type { TreeFinding, TreePageHeader, TreeReply, TreeRequest, TreeTask } from './tree-protocol.ts'

type ReplyListener = (reply: TreeReply) => void

/** A page in the worker's hands: `head` resolves as soon as it is parsed, `chunk` once its nodes are read. */
export interface PageReading {
  readonly head: Promise<TreePageHeader>
  readonly chunk: Promise<TreeChunk>
}

export interface FetchedPage extends PageReading {
  readonly meta: ResponseMeta
}

const start = (): Worker => new Worker(new URL('./tree.worker.ts', import.meta.url), { type: 'module', name: 'tree' })

let spare: Worker | null = null

/** Starts the worker of the next tree ahead, so that its first page need not wait for it. */
export function prewarmTreeWorker(): void {
  if (spare === null) keepSpare(start())
}

function keepSpare(worker: Worker): void {
  spare = worker
  worker.onmessage = null
  // Whoever needs a worker then starts one, and is told why that fails.
  worker.onerror = () => (spare = null)
}

/** A tree in its own worker. Every method rejects with a plain Error if the worker fails. */
export class TreeWorker {
  readonly #worker: Worker
  readonly #waiting = new Map<number, ReplyListener>()
  #seq = 0
  #isSound = true

  constructor(root: string) {
    this.#worker = spare ?? start()
    spare = null
    this.#worker.onmessage = ({ data }: MessageEvent<TreeReply>) => this.#waiting.get(data.seq)?.(data)
    this.#worker.onerror = (event) => {
      this.#isSound = false
      this.#failAll(event.message || 'the worker stopped')
    }
    // Closed again at once: nobody waits for this one.
    this.#ask({ task: 'open', root }, []).catch(() => undefined)
  }

  /** Transfers the bytes. `head` resolves as soon as the page is parsed, `chunk` once its nodes are read. */
  readPage(bytes: ArrayBuffer): PageReading {
    return this.#page({ task: 'page', bytes }, [bytes]).page
  }

  /**
   * Has the worker fetch a page of a listing itself. Resolves once its bytes are there; rejects with `AppError` as a call does, and with
   * `DoorOutdated` if the door has to be asked for again.
   */
  async fetchPage(door: ListingAccess, id: string, input: ReadInput, cursor: string | null): Promise<FetchedPage> {
    const { page, arrived } = this.#page({ task: 'fetch', door, id, input, cursor }, [])
    return { meta: await arrived, ...page }
  }

  /** Nothing more is fetched; with `atOnce`, not even a page that is on its way. */
  stopFetching(atOnce: boolean): void {
    this.#ask({ task: 'hangUp', atOnce }, []).catch(() => undefined)
  }

  #page(task: TreeTask, transfer: Transferable[]): { page: PageReading; arrived: Promise<ResponseMeta> } {
    const chunk = Promise.withResolvers<TreeChunk>()
    const head = Promise.withResolvers<TreePageHeader>()
    const arrived = Promise.withResolvers<ResponseMeta>()
    const fail = (error: Error): void => {
      this.#waiting.delete(seq)
      for (const { reject } of [arrived, head, chunk]) reject(error)
    }
    const seq = this.#send(task, transfer, (reply) => {
      if (reply.kind === 'arrived') arrived.resolve(reply.meta)
      else if (reply.kind === 'head') head.resolve(reply.head)
      else if (reply.kind === 'unfetched') {
        fail(reply.error === 'outdated' ? new ListingAccessExpiredError() : fromWireError(reply.error))
      } else if (reply.kind === 'chunk') {
        this.#waiting.delete(seq)
        chunk.resolve(reply.chunk)
      } else fail(new Error(reply.kind === 'failed' ? reply.message : 'unexpected reply'))
    })
    // Whoever awaits the first of them gets the failure; the others must not become unhandled rejections as well.
    for (const { promise } of [arrived, head, chunk]) promise.catch(() => undefined)
    return { page: { head: head.promise, chunk: chunk.promise }, arrived: arrived.promise }
  }

  async search(text: string, limit: number): Promise<Uint32Array<ArrayBuffer>> {
    const reply = await this.#ask({ task: 'search', text, limit }, [])
    return reply.kind === 'matches' ? reply.matches : new Uint32Array(0)
  }

  async indexOf(noteid: string): Promise<number> {
    const reply = await this.#ask({ task: 'indexOf', noteid }, [])
    return reply.kind === 'index' ? reply.index : -1
  }

  /** A card has another title than its page said. Returns its index; -1 if it is not in the tree. */
  async setTitle(noteid: string, title: string): Promise<number> {
    const reply = await this.#ask({ task: 'retitle', noteid, title }, [])
    return reply.kind === 'index' ? reply.index : -1
  }

  async getNodeSource(index: number): Promise<string | null> {
    const reply = await this.#ask({ task: 'source', index }, [])
    return reply.kind === 'source' ? reply.text : null
  }

  /** Makes a page ready to be searched, counted from 0. */
  async prepareSearch(page: number): Promise<boolean> {
    const reply = await this.#ask({ task: 'prepare', page }, [])
    return reply.kind === 'done'
  }

  /** What parsing hid in one page of the listing, counted from 0. One page at a time, so that a search need not wait for all of them. */
  async auditPage(page: number): Promise<{ findings: readonly TreeFinding[]; total: number }> {
    const reply = await this.#ask({ task: 'audit', page }, [])
    return reply.kind === 'audit' ? reply : { findings: [], total: 0 }
  }

  /**
   * Nothing more is asked. A worker that has answered everything is kept for the next tree: it has compiled the code that reads pages, which
   * takes as long as reading a hundred of them. One that is busy could keep that tree waiting, and is ended.
   */
  close(): void {
    if (this.#isSound && this.#waiting.size === 0 && spare === null) keepSpare(this.#worker)
    else this.#worker.terminate()
    this.#failAll('closed')
  }

  #ask(task: TreeTask, transfer: Transferable[]): Promise<TreeReply> {
    return new Promise((resolve, reject) => {
      const seq = this.#send(task, transfer, (reply) => {
        this.#waiting.delete(seq)
        if (reply.kind === 'failed') reject(new Error(reply.message))
        else resolve(reply)
      })
    })
  }

  #send(task: TreeTask, transfer: Transferable[], listener: ReplyListener): number {
    this.#seq += 1
    this.#waiting.set(this.#seq, listener)
    const request: TreeRequest = { ...task, seq: this.#seq }
    this.#worker.postMessage(request, transfer)
    return this.#seq
  }

  #failAll(message: string): void {
    for (const [seq, listener] of [...this.#waiting]) listener({ seq, kind: 'failed', message })
    this.#waiting.clear()
  }
}
