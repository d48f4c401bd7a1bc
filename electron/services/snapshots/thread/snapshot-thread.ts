import type { MethodInput, MethodResult } from '../../../../shared/workers/worker-methods.ts'
import { THREAD_MEMORY } from '../../../system/thread-priority.ts'
import { WorkerThread, type TopicListeners } from '../../../system/worker-thread.ts'
import { describeError } from '../../files/log.ts'
import type { SnapshotBounds } from '../snapshot-store.ts'
import type { SnapshotMethods, SnapshotThreadData, SnapshotTopics } from './worker.ts'

/** Maximum time that the end of the program waits for the last snapshot. */
const CLOSE_MS = 5_000
/** Maximum bytes of pages that wait for the thread; further listings become no snapshots. */
const MAX_QUEUED_BYTES = 160 * 1024 * 1024
/**
 * Pages of a listing that somebody else reads are posted once none has arrived for this time. What
 * a thread receives makes it collect garbage, which would slow the listing down.
 */
const POST_AFTER_MS = 400
/** All are posted at once when more are waiting, so that their memory is free again. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024

interface Options extends SnapshotThreadData {
  readonly worker: URL
  readonly maxQueuedBytes?: number
  readonly listeners: Omit<TopicListeners<SnapshotTopics>, 'freed'>
  readonly onFailure: (reason: string) => void
}

type PageOrder = MethodInput<SnapshotMethods['addPage']>

interface WaitingPage {
  readonly order: PageOrder
  /** The bytes have other readers, so they are copied and not transferred. */
  readonly isShared: boolean
}

/** The thread is started by the first listing, call or question, and again after it has failed. */
export class SnapshotThread {
  readonly #options: Options
  #thread: WorkerThread<SnapshotMethods> | null = null
  #isClosing = false
  #queuedBytes = 0
  #tokens: readonly string[] = []
  #bounds: SnapshotBounds | null = null
  readonly #waitingPages: WaitingPage[] = []
  #waitingBytes = 0
  #postTimer: NodeJS.Timeout | null = null

  constructor(options: Options) {
    this.#options = options
  }

  /** Posts a message; never waits. */
  send<Name extends 'addResponse' | 'addWrite'>(
    method: Name,
    input: MethodInput<SnapshotMethods[Name]>,
    transfer?: ArrayBuffer[],
  ): void {
    if (!this.#isClosing) this.#start().send(method, input, transfer)
  }

  /**
   * Posts a page at once or when its listing pauses. Its bytes are transferred, or copied then if
   * they are shared: nobody may change them.
   */
  sendPage(order: PageOrder, isShared = false): void {
    if (this.#isClosing) return
    const { byteLength } = order.page.bytes
    this.#queuedBytes += byteLength
    this.#waitingPages.push({ order, isShared })
    this.#waitingBytes += byteLength
    if (order.isRequested) return this.#postWaitingPages()
    if (this.#waitingBytes > MAX_WAITING_BYTES) return this.#postWaitingPages()
    if (this.#postTimer) this.#postTimer.refresh()
    else this.#schedulePost(POST_AFTER_MS)
  }

  /** Posts one page at a time, because copying all of them at once would delay calls. */
  #schedulePost(delayMs: number): void {
    this.#postTimer = setTimeout(() => {
      this.#postTimer = null
      this.#postOldestPage()
      if (this.#waitingPages.length > 0) this.#schedulePost(0)
    }, delayMs).unref()
  }

  #postWaitingPages(): void {
    if (this.#postTimer) clearTimeout(this.#postTimer)
    this.#postTimer = null
    while (this.#waitingPages.length > 0) this.#postOldestPage()
  }

  #postOldestPage(): void {
    const oldest = this.#waitingPages.shift()
    if (!oldest) return
    const { order, isShared } = oldest
    this.#waitingBytes -= order.page.bytes.byteLength
    const bytes = isShared ? order.page.bytes.slice() : order.page.bytes
    this.#start().send('addPage', { ...order, page: { ...order.page, bytes } }, [bytes.buffer])
  }

  /** Returns false if a page of this size cannot be taken now, because the thread is too slow. */
  hasRoom(bytes: number): boolean {
    return this.#queuedBytes + bytes <= (this.#options.maxQueuedBytes ?? MAX_QUEUED_BYTES)
  }

  setTokens(tokens: readonly string[]): void {
    this.#tokens = tokens
    this.#thread?.send('setTokens', tokens)
  }

  setBounds(bounds: SnapshotBounds): void {
    this.#bounds = bounds
    this.#thread?.send('setBounds', bounds)
  }

  ask<Name extends keyof SnapshotMethods>(
    method: Name,
    input: MethodInput<SnapshotMethods[Name]>,
  ): Promise<MethodResult<SnapshotMethods[Name]>> {
    this.#postWaitingPages()
    return this.#start().call(method, input)
  }

  async close(): Promise<void> {
    this.#postWaitingPages()
    this.#isClosing = true
    this.#thread?.send('close', undefined)
    await this.#thread?.waitForEnd(CLOSE_MS)
  }

  #start(): WorkerThread<SnapshotMethods> {
    if (this.#thread) return this.#thread
    const { worker, dataDir, listeners } = this.#options
    const workerData: SnapshotThreadData = { dataDir }
    const thread = new WorkerThread<SnapshotMethods>(
      worker,
      { workerData, resourceLimits: THREAD_MEMORY },
      (cause) => this.#onEnd(cause),
      {
        ...listeners,
        freed: (bytes) => {
          this.#queuedBytes -= bytes
        },
      } satisfies TopicListeners<SnapshotTopics>,
    )
    this.#thread = thread
    thread.send('setTokens', this.#tokens)
    if (this.#bounds) thread.send('setBounds', this.#bounds)
    return thread
  }

  #onEnd(cause: unknown): void {
    this.#thread = null
    this.#queuedBytes = this.#waitingBytes
    if (!this.#isClosing) this.#options.onFailure(describeError(cause))
  }
}
