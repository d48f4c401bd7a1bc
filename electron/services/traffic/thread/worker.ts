import { parentPort, workerData } from 'node:worker_threads'
import { toWireError } from '../../../../shared/errors.ts'
import { trySetPriority } from '../../../system/thread-priority.ts'
import { openTrafficDatabase } from '../disk/traffic-database.ts'
import { DiskStore } from '../disk/disk-store.ts'
import { createMemoryStore } from '../memory-store.ts'
import type { ContractSummary } from '../../contract/contract-judge.ts'
import type { FindingsChange } from '../../findings/findings-judge.ts'
import type { StoreChange, TrafficStore } from '../traffic-store.ts'
import type { StoreOrder, StoreReport, ThreadData } from './messages.ts'

/** Entries that arrive within this time are written together. */
const WRITE_MS = 25
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
const sendReport = (report: StoreReport, transfer: ArrayBuffer[] = []): void =>
  parentPort?.postMessage(report, transfer)
const onChange = (change: StoreChange): void => sendReport({ kind: 'changed', change })
const onFindings = (change: FindingsChange): void => sendReport({ kind: 'findings', change })
const onContract = (summary: ContractSummary): void => sendReport({ kind: 'contract', summary })
const onFreed = (bytes: number): void => sendReport({ kind: 'freed', bytes })

let hasReportedUnwritten = false
function onUnwritten(): void {
  if (hasReportedUnwritten) return
  hasReportedUnwritten = true
  sendReport({
    kind: 'noticed',
    notices: [
      {
        level: 'error',
        code: 'TRAFFIC_UNWRITTEN',
        message:
          'The disk takes no more of the recorded traffic: bodies, or whole exchanges, of this time are missing.',
      },
    ],
  })
}

let hasReportedDamage = false
function onDamaged(error: unknown): void {
  if (hasReportedDamage) return
  hasReportedDamage = true
  const { message, params } = toWireError(error)
  const notice = { code: 'RECORDING_BODY_DAMAGED', message, params: { entry: '', ...params } }
  sendReport({ kind: 'noticed', notices: [{ level: 'error', ...notice }] })
}

// Sending requests to hosts is more urgent than recording them.
trySetPriority(LOW_PRIORITY)

const opened = openTrafficDatabase(dataDir)
const { database, reason } = opened
const disk =
  database === null
    ? null
    : new DiskStore({
        ...{ opened: { ...opened, database }, runStartedAt },
        ...{ onChange, onFindings, onContract, onFreed, onUnwritten, onDamaged },
      })
const memory = disk
  ? null
  : createMemoryStore({ reason: reason ?? 'TRAFFIC_UNAVAILABLE', onChange, onFindings, onContract, onDamaged })
sendReport({ kind: 'noticed', notices: opened.notices })
if (disk) onChange({ newest: disk.reader.newest(), exchanges: disk.info().exchanges, reread: true })

let lastEntryAt = 0
let oldestJobAt = 0
let lastJudgedAt = 0
let writeTimer: NodeJS.Timeout | null = null
let tidyTimer: NodeJS.Timeout | null = null
let needsTrim = true

function flushEntries(): void {
  writeTimer = null
  disk?.flush()
  oldestJobAt ||= performance.now()
  needsTrim = true
  scheduleTidy(SAVE_AFTER_MS)
}

function scheduleTidy(ms: number): void {
  tidyTimer ??= setTimeout(tidyOnce, ms)
}

/**
 * Saves one body, removes old exchanges, or indexes for a few milliseconds. Queries are handled
 * between the calls.
 */
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

/**
 * Creates the store to which queries are passed. Waiting entries are written before each query, and
 * a requested body is saved first.
 */
function createQueryStore(): Omit<
  TrafficStore,
  | 'add'
  | 'addPending'
  | 'hasRoom'
  | 'recordDropped'
  | 'addTokens'
  | 'checkPending'
  | 'recordPanelCall'
  | 'recordCallersEnded'
  | 'recordInitiator'
  | 'recordPageLeft'
  | 'recordHold'
  | 'recordGap'
  | 'setBounds'
> {
  if (!disk) return memory as TrafficStore
  const { reader } = disk
  return {
    find: (...input) => reader.find(...input),
    head: (...input) => reader.head(...input),
    rows: (seqs) => reader.rows(seqs),
    exchange(by) {
      const detail = reader.exchange(by)
      if (!detail) return null
      return saveLargeBodies(detail.row.seq) ? reader.exchange(by) : detail
    },
    seqOf: (id) => reader.seqOf(id),
    body(...input) {
      saveLargeBodies(input[0])
      return reader.body(...input)
    },
    listBodies(seqs) {
      for (const seq of seqs) saveLargeBodies(seq)
      return reader.listBodies(seqs)
    },
    listInitiators: (seqs) => reader.listInitiators(seqs),
    countOverTime: (span) => reader.countOverTime(span),
    countCoverage: (after) => reader.countCoverage(after),
    info: () => disk.info(),
    areCallersOwing: (scope) => disk.judge.areCallersOwing(scope),
    judgePast: () => disk.judge.judgeEarlierRuns(reader),
    listDeviations: () => disk.contract.list(),
    judgeContract: (after) => disk.contract.judgeAgain(after),
    muteDeviation: (id, reason, mutedAt) => disk.contract.mute(id, reason === null ? null : { reason, at: mutedAt }),
    markDeviations: (markedAt) => void disk.contract.mark(markedAt),
    askExchanges: (question) => disk.contract.ask(question),
    listLearned: (filter) => disk.contract.listLearned(filter),
    readLearned: (...input) => disk.contract.readLearned(...input),
    clear: () => disk.clear(),
    clearFindings: () => disk.judge.clearFindings(disk.reader.newest()),
    pin: (seqs, pinned) => disk.pin(seqs, pinned),
    close: () => disk.close(),
  }
}

function saveLargeBodies(seq: number): boolean {
  let hasSaved = false
  while (disk?.saveBody(seq)) hasSaved = true
  return hasSaved
}

const store = createQueryStore()

async function runQuery({ id, question, input }: Extract<StoreOrder, { kind: 'ask' }>): Promise<void> {
  try {
    disk?.flush()
    if (question === 'close') {
      if (tidyTimer) clearTimeout(tidyTimer)
      // The program waits for this thread to end, so the priority is raised again if possible.
      trySetPriority(0)
    }
    // `createThreadStore` sends the message, and is checked against the same interface.
    const method = store[question] as (...input: readonly unknown[]) => unknown
    const value: unknown = await method(...input)
    const bytes: unknown =
      value !== null && typeof value === 'object' ? (Reflect.get(value, 'seqs') ?? Reflect.get(value, 'bytes')) : null
    const buffer = ArrayBuffer.isView(bytes) && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
    sendReport({ kind: 'answer', id, value }, buffer)
    if (question === 'close') parentPort?.close()
  } catch (error) {
    sendReport({ kind: 'failed', id, error: toWireError(error) })
  }
}

parentPort?.on('message', (order: StoreOrder) => {
  if (order.kind === 'ask') return void runQuery(order)
  if (order.kind === 'know') return void (disk ? disk.masker.addTokens(order.tokens) : memory?.addTokens(order.tokens))
  if (order.kind === 'bound') {
    if (disk) disk.setBounds(order.bounds)
    else memory?.setBounds(order.bounds)
    needsTrim = true
    return scheduleTidy(SAVE_AFTER_MS)
  }
  if (order.kind === 'tick') {
    disk?.flush()
    return (disk?.judge ?? memory)?.checkPending(order.now, order.underWay)
  }
  if (order.kind === 'called') return (disk?.judge ?? memory)?.recordPanelCall(order.id, order.page)
  if (order.kind === 'ended') {
    disk?.flush()
    return (disk?.judge ?? memory)?.recordCallersEnded(order.scope, order.end)
  }
  if (order.kind === 'initiated') {
    if (disk) writeTimer ??= setTimeout(flushEntries, WRITE_MS)
    return (disk ?? memory)?.recordInitiator(order.id, order.initiator)
  }
  if (order.kind === 'left') {
    disk?.flush()
    return (disk?.judge ?? memory)?.recordPageLeft(order.caller, order.load)
  }
  if (order.kind === 'hold') {
    disk?.flush()
    return (disk?.judge ?? memory)?.recordHold(order.caller)
  }
  if (order.kind === 'gap') {
    disk?.flush()
    return (disk?.judge ?? memory)?.recordGap(order.now)
  }
  if (order.kind === 'note') return disk?.addPending(order.row, order.token)
  if (disk) {
    lastEntryAt = performance.now()
    disk.add(order.entry)
    writeTimer ??= setTimeout(flushEntries, WRITE_MS)
  } else {
    const { request, response } = order.entry
    const bodyBytes = (request.bytes?.byteLength ?? 0) + (response.bytes?.byteLength ?? 0)
    memory?.add(order.entry)
    onFreed(bodyBytes)
  }
})
