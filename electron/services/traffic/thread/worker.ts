import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { toWireError } from '../../../../shared/errors.ts'
import { openTrafficDatabase } from '../disk/traffic-database.ts'
import { DiskStore } from '../disk/disk-store.ts'
import { createMemoryStore } from '../memory-store.ts'
import type { FindingsChange } from '../../findings/findings-judge.ts'
import type { StoreChange, TrafficStore } from '../traffic-store.ts'
import type { StoreOrder, StoreReport, ThreadData } from './messages.ts'

/** Entries are written together at most this late. */
const WRITE_MS = 25
/**
 * Large bodies are saved, and text is indexed, once nothing has come for this long; bodies at the
 * latest after the last one.
 */
const SAVE_AFTER_MS = 400
const INDEX_AFTER_MS = 1_500
const SAVE_AT_LATEST_MS = 4_000
const NICE = 10

const { dataDir, runStartedAt } = workerData as ThreadData
const tell = (report: StoreReport, transfer: ArrayBuffer[] = []): void => parentPort?.postMessage(report, transfer)
const onChange = (change: StoreChange): void => tell({ kind: 'changed', change })
const onFindings = (change: FindingsChange): void => tell({ kind: 'findings', change })
const onFreed = (bytes: number): void => tell({ kind: 'freed', bytes })

let isUnwritten = false
function onUnwritten(): void {
  if (isUnwritten) return
  isUnwritten = true
  tell({
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

/**
 * On Linux a thread has a priority of its own. Where it may not be changed, the two share the
 * processor.
 */
function prefer(nice: number): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(0, nice)
  } catch {
    // Only an administrator's program may take back what it gave up.
  }
}

// Whoever waits for an answer of a host comes first.
prefer(NICE)

const opened = openTrafficDatabase(dataDir)
const { database, reason } = opened
const disk =
  database === null
    ? null
    : new DiskStore({ opened: { ...opened, database }, runStartedAt, onChange, onFindings, onFreed, onUnwritten })
const memory = disk ? null : createMemoryStore({ reason: reason ?? 'TRAFFIC_UNAVAILABLE', onChange, onFindings })
tell({ kind: 'noticed', notices: opened.notices })
if (disk) onChange({ newest: disk.reader.newest(), exchanges: disk.info().exchanges, reread: true })

let lastAt = 0
let oldestJobAt = 0
let writing: NodeJS.Timeout | null = null
let tidying: NodeJS.Timeout | null = null
let untrimmed = true

function write(): void {
  writing = null
  disk?.flush()
  oldestJobAt ||= performance.now()
  untrimmed = true
  tidySoon(SAVE_AFTER_MS)
}

function tidySoon(ms: number): void {
  tidying ??= setTimeout(tidy, ms)
}

/** One piece of what can wait; questions come in between. */
function tidy(): void {
  tidying = null
  if (!disk) return
  const now = performance.now()
  const quiet = now - lastAt
  if (disk.hasJobs) {
    if (quiet < SAVE_AFTER_MS && now - oldestJobAt < SAVE_AT_LATEST_MS) return tidySoon(SAVE_AFTER_MS - quiet)
    disk.saveBody()
    return tidySoon(0)
  }
  oldestJobAt = 0
  if (untrimmed) {
    untrimmed = disk.trim()
    return tidySoon(0)
  }
  if (quiet < INDEX_AFTER_MS) return tidySoon(INDEX_AFTER_MS - quiet)
  if (disk.indexNext()) tidySoon(0)
}

/**
 * The store as questions see it: everything that was added is written, and the body that is asked
 * for saved.
 */
function answers(): Omit<
  TrafficStore,
  | 'add'
  | 'addPending'
  | 'hasRoom'
  | 'recordDropped'
  | 'addTokens'
  | 'checkPending'
  | 'recordPanelCall'
  | 'recordPageLeft'
  | 'recordGap'
  | 'setBounds'
> {
  if (!disk) return memory as TrafficStore
  const { reader: reading } = disk
  return {
    find: (...input) => reading.find(...input),
    head: (...input) => reading.head(...input),
    rows: (seqs) => reading.rows(seqs),
    exchange(by) {
      const found = reading.exchange(by)
      if (!found) return null
      return saveAll(found.row.seq) ? reading.exchange(by) : found
    },
    seqOf: (id) => reading.seqOf(id),
    body(...input) {
      saveAll(input[0])
      return reading.body(...input)
    },
    countOverTime: (span) => reading.countOverTime(span),
    info: () => disk.info(),
    judgePast: () => disk.judge.judgeEarlierRuns(reading),
    clear: () => disk.clear(),
    clearFindings: () => disk.judge.clearFindings(disk.reader.newest()),
    pin: (seqs, pinned) => disk.pin(seqs, pinned),
    close: () => disk.close(),
  }
}

function saveAll(seq: number): boolean {
  let some = false
  while (disk?.saveBody(seq)) some = true
  return some
}

const store = answers()

async function answer({ id, question, input }: Extract<StoreOrder, { kind: 'ask' }>): Promise<void> {
  try {
    disk?.flush()
    if (question === 'close') {
      if (tidying) clearTimeout(tidying)
      // The program waits for this to end.
      prefer(0)
    }
    // Sent by the other half of this store, which is checked against the same interface.
    const method = store[question] as (...input: readonly unknown[]) => unknown
    const value: unknown = await method(...input)
    const bytes: unknown =
      value !== null && typeof value === 'object' ? (Reflect.get(value, 'seqs') ?? Reflect.get(value, 'bytes')) : null
    const buffer = ArrayBuffer.isView(bytes) && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
    tell({ kind: 'answer', id, value }, buffer)
    if (question === 'close') parentPort?.close()
  } catch (error) {
    tell({ kind: 'failed', id, error: toWireError(error) })
  }
}

parentPort?.on('message', (order: StoreOrder) => {
  if (order.kind === 'ask') return void answer(order)
  if (order.kind === 'know') return void (disk ? disk.masker.addTokens(order.tokens) : memory?.addTokens(order.tokens))
  if (order.kind === 'bound') {
    if (disk) disk.setBounds(order.bounds)
    else memory?.setBounds(order.bounds)
    untrimmed = true
    return tidySoon(SAVE_AFTER_MS)
  }
  if (order.kind === 'tick') {
    disk?.flush()
    return (disk?.judge ?? memory)?.checkPending(order.now, order.underWay)
  }
  if (order.kind === 'called') return (disk?.judge ?? memory)?.recordPanelCall(order.id, order.page)
  if (order.kind === 'left') {
    disk?.flush()
    return (disk?.judge ?? memory)?.recordPageLeft(order.caller, order.load)
  }
  if (order.kind === 'gap') {
    disk?.flush()
    return (disk?.judge ?? memory)?.recordGap(order.now)
  }
  if (order.kind === 'note') return disk?.addPending(order.row, order.token)
  if (disk) {
    lastAt = performance.now()
    disk.add(order.entry)
    writing ??= setTimeout(write, WRITE_MS)
  } else {
    const { request, response } = order.entry
    const held = (request.bytes?.byteLength ?? 0) + (response.bytes?.byteLength ?? 0)
    memory?.add(order.entry)
    onFreed(held)
  }
})
