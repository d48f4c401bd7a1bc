import type { JsonEndpointId, ResponseOf } from '../../shared/bridge/endpoints/index.ts'
import { PIECE_BYTES, piecesOf, ListAssembler } from './list-chunks.ts'
import { formatBodyText, parseResponse } from './response-parser.ts'
import type { FormatOptions, FormatResult, ParseResult, WorkerReply, WorkerRequest } from './parse-protocol.ts'

interface PendingTask {
  /** The parts of the result's long lists that have arrived. */
  readonly assembler: ListAssembler
  resolve(result: WorkerResult): void
  reject(error: Error): void
}

type WorkerResult = ParseResult<unknown> | FormatResult

/** One worker and its pending questions; started by the first question. */
class WorkerLine {
  private worker: Worker | null = null
  private readonly pending = new Map<number, PendingTask>()
  private lastSeq = 0

  ask(build: (seq: number) => WorkerRequest, transfer: Transferable[]): Promise<WorkerResult> {
    this.worker ??= this.start()
    this.lastSeq += 1
    const seq = this.lastSeq
    const { worker } = this
    return new Promise((resolve, reject) => {
      this.pending.set(seq, { resolve, reject, assembler: new ListAssembler() })
      worker.postMessage(build(seq), transfer)
    })
  }

  /** As `ask`, after `source` went ahead piece by piece. */
  async askAbout(source: ArrayBuffer, build: (seq: number) => WorkerRequest): Promise<WorkerResult> {
    const worker = (this.worker ??= this.start())
    this.lastSeq += 1
    const seq = this.lastSeq
    for await (const bytes of piecesOf(source)) {
      if (this.worker !== worker) throw new Error('the worker stopped')
      worker.postMessage({ seq, task: 'piece', bytes } satisfies WorkerRequest, [bytes])
    }
    if (this.worker !== worker) throw new Error('the worker stopped')
    return new Promise((resolve, reject) => {
      this.pending.set(seq, { resolve, reject, assembler: new ListAssembler() })
      worker.postMessage(build(seq), [])
    })
  }

  private start(): Worker {
    const worker = new Worker(new URL('./parse.worker.ts', import.meta.url), { type: 'module', name: 'parse' })
    worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => {
      const waiting = this.pending.get(data.seq)
      if ('stretch' in data) return void waiting?.assembler.add(data.stretch)
      this.pending.delete(data.seq)
      if (data.ok) waiting?.resolve(wholeOf(data.result, waiting.assembler))
      else waiting?.reject(new Error(data.message))
    }
    worker.onerror = (event) => {
      this.fail(event.message || 'the worker stopped')
    }
    return worker
  }

  /** A broken worker (out of memory) never replies: every pending question fails, and the next one gets a new worker. */
  private fail(message: string): void {
    this.worker?.terminate()
    this.worker = null
    const waiting = [...this.pending.values()]
    this.pending.clear()
    for (const { reject } of waiting) reject(new Error(message))
  }
}

const wholeOf = <R extends WorkerResult>(result: R, whole: ListAssembler): R =>
  'value' in result ? { ...result, value: whole.assemble(result.value) } : result

// Two lines, so that formatting a long text doesn't hold up incoming answers.
const parseLine = new WorkerLine()
const formatLine = new WorkerLine()
const hasWorkers = typeof Worker !== 'undefined'

/** Bytes that are parsed in less time than it takes to start the worker, or to receive what it parsed. */
const MAX_INLINE_BYTES = 16 * 1024
/** So many values are still few: each one that doesn't fit the contract is described, which takes longer than reading it. */
const MAX_INLINE_VALUES = 1_000

/** Whether parsing doesn't hold up the page, whatever is in an answer. */
function isSlight(bytes: ArrayBuffer): boolean {
  if (bytes.byteLength > MAX_INLINE_BYTES) return false
  let commas = 0
  for (const byte of new Uint8Array(bytes)) if (byte === 0x2c) commas += 1
  return commas < MAX_INLINE_VALUES
}

/**
 * Runs `parseAnswer`, off the main thread unless the answer is slight. `bytes` may be transferred, and is returned in the result. Rejects with
 * a plain Error if the worker broke.
 */
export async function parseInWorker<Id extends JsonEndpointId>(
  endpoint: Id | null,
  bytes: ArrayBuffer,
): Promise<ParseResult<ResponseOf<Id>>> {
  if (!hasWorkers || isSlight(bytes)) return parseResponse(endpoint, bytes)
  // Our own worker ran `parseAnswer` of this very endpoint; a message cannot carry its type.
  const result = await parseLine.ask((seq) => ({ seq, task: 'parse', endpoint, bytes }), [bytes])
  return result as ParseResult<ResponseOf<Id>>
}

/** Formats text off the main thread; `source` is copied, not transferred. */
export async function formatInWorker(source: ArrayBuffer | string, options: FormatOptions): Promise<FormatResult> {
  if (!hasWorkers) return formatBodyText(source, options)
  const isLong = typeof source !== 'string' && source.byteLength > PIECE_BYTES
  const result = isLong
    ? await formatLine.askAbout(source, (seq) => ({ seq, task: 'format', source: null, options }))
    : await formatLine.ask((seq) => ({ seq, task: 'format', source, options }), [])
  return result as FormatResult
}
