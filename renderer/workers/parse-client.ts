// Work that would block the page: parsing, formatting, comparing, reading trees and the guide.
// A worker such as `parse.worker.ts` is an entry with its methods; `parse-client.ts` is its client
// on the page.
// Read shared/workers/worker-methods.ts first, then this file.

import type { JsonEndpointId, ResponseOf } from '../../shared/bridge/endpoints/index.ts'
import type { FormatOptions, FormattedText } from '../model/json/json-formatter.ts'
import { COPIED_PIECE_BYTES, copyInPieces, ListAssembler } from './list-chunks.ts'
import { PageWorker } from './page-worker.ts'
import type { ParseMethods } from './parse.worker.ts'
import {
  formatBodyText,
  parseResponse,
  runAssertionTask,
  type AssertionReply,
  type AssertionTask,
  type ParseResult,
} from './response-parser.ts'

const startWorker = (): PageWorker<ParseMethods> =>
  new PageWorker(new Worker(new URL('./parse.worker.ts', import.meta.url), { type: 'module', name: 'parse' }))

/** Starts a worker when first needed, and anew after a failure: a broken one never replies. */
function createWorkerAccess(): () => PageWorker<ParseMethods> {
  let worker: PageWorker<ParseMethods> | null = null
  return () => {
    if (worker === null || worker.hasFailed) {
      worker?.end()
      worker = startWorker()
    }
    return worker
  }
}

// There are two workers, so that formatting a long text does not delay responses.
const getParseWorker = createWorkerAccess()
const getFormatWorker = createWorkerAccess()
const hasWorkers = typeof Worker !== 'undefined'

/** Parsing fewer bytes takes less time than starting the worker or receiving its result. */
const MAX_INLINE_BYTES = 16 * 1024
/** So few values cause no delay; describing violations takes longer than parsing. */
const MAX_INLINE_VALUES = 1_000

/** Returns true if parsing cannot block the page, whatever the response contains. */
function isFastToParse(bytes: ArrayBuffer): boolean {
  if (bytes.byteLength > MAX_INLINE_BYTES) return false
  let commas = 0
  for (const byte of new Uint8Array(bytes)) if (byte === 0x2c) commas += 1
  return commas < MAX_INLINE_VALUES
}

/** Uses a worker unless the response is small; `bytes` are transferred and returned. */
export async function parseInWorker<Id extends JsonEndpointId>(
  endpoint: Id | null,
  bytes: ArrayBuffer,
): Promise<ParseResult<ResponseOf<Id>>> {
  if (!hasWorkers || isFastToParse(bytes)) return parseResponse(endpoint, bytes)
  const assembler = new ListAssembler()
  const result = await getParseWorker().call(
    'parse',
    { endpoint, bytes },
    { transfer: [bytes], onPart: (chunk) => assembler.add(chunk) },
  )
  // The worker parsed this endpoint, but a message cannot carry the type.
  return { ...result, value: assembler.assemble(result.value) } as ParseResult<ResponseOf<Id>>
}

let sourceCount = 0

/** `source` is copied, not transferred, so the caller can still use it. */
export async function formatInWorker(source: ArrayBuffer | string, options: FormatOptions): Promise<FormattedText> {
  if (!hasWorkers) return formatBodyText(source, options)
  const worker = getFormatWorker()
  if (typeof source === 'string' || source.byteLength <= COPIED_PIECE_BYTES)
    return worker.call('format', { source, options })
  sourceCount += 1
  const number = sourceCount
  for await (const bytes of copyInPieces(source)) worker.send('addPiece', { source: number, bytes }, [bytes])
  return worker.call('format', { source: number, options })
}

/** Evaluates or creates assertions in a worker. The bytes of the body are transferred. */
export async function assertInWorker(task: AssertionTask): Promise<AssertionReply> {
  const bytes = task.task === 'assert' ? (task.response.body?.buffer ?? null) : task.bytes
  const isSmall = bytes === null || bytes.byteLength <= MAX_INLINE_BYTES
  if (!hasWorkers || isSmall || !(bytes instanceof ArrayBuffer)) return runAssertionTask(task)
  return getParseWorker().call('runAssertionTask', task, { transfer: [bytes] })
}
