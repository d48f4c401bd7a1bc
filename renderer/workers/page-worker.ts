import { WorkerClient } from '../../shared/workers/worker-client.ts'
import type { WorkerMethods, WorkerReply } from '../../shared/workers/worker-methods.ts'

/** The client of a worker of the page. Calls are rejected once the worker has failed. */
export class PageWorker<Methods extends WorkerMethods> extends WorkerClient<Methods> {
  readonly #worker: Worker
  #hasFailed = false

  constructor(worker: Worker, listeners?: Readonly<Record<string, (payload: never) => void>>) {
    super((request, transfer) => worker.postMessage(request, [...transfer] as Transferable[]), listeners)
    this.#worker = worker
    worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => this.receive(data)
    worker.onerror = ({ message }) => {
      this.#hasFailed = true
      this.fail(new Error(message || 'the worker stopped'))
    }
  }

  get hasFailed(): boolean {
    return this.#hasFailed
  }

  end(reason: Error = new Error('closed')): void {
    this.#worker.terminate()
    this.fail(reason)
  }
}
