import type { TreeChunk } from '../model/tree/chunk.ts'
import type { TreeFinding, TreeHead, TreeReply, TreeRequest, TreeTask } from './tree-protocol.ts'

type Listener = (reply: TreeReply) => void

/** A tree in its own worker. Every method rejects with a plain Error if the worker fails. */
export class TreeWorker {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Listener>()
  #seq = 0

  constructor(root: string) {
    this.#worker = new Worker(new URL('./tree.worker.ts', import.meta.url), { type: 'module', name: 'tree' })
    this.#worker.onmessage = ({ data }: MessageEvent<TreeReply>) => this.#waiting.get(data.seq)?.(data)
    this.#worker.onerror = (event) => this.#failAll(event.message || 'the worker stopped')
    // Closed again at once: nobody waits for this one.
    this.#ask({ task: 'open', root }, []).catch(() => undefined)
  }

  /** Transfers the bytes. `head` resolves as soon as the page is parsed, `chunk` once its nodes are read. */
  page(bytes: ArrayBuffer): { head: Promise<TreeHead>; chunk: Promise<TreeChunk> } {
    const chunk = Promise.withResolvers<TreeChunk>()
    const head = Promise.withResolvers<TreeHead>()
    const seq = this.#send({ task: 'page', bytes }, [bytes], (reply) => {
      if (reply.kind === 'head') head.resolve(reply.head)
      else {
        this.#waiting.delete(seq)
        if (reply.kind === 'chunk') chunk.resolve(reply.chunk)
        else {
          const error = new Error(reply.kind === 'failed' ? reply.message : 'unexpected reply')
          head.reject(error)
          chunk.reject(error)
        }
      }
    })
    // Whoever awaits the head gets the failure; the chunk must not become an unhandled rejection as well.
    chunk.promise.catch(() => undefined)
    return { head: head.promise, chunk: chunk.promise }
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
  async retitle(noteid: string, title: string): Promise<number> {
    const reply = await this.#ask({ task: 'retitle', noteid, title }, [])
    return reply.kind === 'index' ? reply.index : -1
  }

  async source(index: number): Promise<string | null> {
    const reply = await this.#ask({ task: 'source', index }, [])
    return reply.kind === 'source' ? reply.text : null
  }

  /** What parsing hid in one page of the listing, counted from 0. One page at a time, so that a search need not wait for all of them. */
  async audit(page: number): Promise<{ findings: readonly TreeFinding[]; total: number }> {
    const reply = await this.#ask({ task: 'audit', page }, [])
    return reply.kind === 'audit' ? reply : { findings: [], total: 0 }
  }

  close(): void {
    this.#worker.terminate()
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

  #send(task: TreeTask, transfer: Transferable[], listener: Listener): number {
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
