import { existsSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { fromWireError } from '../../../../shared/errors.ts'
import { describeError, type Log } from '../../files/log.ts'
import type { Notices } from '../../notices.ts'
import type { RawBody } from '../entry.ts'
import { createMemoryStore } from '../memory-store.ts'
import { TRAFFIC_FILE, type RetentionBounds, type StoreListeners, type TrafficStore } from '../traffic-store.ts'
import type { StoreResult, StoreOrder, StoreQuestion, StoreReport, ThreadData } from './messages.ts'

/** Bytes of bodies that may be under way to the disk; beyond that they are left out. */
const MAX_HELD_BYTES = 160 * 1024 * 1024
/**
 * How long what comes first waits for the thread: at the start of the program the processor has
 * other work.
 */
const START_MS = 1_000
/**
 * The end of the program waits for the last entries at most this long: on a busy machine, the
 * thread may have yet to start.
 */
const CLOSE_MS = 10_000

interface Options extends ThreadData, StoreListeners {
  /** The file that the thread runs. */
  readonly worker: URL
  readonly notices: Notices
  readonly log: Log
}

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * The store in a thread of its own: adding hands over and never waits. The thread starts with the
 * first question, or soon after the first exchange; a program that is not connected and has kept
 * nothing goes without. If it cannot start or ends by itself, exchanges are kept in memory from
 * then on, and a notice says so.
 */
export function createThreadStore({ worker, notices, log, onChange, onFindings, ...data }: Options): TrafficStore {
  let thread: Worker | null = null
  const waiting = new Map<number, Waiting>()
  let next = 0
  let held = 0
  let dropped = 0
  let tokens: readonly string[] = []
  let bounds: RetentionBounds | null = null
  let closing = false
  let instead: TrafficStore | null = null

  let starting: NodeJS.Timeout | null = null
  /** What waits for the thread. */
  let first: (readonly [StoreOrder, ArrayBuffer[]])[] = []

  function tell(order: StoreOrder, transfer: ArrayBuffer[] = []): void {
    if (thread) return thread.postMessage(order, transfer)
    first.push([order, transfer])
    startSoon()
  }

  function startSoon(): void {
    starting ??= setTimeout(started, START_MS).unref()
  }

  function ended(reason: string): void {
    if (instead) return
    instead = createMemoryStore({ reason: 'TRAFFIC_STOPPED', onChange, onFindings })
    instead.addTokens(tokens)
    if (bounds) instead.setBounds(bounds)
    for (const { reject } of waiting.values()) reject(new Error('the recorder has ended'))
    waiting.clear()
    if (closing) return
    log.error('the recorder has ended', { reason })
    notices.add({ level: 'warning', code: 'TRAFFIC_STOPPED', message: STOPPED })
    onChange({ newest: 0, exchanges: 0, reread: true })
  }

  function heard(report: StoreReport): void {
    if (report.kind === 'changed') onChange(report.change)
    else if (report.kind === 'findings') onFindings?.(report.change)
    else if (report.kind === 'freed') held -= report.bytes
    else if (report.kind === 'noticed') for (const notice of report.notices) notices.add(notice)
    else {
      const one = waiting.get(report.id)
      waiting.delete(report.id)
      if (waiting.size === 0) thread?.unref()
      if (report.kind === 'answer') one?.resolve(report.value as never)
      else one?.reject(fromWireError(report.error))
    }
  }

  /** The thread, which knows every token and the bounds before anything else. */
  function started(): Worker {
    if (thread) return thread
    if (starting) clearTimeout(starting)
    thread = new Worker(worker, { workerData: data })
    thread.on('message', heard)
    thread.on('error', (error) => ended(describeError(error)))
    thread.on('exit', (code) => ended(`exit ${code}`))
    // Only a question keeps the program alive.
    thread.unref()
    tell({ kind: 'know', tokens })
    if (bounds) tell({ kind: 'bound', bounds })
    for (const [order, transfer] of first) tell(order, transfer)
    first = []
    return thread
  }

  function ask<Q extends Exclude<StoreQuestion, 'close'>>(
    question: Q,
    ...input: Parameters<TrafficStore[Q]>
  ): Promise<StoreResult<Q>> {
    if (instead) {
      const method = instead[question] as (...input: Parameters<TrafficStore[Q]>) => StoreResult<Q>
      return Promise.resolve(method(...input))
    }
    return new Promise((resolve, reject) => {
      next += 1
      waiting.set(next, { resolve, reject })
      started().ref()
      tell({ kind: 'ask', id: next, question, input })
    })
  }

  // Earlier runs may have left findings, and more than may be kept.
  if (existsSync(path.join(data.dataDir, TRAFFIC_FILE))) startSoon()

  return {
    add(entry) {
      if (instead) return instead.add(entry)
      const bodies = [entry.request, entry.response]
        .map(({ bytes }: RawBody) => bytes)
        .filter((bytes) => bytes !== null)
      for (const { byteLength } of bodies) held += byteLength
      tell(
        { kind: 'add', entry },
        bodies.map(({ buffer }) => buffer),
      )
    },
    addPending(row, token) {
      if (instead) instead.addPending(row, token)
      else tell({ kind: 'note', row, token })
    },
    hasRoom: (bytes) => (instead ? instead.hasRoom(bytes) : held + bytes <= MAX_HELD_BYTES),
    recordDropped() {
      if (instead) instead.recordDropped()
      else dropped += 1
    },
    addTokens(list) {
      tokens = list
      if (instead) instead.addTokens(list)
      else if (thread) tell({ kind: 'know', tokens: list })
    },
    checkPending(now, underWay) {
      if (instead) instead.checkPending(now, underWay)
      else tell({ kind: 'tick', now, underWay })
    },
    recordPanelCall(id, page) {
      if (instead) instead.recordPanelCall(id, page)
      else tell({ kind: 'called', id, page })
    },
    recordPageLeft(caller, load) {
      if (instead) instead.recordPageLeft(caller, load)
      else tell({ kind: 'left', caller, load })
    },
    recordGap(now) {
      if (instead) instead.recordGap(now)
      else tell({ kind: 'gap', now })
    },
    setBounds(given) {
      bounds = given
      if (instead) instead.setBounds(given)
      else if (thread) tell({ kind: 'bound', bounds: given })
    },
    find: (...input) => ask('find', ...input),
    head: (...input) => ask('head', ...input),
    rows: (...input) => ask('rows', ...input),
    exchange: (...input) => ask('exchange', ...input),
    seqOf: (...input) => ask('seqOf', ...input),
    body: (...input) => ask('body', ...input),
    countOverTime: (...input) => ask('countOverTime', ...input),
    async info() {
      const info = await ask('info')
      return { ...info, droppedBodies: info.droppedBodies + dropped }
    },
    judgePast: (...input) => ask('judgePast', ...input),
    clear: (...input) => ask('clear', ...input),
    clearFindings: (...input) => ask('clearFindings', ...input),
    pin: (...input) => ask('pin', ...input),
    async close() {
      closing = true
      if (starting) clearTimeout(starting)
      if (instead) return
      if (!thread && first.length === 0) return ended('it was not needed')
      const last = started()
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise((resolve) => (timer = setTimeout(() => resolve('late'), CLOSE_MS)))
      const over = new Promise((resolve) => last.once('exit', resolve))
      last.ref()
      tell({ kind: 'ask', id: -1, question: 'close', input: [] })
      if ((await Promise.race([over, patience])) === 'late') {
        log.warn('the recorder took too long to end: the last exchanges may be missing', { waitedMs: CLOSE_MS })
      }
      clearTimeout(timer)
      await last.terminate()
    },
  }
}

const STOPPED = 'The recorder of traffic has stopped. From here on only the last exchanges are kept, in memory.'
