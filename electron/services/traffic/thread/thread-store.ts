// Runs the traffic store in a worker thread, so that the disk does not delay exchanges.
// The code that runs in the thread is in traffic/disk.
// Read messages.ts first, then this file and worker.ts.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { describeError, type Log } from '../../files/log.ts'
import { THREAD_MEMORY } from '../../../system/thread-priority.ts'
import { endThread, ThreadQuestions } from '../../../system/thread-questions.ts'
import type { Notices } from '../../notices.ts'
import type { RawBody } from '../entry.ts'
import { createMemoryStore } from '../memory-store.ts'
import { TRAFFIC_FILE, type RetentionBounds, type StoreListeners, type TrafficStore } from '../traffic-store.ts'
import type { StoreResult, StoreOrder, StoreQuestion, StoreReport, ThreadData } from './messages.ts'

/** Maximum bytes of bodies that wait to be written; further bodies are left out. */
const MAX_HELD_BYTES = 160 * 1024 * 1024
/**
 * Time that messages wait before the thread is started, because the processor is busy at the start
 * of the program.
 */
const START_MS = 1_000
/**
 * Maximum time that the end of the program waits for the last entries. On a busy machine, the
 * thread may not have started yet.
 */
const CLOSE_MS = 10_000

interface Options extends ThreadData, StoreListeners {
  readonly worker: URL
  readonly notices: Notices
  readonly log: Log
}

/**
 * Creates a store in a worker thread: `add` only posts a message and never waits. The thread is
 * started by the first query, soon after the first exchange, or soon after the start of the program
 * if the data directory contains recorded traffic. If the thread fails, exchanges are kept in
 * memory from then on, and a notice reports the failure.
 */
export function createThreadStore({
  worker,
  notices,
  log,
  onChange,
  onFindings,
  onContract,
  ...data
}: Options): TrafficStore {
  let thread: Worker | null = null
  const questions = new ThreadQuestions()
  let queuedBytes = 0
  let droppedCount = 0
  let tokens: readonly string[] = []
  let bounds: RetentionBounds | null = null
  let isClosing = false
  let memoryStore: TrafficStore | null = null

  let startTimer: NodeJS.Timeout | null = null
  /** Messages that are sent once the thread has started. */
  let queuedOrders: (readonly [StoreOrder, ArrayBuffer[]])[] = []

  function sendOrder(order: StoreOrder, transfer: ArrayBuffer[] = []): void {
    if (thread) return thread.postMessage(order, transfer)
    queuedOrders.push([order, transfer])
    scheduleStart()
  }

  function scheduleStart(): void {
    startTimer ??= setTimeout(startThread, START_MS).unref()
  }

  function switchToMemory(reason: string): void {
    if (memoryStore) return
    memoryStore = createMemoryStore({ reason: 'TRAFFIC_STOPPED', onChange, onFindings, onContract })
    memoryStore.addTokens(tokens)
    if (bounds) memoryStore.setBounds(bounds)
    questions.rejectAll('the recorder has ended')
    if (isClosing) return
    log.error('the recorder has ended', { reason })
    notices.add({ level: 'warning', code: 'TRAFFIC_STOPPED', message: STOPPED_MESSAGE })
    onChange({ newest: 0, exchanges: 0, reread: true })
  }

  function onReport(report: StoreReport): void {
    if (report.kind === 'changed') onChange(report.change)
    else if (report.kind === 'findings') onFindings?.(report.change)
    else if (report.kind === 'contract') onContract?.(report.summary)
    else if (report.kind === 'freed') queuedBytes -= report.bytes
    else if (report.kind === 'noticed') for (const notice of report.notices) notices.add(notice)
    else {
      questions.settle(report)
      if (questions.isEmpty) thread?.unref()
    }
  }

  /**
   * Starts the thread unless it is running. The thread receives all tokens and the bounds before
   * all other messages.
   */
  function startThread(): Worker {
    if (thread) return thread
    if (startTimer) clearTimeout(startTimer)
    thread = new Worker(worker, { workerData: data, resourceLimits: THREAD_MEMORY })
    thread.on('message', onReport)
    thread.on('error', (error) => switchToMemory(describeError(error)))
    thread.on('exit', (code) => switchToMemory(`exit ${code}`))
    // The thread itself does not keep the program running; only a pending query does.
    thread.unref()
    sendOrder({ kind: 'know', tokens })
    if (bounds) sendOrder({ kind: 'bound', bounds })
    for (const [order, transfer] of queuedOrders) sendOrder(order, transfer)
    queuedOrders = []
    return thread
  }

  function callThread<Q extends Exclude<StoreQuestion, 'close'>>(
    question: Q,
    ...input: Parameters<TrafficStore[Q]>
  ): Promise<StoreResult<Q>> {
    if (memoryStore) {
      const method = memoryStore[question] as (...input: Parameters<TrafficStore[Q]>) => StoreResult<Q>
      return Promise.resolve(method(...input))
    }
    return questions.ask((id) => {
      startThread().ref()
      sendOrder({ kind: 'ask', id, question, input })
    })
  }

  // If the file exists, the thread is needed to read stored findings and to apply the bounds.
  if (existsSync(path.join(data.dataDir, TRAFFIC_FILE))) scheduleStart()

  return {
    add(entry) {
      if (memoryStore) return memoryStore.add(entry)
      const bodies = [entry.request, entry.response]
        .map(({ bytes }: RawBody) => bytes)
        .filter((bytes) => bytes !== null)
      for (const { byteLength } of bodies) queuedBytes += byteLength
      sendOrder(
        { kind: 'add', entry },
        bodies.map(({ buffer }) => buffer),
      )
    },
    addPending(row, token) {
      if (memoryStore) memoryStore.addPending(row, token)
      else sendOrder({ kind: 'note', row, token })
    },
    hasRoom: (bytes) => (memoryStore ? memoryStore.hasRoom(bytes) : queuedBytes + bytes <= MAX_HELD_BYTES),
    recordDropped() {
      if (memoryStore) memoryStore.recordDropped()
      else droppedCount += 1
    },
    addTokens(list) {
      tokens = list
      if (memoryStore) memoryStore.addTokens(list)
      else if (thread) sendOrder({ kind: 'know', tokens: list })
    },
    checkPending(now, underWay) {
      if (memoryStore) memoryStore.checkPending(now, underWay)
      else sendOrder({ kind: 'tick', now, underWay })
    },
    recordPanelCall(id, page) {
      if (memoryStore) memoryStore.recordPanelCall(id, page)
      else sendOrder({ kind: 'called', id, page })
    },
    recordCallersEnded(scope, end) {
      if (memoryStore) memoryStore.recordCallersEnded(scope, end)
      else sendOrder({ kind: 'ended', scope, end })
    },
    areCallersOwing: (...input) => callThread('areCallersOwing', ...input),
    recordInitiator(id, initiator) {
      if (memoryStore) memoryStore.recordInitiator(id, initiator)
      else sendOrder({ kind: 'initiated', id, initiator })
    },
    recordPageLeft(caller, load) {
      if (memoryStore) memoryStore.recordPageLeft(caller, load)
      else sendOrder({ kind: 'left', caller, load })
    },
    recordHold(caller) {
      if (memoryStore) memoryStore.recordHold(caller)
      else sendOrder({ kind: 'hold', caller })
    },
    recordGap(now) {
      if (memoryStore) memoryStore.recordGap(now)
      else sendOrder({ kind: 'gap', now })
    },
    setBounds(newBounds) {
      bounds = newBounds
      if (memoryStore) memoryStore.setBounds(newBounds)
      else if (thread) sendOrder({ kind: 'bound', bounds: newBounds })
    },
    find: (...input) => callThread('find', ...input),
    head: (...input) => callThread('head', ...input),
    rows: (...input) => callThread('rows', ...input),
    exchange: (...input) => callThread('exchange', ...input),
    seqOf: (...input) => callThread('seqOf', ...input),
    body: (...input) => callThread('body', ...input),
    listBodies: (...input) => callThread('listBodies', ...input),
    listInitiators: (...input) => callThread('listInitiators', ...input),
    countOverTime: (...input) => callThread('countOverTime', ...input),
    countCoverage: (...input) => callThread('countCoverage', ...input),
    async info() {
      const info = await callThread('info')
      return { ...info, droppedBodies: info.droppedBodies + droppedCount }
    },
    judgePast: (...input) => callThread('judgePast', ...input),
    listDeviations: (...input) => callThread('listDeviations', ...input),
    judgeContract: (...input) => callThread('judgeContract', ...input),
    muteDeviation: (...input) => callThread('muteDeviation', ...input),
    markDeviations: (...input) => callThread('markDeviations', ...input),
    askExchanges: (...input) => callThread('askExchanges', ...input),
    listLearned: (...input) => callThread('listLearned', ...input),
    readLearned: (...input) => callThread('readLearned', ...input),
    clear: (...input) => callThread('clear', ...input),
    clearFindings: (...input) => callThread('clearFindings', ...input),
    pin: (...input) => callThread('pin', ...input),
    async close() {
      isClosing = true
      if (startTimer) clearTimeout(startTimer)
      if (memoryStore) return
      if (!thread && queuedOrders.length === 0) return switchToMemory('it was not needed')
      const lastThread = startThread()
      lastThread.ref()
      sendOrder({ kind: 'ask', id: -1, question: 'close', input: [] })
      if (!(await endThread(lastThread, CLOSE_MS)))
        log.warn('the recorder took too long to end: the last exchanges may be missing', { waitedMs: CLOSE_MS })
    },
  }
}

const STOPPED_MESSAGE = 'The recorder of traffic has stopped. From here on only the last exchanges are kept, in memory.'
