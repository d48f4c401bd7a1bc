import { parentPort, Worker, type Transferable, type WorkerOptions } from 'node:worker_threads'
import { WorkerClient } from '../../shared/workers/worker-client.ts'
import {
  serveMethods,
  type MethodInput,
  type MethodResult,
  type WorkerMethods,
  type WorkerReply,
  type WorkerRequest,
} from '../../shared/workers/worker-methods.ts'

/** Listeners for what a thread sends on its own, by topic. */
export type TopicListeners<Topics> = { readonly [Topic in keyof Topics]: (payload: Topics[Topic]) => void }

/** The thread keeps the program running only while a call is pending. */
export class WorkerThread<Methods extends WorkerMethods> extends WorkerClient<Methods> {
  readonly #thread: Worker
  #hasEnded = false

  /** @param onEnd called once, unless `terminate` was called, with the error or the exit code */
  constructor(
    script: URL,
    options: WorkerOptions,
    onEnd: (cause: unknown) => void,
    listeners: Readonly<Record<string, (payload: never) => void>> = {},
  ) {
    const thread = new Worker(script, options)
    super((request, transfer) => thread.postMessage(request, transfer as Transferable[]), listeners)
    this.#thread = thread
    thread.unref()
    thread.on('message', (reply: WorkerReply) => {
      this.receive(reply)
      if (this.isIdle) thread.unref()
    })
    const handleEnd = (cause: unknown): void => {
      if (this.#hasEnded) return
      this.#hasEnded = true
      onEnd(cause)
      this.fail(new Error('the thread has ended'))
    }
    thread.on('error', handleEnd)
    thread.on('exit', (code) => handleEnd(`exit ${code}`))
  }

  override call<Name extends keyof Methods & string>(
    method: Name,
    input: MethodInput<Methods[Name]>,
  ): Promise<MethodResult<Methods[Name]>> {
    this.#thread.ref()
    return super.call(method, input)
  }

  terminate(): void {
    this.#hasEnded = true
    this.fail(new Error('the thread was closed'))
    void this.#thread.terminate()
  }

  /** Waits until a thread told to end has ended, and ends it after `maxMs`, which returns false. */
  async waitForEnd(maxMs: number): Promise<boolean> {
    this.#thread.ref()
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), maxMs)))
    const exited = new Promise<boolean>((resolve) => this.#thread.once('exit', () => resolve(true)))
    const isInTime = await Promise.race([exited, timeout])
    clearTimeout(timer)
    await this.#thread.terminate()
    return isInTime
  }
}

/** Serves this thread's methods to the one that started it; `onCall` is called before each. */
export function serveThread(methods: WorkerMethods, onCall?: (hasReply: boolean) => void): void {
  const receive = serveMethods(
    methods,
    (reply, transfer) => parentPort?.postMessage(reply, transfer as Transferable[]),
    onCall,
  )
  parentPort?.on('message', (request: WorkerRequest) => receive(request))
}

/** Returns a function that sends what no call has asked for. */
export function createTopicSender<Topics>() {
  return <Topic extends keyof Topics & string>(topic: Topic, payload: Topics[Topic]): void =>
    parentPort?.postMessage({ topic, payload } satisfies WorkerReply)
}
