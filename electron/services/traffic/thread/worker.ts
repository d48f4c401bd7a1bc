import { parentPort, workerData } from 'node:worker_threads'
import { toWireError } from '../../../../shared/errors.ts'
import { HandedOver, type WorkerMethods } from '../../../../shared/workers/worker-methods.ts'
import { trySetPriority } from '../../../system/thread-priority.ts'
import { createTopicSender, serveThread } from '../../../system/worker-thread.ts'
import { openTrafficDatabase } from '../disk/traffic-database.ts'
import { DiskStore } from '../disk/disk-store.ts'
import { createMemoryStore } from '../memory-store.ts'
import type { ContractSummary } from '../../contract/contract-judge.ts'
import type { FindingsChange } from '../../findings/findings-judge.ts'
import type { NewNotice } from '../../notices.ts'
import type { RawEntry } from '../entry.ts'
import type { StoreChange, TrafficStore } from '../traffic-store.ts'

export interface ThreadData {
  readonly dataDir: string
  readonly runStartedAt: number
}

export interface StoreTopics {
  noticed: readonly NewNotice[]
  changed: StoreChange
  findings: FindingsChange
  contract: ContractSummary
  /** The number of bytes of bodies whose memory is free again. */
  freed: number
}

/** The thread decides nothing about room; see `createThreadStore`. */
export type ThreadMethodName = Exclude<keyof TrafficStore, 'hasRoom' | 'recordDropped'>

/** The methods of the store, whose arguments are a list. */
export type StoreMethods = {
  [Name in ThreadMethodName]: (input: Parameters<TrafficStore[Name]>) => ReturnType<TrafficStore[Name]>
}

/** Entries that arrive within this time are written together. */
const WRITE_MS = 25
/** Shortest interval between two writes while entries keep arriving, unless a query comes. */
const WRITE_INTERVAL_MS = 100
/** Delays after the last entry until large bodies are saved and until text is indexed. */
const SAVE_AFTER_MS = 400
const INDEX_AFTER_MS = 1_500
/** Longest time for which exchanges are held against the contract before queries are handled. */
const JUDGE_MS = 25
// Longest delay until large bodies are saved and exchanges are judged, for when entries never stop
// arriving.
const SAVE_AT_LATEST_MS = 4_000
// Lower priority than that of the thread that sends requests to hosts.
const LOW_PRIORITY = 10

const { dataDir, runStartedAt } = workerData as ThreadData
const sendTopic = createTopicSender<StoreTopics>()
const onChange = (change: StoreChange): void => sendTopic('changed', change)
const onFindings = (change: FindingsChange): void => sendTopic('findings', change)
const onContract = (summary: ContractSummary): void => sendTopic('contract', summary)
const onFreed = (bytes: number): void => sendTopic('freed', bytes)

let hasReportedUnwritten = false
function onUnwritten(): void {
  if (hasReportedUnwritten) return
  hasReportedUnwritten = true
  sendTopic('noticed', [
    {
      level: 'error',
      code: 'TRAFFIC_UNWRITTEN',
      message: 'The disk takes no more of the recorded traffic: bodies, or whole exchanges, of this time are missing.',
    },
  ])
}

let hasReportedDamage = false
function onDamaged(error: unknown): void {
  if (hasReportedDamage) return
  hasReportedDamage = true
  const { message, params } = toWireError(error)
  const notice = { code: 'RECORDING_BODY_DAMAGED', message, params: { entry: '', ...params } }
  sendTopic('noticed', [{ level: 'error', ...notice }])
}

// Sending requests to hosts is more urgent than recording them.
trySetPriority(LOW_PRIORITY)

const opened = openTrafficDatabase(dataDir)
const { database, reason } = opened
const disk =
  database === null
    ? null
    : new DiskStore({
        opened: { ...opened, database },
        runStartedAt,
        onChange,
        onFindings,
        onContract,
        onFreed,
        onUnwritten,
        onDamaged,
      })
sendTopic('noticed', opened.notices)
if (disk) onChange({ newest: disk.reader.newest(), exchanges: disk.info().exchanges, reread: true })

let lastEntryAt = 0
let flushedAt = -Infinity
let oldestJobAt = 0
let lastJudgedAt = 0
let writeTimer: NodeJS.Timeout | null = null
let tidyTimer: NodeJS.Timeout | null = null
let needsTrim = true

function flushEntries(): void {
  writeTimer = null
  disk?.flush()
  flushedAt = performance.now()
  oldestJobAt ||= performance.now()
  needsTrim = true
  scheduleTidy(SAVE_AFTER_MS)
}

function scheduleTidy(ms: number): void {
  tidyTimer ??= setTimeout(tidyOnce, ms)
}

/** Saves a body, removes exchanges, or indexes for a few ms; queries are handled in between. */
function tidyOnce(): void {
  tidyTimer = null
  if (!disk) return
  const now = performance.now()
  const idleMs = now - lastEntryAt
  if (disk.hasJobs) {
    if (idleMs < SAVE_AFTER_MS && now - oldestJobAt < SAVE_AT_LATEST_MS) return scheduleTidy(SAVE_AFTER_MS - idleMs)
    disk.saveBody()
    disk.contract.judgeNew(JUDGE_MS)
    return scheduleTidy(0)
  }
  oldestJobAt = 0
  if (needsTrim) {
    needsTrim = disk.trim()
    return scheduleTidy(0)
  }
  if (idleMs < SAVE_AFTER_MS && now - lastJudgedAt < SAVE_AT_LATEST_MS) return scheduleTidy(SAVE_AFTER_MS - idleMs)
  lastJudgedAt = now
  if (disk.contract.judgeNew(JUDGE_MS)) return scheduleTidy(0)
  if (idleMs < INDEX_AFTER_MS) return scheduleTidy(INDEX_AFTER_MS - idleMs)
  disk.contract.save()
  if (disk.indexNext()) scheduleTidy(0)
}

function scheduleFlush(): void {
  writeTimer ??= setTimeout(flushEntries, Math.max(WRITE_MS, flushedAt + WRITE_INTERVAL_MS - performance.now()))
}

function saveLargeBodies(store: DiskStore, seq: number): boolean {
  let hasSaved = false
  while (store.saveBody(seq)) hasSaved = true
  return hasSaved
}

/** Waiting entries are written before rules decide, and a requested body is saved first. */
function createDiskMethods(store: DiskStore): Pick<TrafficStore, ThreadMethodName> {
  const { reader, judge, contract, masker } = store
  return {
    add(entry) {
      lastEntryAt = performance.now()
      store.add(entry)
      scheduleFlush()
    },
    addPending: (row, token) => store.addPending(row, token),
    addTokens: (tokens) => masker.addTokens(tokens),
    checkPending(now, underWay) {
      store.flush()
      judge.checkPending(now, underWay)
    },
    recordCallersEnded(scope, end) {
      store.flush()
      judge.recordCallersEnded(scope, end)
    },
    areCallersOwing: (scope) => judge.areCallersOwing(scope),
    recordInitiator(id, initiator) {
      scheduleFlush()
      store.recordInitiator(id, initiator)
    },
    recordPageLeft(caller, load) {
      store.flush()
      judge.recordPageLeft(caller, load)
    },
    recordHold(caller) {
      store.flush()
      judge.recordHold(caller)
    },
    recordGap(now) {
      store.flush()
      judge.recordGap(now)
    },
    setBounds(bounds) {
      store.setBounds(bounds)
      needsTrim = true
      scheduleTidy(SAVE_AFTER_MS)
    },
    find: (...input) => reader.find(...input),
    head: (...input) => reader.head(...input),
    rows: (seqs) => reader.rows(seqs),
    exchange(by) {
      const detail = reader.exchange(by)
      if (!detail) return null
      return saveLargeBodies(store, detail.row.seq) ? reader.exchange(by) : detail
    },
    seqOf: (id) => reader.seqOf(id),
    body(...input) {
      saveLargeBodies(store, input[0])
      return reader.body(...input)
    },
    listBodies(seqs) {
      for (const seq of seqs) saveLargeBodies(store, seq)
      return reader.listBodies(seqs)
    },
    listInitiators: (seqs) => reader.listInitiators(seqs),
    countOverTime: (span) => reader.countOverTime(span),
    countCoverage: (after) => reader.countCoverage(after),
    info: () => store.info(),
    judgePast: () => judge.judgeEarlierRuns(reader),
    ...contract.toStoreMethods(),
    clear: () => store.clear(),
    clearFindings: () => judge.clearFindings(reader.newest()),
    pin: (seqs, pinned) => store.pin(seqs, pinned),
    close() {
      if (tidyTimer) clearTimeout(tidyTimer)
      // The program waits for this thread to end, so the priority is raised again if possible.
      trySetPriority(0)
      store.close()
      parentPort?.close()
    },
  }
}

function createMemoryMethods(): Pick<TrafficStore, ThreadMethodName> {
  const store = createMemoryStore({
    reason: reason ?? 'TRAFFIC_UNAVAILABLE',
    onChange,
    onFindings,
    onContract,
    onDamaged,
  })
  return {
    ...store,
    add(entry: RawEntry) {
      const { request, response } = entry
      const bodyBytes = (request.bytes?.byteLength ?? 0) + (response.bytes?.byteLength ?? 0)
      store.add(entry)
      onFreed(bodyBytes)
    },
    close: () => parentPort?.close(),
  }
}

const store = disk ? createDiskMethods(disk) : createMemoryMethods()

/** Hands over the bytes of a body and the numbers of a list. */
function handOver(value: unknown): unknown {
  const bytes: unknown =
    value !== null && typeof value === 'object' ? (Reflect.get(value, 'seqs') ?? Reflect.get(value, 'bytes')) : null
  return ArrayBuffer.isView(bytes) ? new HandedOver(value, [bytes.buffer]) : value
}

const methods: WorkerMethods = {}
for (const [name, run] of Object.entries(store)) {
  const call = run as (...input: readonly unknown[]) => unknown
  const runCall = (input: readonly unknown[]): unknown => {
    const value = call(...input)
    return value instanceof Promise ? value.then(handOver) : handOver(value)
  }
  Object.assign(methods, { [name]: runCall })
}

serveThread(methods, (hasReply) => {
  if (hasReply) disk?.flush()
})
