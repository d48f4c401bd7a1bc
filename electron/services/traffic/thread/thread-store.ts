// Runs the traffic store in a worker thread, so that the disk does not delay exchanges.
// The code that runs in the thread is in traffic/disk.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { THREAD_MEMORY } from '../../../system/thread-priority.ts'
import { WorkerThread, type TopicListeners } from '../../../system/worker-thread.ts'
import { describeError, type Log } from '../../files/log.ts'
import type { Notices } from '../../notices.ts'
import type { RawBody } from '../entry.ts'
import { createMemoryStore } from '../memory-store.ts'
import { TRAFFIC_FILE, type RetentionBounds, type StoreListeners, type TrafficStore } from '../traffic-store.ts'
import type { StoreMethods, StoreTopics, ThreadData, ThreadMethodName } from './worker.ts'

/** Maximum bytes of bodies that wait to be written; further bodies are left out. */
const MAX_HELD_BYTES = 160 * 1024 * 1024
/** Messages wait this long for the thread's start: the processor is busy at the beginning. */
const START_MS = 1_000
/** Wait for the last entries at the end: on a busy machine, the thread may start late. */
const CLOSE_MS = 10_000

/** The methods that are only passed on: an order returns nothing, and nobody waits for it. */
const methodKinds = {
  addPending: 'order',
  checkPending: 'order',
  recordCallersEnded: 'order',
  areCallersOwing: 'query',
  recordInitiator: 'order',
  recordPageLeft: 'order',
  recordHold: 'order',
  recordGap: 'order',
  find: 'query',
  head: 'query',
  rows: 'query',
  exchange: 'query',
  seqOf: 'query',
  body: 'query',
  listBodies: 'query',
  listInitiators: 'query',
  countOverTime: 'query',
  countCoverage: 'query',
  info: 'query',
  judgePast: 'query',
  listDeviations: 'query',
  judgeContract: 'query',
  muteDeviation: 'query',
  markDeviations: 'query',
  askExchanges: 'query',
  listLearned: 'query',
  readLearned: 'query',
  clear: 'query',
  clearFindings: 'query',
  pin: 'query',
} as const satisfies Partial<Record<ThreadMethodName, 'order' | 'query'>>
type ForwardedName = keyof typeof methodKinds

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
  let thread: WorkerThread<StoreMethods> | null = null
  let queuedBytes = 0
  let droppedCount = 0
  let tokens: readonly string[] = []
  let bounds: RetentionBounds | null = null
  let isClosing = false
  let memoryStore: TrafficStore | null = null

  let startTimer: NodeJS.Timeout | null = null
  /** They are sent once the thread has started. */
  let queuedOrders: ((thread: WorkerThread<StoreMethods>) => void)[] = []

  function sendOrder<Name extends ThreadMethodName>(
    name: Name,
    input: Parameters<TrafficStore[Name]>,
    transfer: ArrayBuffer[] = [],
  ): void {
    const send = (started: WorkerThread<StoreMethods>): void => started.send(name, input as never, transfer)
    if (thread) return send(thread)
    queuedOrders.push(send)
    scheduleStart()
  }

  function scheduleStart(): void {
    startTimer ??= setTimeout(startThread, START_MS).unref()
  }

  function switchToMemory(cause: unknown): void {
    if (memoryStore) return
    memoryStore = createMemoryStore({ reason: 'TRAFFIC_STOPPED', onChange, onFindings, onContract })
    memoryStore.addTokens(tokens)
    if (bounds) memoryStore.setBounds(bounds)
    thread?.fail(new Error('the recorder has ended'))
    if (isClosing) return
    log.error('the recorder has ended', { reason: describeError(cause) })
    notices.add({ level: 'warning', code: 'TRAFFIC_STOPPED', message: STOPPED_MESSAGE })
    onChange({ newest: 0, exchanges: 0, reread: true })
  }

  const listeners: TopicListeners<StoreTopics> = {
    changed: onChange,
    findings: (change) => onFindings?.(change),
    contract: (summary) => onContract?.(summary),
    freed: (bytes) => {
      queuedBytes -= bytes
    },
    noticed: (newNotices) => newNotices.forEach((notice) => notices.add(notice)),
  }

  /** Starts it unless it runs. It gets all tokens and the bounds before other messages. */
  function startThread(): WorkerThread<StoreMethods> {
    if (thread) return thread
    if (startTimer) clearTimeout(startTimer)
    thread = new WorkerThread(worker, { workerData: data, resourceLimits: THREAD_MEMORY }, switchToMemory, {
      ...listeners,
    })
    sendOrder('addTokens', [tokens])
    if (bounds) sendOrder('setBounds', [bounds])
    for (const send of queuedOrders) send(thread)
    queuedOrders = []
    return thread
  }

  /** Passes a call on to the thread or, once it has ended, to the store in memory. */
  function forwardCall<Name extends ForwardedName>(name: Name, input: Parameters<TrafficStore[Name]>): unknown {
    if (memoryStore) {
      const run = memoryStore[name] as (...input: Parameters<TrafficStore[Name]>) => unknown
      return run(...input)
    }
    if (methodKinds[name] === 'query') return startThread().call(name, input as never)
    return sendOrder(name, input)
  }

  const forwarded = Object.fromEntries(
    (Object.keys(methodKinds) as ForwardedName[]).map((name) => [
      name,
      (...input: Parameters<TrafficStore[typeof name]>) => forwardCall(name, input),
    ]),
  ) as Pick<TrafficStore, ForwardedName>

  // If the file exists, the thread is needed to read stored findings and to apply the bounds.
  if (existsSync(path.join(data.dataDir, TRAFFIC_FILE))) scheduleStart()

  return {
    ...forwarded,
    add(entry) {
      if (memoryStore) return memoryStore.add(entry)
      const bodies = [entry.request, entry.response]
        .map(({ bytes }: RawBody) => bytes)
        .filter((bytes) => bytes !== null)
      for (const { byteLength } of bodies) queuedBytes += byteLength
      sendOrder(
        'add',
        [entry],
        bodies.map(({ buffer }) => buffer),
      )
    },
    hasRoom: (bytes) => (memoryStore ? memoryStore.hasRoom(bytes) : queuedBytes + bytes <= MAX_HELD_BYTES),
    recordDropped() {
      if (memoryStore) memoryStore.recordDropped()
      else droppedCount += 1
    },
    addTokens(list) {
      tokens = list
      if (memoryStore) memoryStore.addTokens(list)
      else if (thread) sendOrder('addTokens', [list])
    },
    setBounds(newBounds) {
      bounds = newBounds
      if (memoryStore) memoryStore.setBounds(newBounds)
      else if (thread) sendOrder('setBounds', [newBounds])
    },
    async info() {
      const info = await forwarded.info()
      return { ...info, droppedBodies: info.droppedBodies + droppedCount }
    },
    async close() {
      isClosing = true
      if (startTimer) clearTimeout(startTimer)
      if (memoryStore) return
      if (!thread && queuedOrders.length === 0) return switchToMemory('it was not needed')
      const lastThread = startThread()
      lastThread.send('close', [])
      if (!(await lastThread.waitForEnd(CLOSE_MS)))
        log.warn('the recorder took too long to end: the last exchanges may be missing', { waitedMs: CLOSE_MS })
    },
  }
}

const STOPPED_MESSAGE = 'The recorder of traffic has stopped. From here on only the last exchanges are kept, in memory.'
