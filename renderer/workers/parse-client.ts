// Work that would block the page: parsing, formatting, comparing, reading trees and the guide.
// `x.worker.ts` is the entry of a worker, `x-client.ts` its client on the page, `x-protocol.ts`
// their messages. Read parse-protocol.ts first, then this file.

import type { JsonEndpointId, ResponseOf } from '../../shared/bridge/endpoints/index.ts'
import { COPIED_PIECE_BYTES, copyInPieces, ListAssembler } from './list-chunks.ts'
import { formatBodyText, parseResponse, runAssertionTask } from './response-parser.ts'
import type {
  AssertionReply,
  AssertionTask,
  FormatOptions,
  FormatResult,
  ParseResult,
  ParseWorkerReply,
  ParseWorkerRequest,
} from './parse-protocol.ts'

interface PendingTask {
  readonly assembler: ListAssembler
  resolve(result: WorkerResult): void
  reject(error: Error): void
}

type WorkerResult = ParseResult<unknown> | FormatResult | AssertionReply

/** The first request starts the worker. */
class WorkerChannel {
  private worker: Worker | null = null
  private readonly pending = new Map<number, PendingTask>()
  private lastSeq = 0

  ask(build: (seq: number) => ParseWorkerRequest, transfer: Transferable[]): Promise<WorkerResult> {
    this.worker ??= this.start()
    this.lastSeq += 1
    const seq = this.lastSeq
    const { worker } = this
    return new Promise((resolve, reject) => {
      this.pending.set(seq, { resolve, reject, assembler: new ListAssembler() })
      worker.postMessage(build(seq), transfer)
    })
  }

  /** Like `ask`, but sends `source` in pieces before the request. */
  async askAbout(source: ArrayBuffer, build: (seq: number) => ParseWorkerRequest): Promise<WorkerResult> {
    const worker = (this.worker ??= this.start())
    this.lastSeq += 1
    const seq = this.lastSeq
    for await (const bytes of copyInPieces(source)) {
      if (this.worker !== worker) throw new Error('the worker stopped')
      worker.postMessage({ seq, task: 'piece', bytes } satisfies ParseWorkerRequest, [bytes])
    }
    if (this.worker !== worker) throw new Error('the worker stopped')
    return new Promise((resolve, reject) => {
      this.pending.set(seq, { resolve, reject, assembler: new ListAssembler() })
      worker.postMessage(build(seq), [])
    })
  }

  private start(): Worker {
    const worker = new Worker(new URL('./parse.worker.ts', import.meta.url), { type: 'module', name: 'parse' })
    worker.onmessage = ({ data }: MessageEvent<ParseWorkerReply>) => {
      const pendingTask = this.pending.get(data.seq)
      if ('listChunk' in data) return void pendingTask?.assembler.add(data.listChunk)
      this.pending.delete(data.seq)
      if (data.ok) pendingTask?.resolve(assembleResult(data.result, pendingTask.assembler))
      else pendingTask?.reject(new Error(data.message))
    }
    worker.onerror = (event) => {
      this.fail(event.message || 'the worker stopped')
    }
    return worker
  }

  /**
   * A broken worker (out of memory) never replies. All pending requests fail, and the next request
   * starts a new worker.
   */
  private fail(message: string): void {
    this.worker?.terminate()
    this.worker = null
    const pendingTasks = [...this.pending.values()]
    this.pending.clear()
    for (const { reject } of pendingTasks) reject(new Error(message))
  }
}

const assembleResult = <R extends WorkerResult>(result: R, assembler: ListAssembler): R =>
  'value' in result ? { ...result, value: assembler.assemble(result.value) } : result

// There are two workers, so that formatting a long text does not delay responses.
const parseChannel = new WorkerChannel()
const formatChannel = new WorkerChannel()
const hasWorkers = typeof Worker !== 'undefined'

/** Parsing fewer bytes takes less time than starting the worker or receiving its result. */
const MAX_INLINE_BYTES = 16 * 1024
/**
 * Every value that violates the contract is described, which takes longer than parsing it. A
 * response with at most this many values causes no delay.
 */
const MAX_INLINE_VALUES = 1_000

/** Returns true if parsing cannot block the page, whatever the response contains. */
function isFastToParse(bytes: ArrayBuffer): boolean {
  if (bytes.byteLength > MAX_INLINE_BYTES) return false
  let commas = 0
  for (const byte of new Uint8Array(bytes)) if (byte === 0x2c) commas += 1
  return commas < MAX_INLINE_VALUES
}

/**
 * Parses a response, in a worker unless the response is small. `bytes` may be transferred; the
 * result contains them again.
 * @throws Error when the worker fails
 */
export async function parseInWorker<Id extends JsonEndpointId>(
  endpoint: Id | null,
  bytes: ArrayBuffer,
): Promise<ParseResult<ResponseOf<Id>>> {
  if (!hasWorkers || isFastToParse(bytes)) return parseResponse(endpoint, bytes)
  // The worker parsed this endpoint, but a message cannot carry the type.
  const result = await parseChannel.ask((seq) => ({ seq, task: 'parse', endpoint, bytes }), [bytes])
  return result as ParseResult<ResponseOf<Id>>
}

/**
 * Formats text in a worker. `source` is copied, not transferred, so the caller can still use it.
 */
export async function formatInWorker(source: ArrayBuffer | string, options: FormatOptions): Promise<FormatResult> {
  if (!hasWorkers) return formatBodyText(source, options)
  const isLong = typeof source !== 'string' && source.byteLength > COPIED_PIECE_BYTES
  const result = isLong
    ? await formatChannel.askAbout(source, (seq) => ({ seq, task: 'format', source: null, options }))
    : await formatChannel.ask((seq) => ({ seq, task: 'format', source, options }), [])
  return result as FormatResult
}

/** Evaluates or creates assertions in a worker. The bytes of the body are transferred. */
export async function assertInWorker(task: AssertionTask): Promise<AssertionReply> {
  const bytes = task.task === 'assert' ? (task.response.body?.buffer ?? null) : task.bytes
  const isSmall = bytes === null || bytes.byteLength <= MAX_INLINE_BYTES
  if (!hasWorkers || isSmall || !(bytes instanceof ArrayBuffer)) return runAssertionTask(task)
  return (await parseChannel.ask((seq) => ({ seq, ...task }), [bytes])) as AssertionReply
}
