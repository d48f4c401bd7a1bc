import { Worker } from 'node:worker_threads'
import type { IpcPayload } from '../../../../shared/ipc/index.ts'
import { fromWireError } from '../../../../shared/errors.ts'
import { describeError } from '../../files/log.ts'
import type { NewNotice } from '../../notices.ts'
import type { SnapshotBounds } from '../snapshot-store.ts'
import type { SnapshotOrder, SnapshotQuestions, SnapshotReport, SnapshotThreadData } from './messages.ts'

/** Maximum time that the end of the program waits for the last snapshot. */
const CLOSE_MS = 5_000
/** Maximum bytes of pages that wait for the thread; further listings become no snapshots. */
const MAX_QUEUED_BYTES = 160 * 1024 * 1024

interface Options extends SnapshotThreadData {
  readonly worker: URL
  readonly maxQueuedBytes?: number
  readonly onChange: (topicid: string | null) => void
  readonly onProgress: (progress: IpcPayload<'snapshots.progress'>) => void
  readonly onNotices: (notices: readonly NewNotice[]) => void
  readonly onFailure: (reason: string) => void
}

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

interface PendingQuestion {
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
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
  let lastId = 0
  let queuedBytes = 0
  let tokens: readonly string[] = []
  let bounds: SnapshotBounds | null = null
  const pendingQuestions = new Map<number, PendingQuestion>()

  function onReport(report: SnapshotReport): void {
    if (report.kind === 'changed') return onChange(report.topicid)
    if (report.kind === 'freed') {
      queuedBytes -= report.bytes
      return
    }
    if (report.kind === 'progress') return onProgress(report.progress)
    if (report.kind === 'noticed') return onNotices(report.notices)
    const question = pendingQuestions.get(report.id)
    pendingQuestions.delete(report.id)
    if (pendingQuestions.size === 0) thread?.unref()
    if (report.kind === 'answer') question?.resolve(report.value as never)
    else question?.reject(fromWireError(report.error))
  }

  function onEnd(reason: string): void {
    thread = null
    queuedBytes = 0
    for (const { reject } of pendingQuestions.values()) reject(new Error('the thread has ended'))
    pendingQuestions.clear()
    if (!isClosing) onFailure(reason)
  }

  function startThread(): Worker {
    if (thread) return thread
    const started = new Worker(worker, { workerData: { dataDir } satisfies SnapshotThreadData })
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

  return {
    send(order, transfer) {
      if (isClosing) return
      if (order.kind === 'page') queuedBytes += order.page.bytes.byteLength
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
      return new Promise((resolve, reject) => {
        lastId += 1
        pendingQuestions.set(lastId, { resolve, reject })
        startThread().ref()
        post({ kind: 'ask', id: lastId, question, input })
      })
    },
    async close() {
      isClosing = true
      const lastThread = thread
      if (!lastThread) return
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS)))
      const exited = new Promise((resolve) => lastThread.once('exit', resolve))
      lastThread.ref()
      post({ kind: 'ask', id: -1, question: 'close', input: [] })
      await Promise.race([exited, timeout])
      clearTimeout(timer)
      await lastThread.terminate()
    },
  }
}
