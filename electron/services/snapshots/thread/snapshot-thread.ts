import { Worker } from 'node:worker_threads'
import type { IpcPayload } from '../../../../shared/ipc/index.ts'
import { THREAD_MEMORY } from '../../../system/thread-priority.ts'
import { endThread, ThreadQuestions } from '../../../system/thread-questions.ts'
import { describeError } from '../../files/log.ts'
import type { NewNotice } from '../../notices.ts'
import type { SnapshotBounds } from '../snapshot-store.ts'
import type { SnapshotOrder, SnapshotQuestions, SnapshotReport, SnapshotThreadData } from './messages.ts'

/** Maximum time that the end of the program waits for the last snapshot. */
const CLOSE_MS = 5_000
/** Maximum bytes of pages that wait for the thread; further listings become no snapshots. */
const MAX_QUEUED_BYTES = 160 * 1024 * 1024

/**
 * Pages of a listing that somebody else reads are posted once none has arrived for this time. What
 * a thread receives makes it collect garbage, which would slow the listing down.
 */
const POST_AFTER_MS = 400
/** Pages are posted at once when more are waiting, so that their memory is free again. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024

interface Options extends SnapshotThreadData {
  readonly worker: URL
  readonly maxQueuedBytes?: number
  readonly onChange: (topicid: string | null) => void
  readonly onProgress: (progress: IpcPayload<'snapshots.progress'>) => void
  readonly onNotices: (notices: readonly NewNotice[]) => void
  readonly onFailure: (reason: string) => void
}

type PageOrder = Extract<SnapshotOrder, { kind: 'page' }>

export interface SnapshotThread {
  /** Posts a message; never waits. */
  send(order: Exclude<SnapshotOrder, { kind: 'ask' | 'know' | 'bound' }>, transfer?: ArrayBuffer[]): void
  /** Returns false if a page of this size cannot be taken now, because the thread is too slow. */
  hasRoom(bytes: number): boolean
  setTokens(tokens: readonly string[]): void
  setBounds(bounds: SnapshotBounds): void
  ask<Q extends keyof SnapshotQuestions>(
    question: Q,
    ...input: Parameters<SnapshotQuestions[Q]>
  ): Promise<ReturnType<SnapshotQuestions[Q]>>
  close(): Promise<void>
}

/** The thread is started by the first listing, call or question, and again after it has failed. */
export function createSnapshotThread({
  worker,
  onChange,
  onProgress,
  onNotices,
  onFailure,
  dataDir,
  maxQueuedBytes = MAX_QUEUED_BYTES,
}: Options): SnapshotThread {
  let thread: Worker | null = null
  let isClosing = false
  let queuedBytes = 0
  let tokens: readonly string[] = []
  let bounds: SnapshotBounds | null = null
  const questions = new ThreadQuestions()

  function onReport(report: SnapshotReport): void {
    if (report.kind === 'changed') return onChange(report.topicid)
    if (report.kind === 'freed') {
      queuedBytes -= report.bytes
      return
    }
    if (report.kind === 'progress') return onProgress(report.progress)
    if (report.kind === 'noticed') return onNotices(report.notices)
    questions.settle(report)
    if (questions.isEmpty) thread?.unref()
  }

  function onEnd(reason: string): void {
    thread = null
    queuedBytes = waitingBytes
    questions.rejectAll('the thread has ended')
    if (!isClosing) onFailure(reason)
  }

  function startThread(): Worker {
    if (thread) return thread
    const started = new Worker(worker, {
      workerData: { dataDir } satisfies SnapshotThreadData,
      resourceLimits: THREAD_MEMORY,
    })
    started.on('message', onReport)
    started.on('error', (error) => onEnd(describeError(error)))
    started.on('exit', (code) => {
      if (thread === started) onEnd(`exit ${code}`)
    })
    // The thread itself does not keep the program running; only a pending question does.
    started.unref()
    thread = started
    post({ kind: 'know', tokens })
    if (bounds) post({ kind: 'bound', bounds })
    return started
  }

  const post = (order: SnapshotOrder, transfer: ArrayBuffer[] = []): void => startThread().postMessage(order, transfer)

  let waitingPages: PageOrder[] = []
  let waitingBytes = 0
  let postTimer: NodeJS.Timeout | null = null

  function addWaitingPage(order: PageOrder): void {
    waitingPages.push(order)
    waitingBytes += order.page.bytes.byteLength
    if (waitingBytes > MAX_WAITING_BYTES) postWaitingPages()
    else if (postTimer) postTimer.refresh()
    else postTimer = setTimeout(postWaitingPages, POST_AFTER_MS).unref()
  }

  function postWaitingPages(): void {
    if (postTimer) clearTimeout(postTimer)
    postTimer = null
    const orders = waitingPages
    waitingPages = []
    waitingBytes = 0
    for (const order of orders) post(order, [order.page.bytes.buffer])
  }

  return {
    send(order, transfer) {
      if (isClosing) return
      if (order.kind === 'page') queuedBytes += order.page.bytes.byteLength
      if (order.kind === 'page' && !order.isRequested) return addWaitingPage(order)
      if (order.kind === 'page') postWaitingPages()
      post(order, transfer)
    },
    hasRoom: (bytes) => queuedBytes + bytes <= maxQueuedBytes,
    setTokens(list) {
      tokens = list
      if (thread) post({ kind: 'know', tokens })
    },
    setBounds(newBounds) {
      bounds = newBounds
      if (thread) post({ kind: 'bound', bounds })
    },
    ask(question, ...input) {
      postWaitingPages()
      return questions.ask((id) => {
        startThread().ref()
        post({ kind: 'ask', id, question, input })
      })
    },
    async close() {
      postWaitingPages()
      isClosing = true
      const lastThread = thread
      if (!lastThread) return
      lastThread.ref()
      post({ kind: 'ask', id: -1, question: 'close', input: [] })
      await endThread(lastThread, CLOSE_MS)
    },
  }
}
