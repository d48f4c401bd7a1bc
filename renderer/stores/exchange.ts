import { onScopeDispose, watch } from 'vue'
import { isJsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { AppError } from '../../shared/errors.ts'
import type { IpcInput } from '../../shared/ipc/index.ts'
import { MAX_ROWS_PER_CALL } from '../../shared/ipc/traffic.ts'
import type { ExchangeDetail, ExchangeRow } from '../../shared/traffic/exchange.ts'
import { call } from '../ipc/call.ts'
import {
  compareBodies,
  type BodyComparison,
  type CompareReply,
  type CompareRequest,
} from '../workers/body-comparison.ts'
import { parseInWorker } from '../workers/parse-client.ts'
import type { ParseResult } from '../workers/parse-protocol.ts'
import { useResource, type Resource } from './resource.ts'
import { onTrafficChange } from './traffic.ts'

/** Which exchange: its place in the store, or the id that answers, errors and operations carry. */
export type ExchangeRef = IpcInput<'traffic.exchange'>

/** Reads one exchange. Throws `EXCHANGE_UNKNOWN`. */
export const readExchange = (which: ExchangeRef, signal?: AbortSignal): Promise<ExchangeDetail> =>
  call('traffic.exchange', which, signal ? { signal } : {})

/** One exchange with what is kept of it, read again when it may have changed. */
export function useExchange(which: () => ExchangeRef): Resource<ExchangeDetail> {
  const resource = useResource((signal) => readExchange(which(), signal))
  onScopeDispose(
    onTrafficChange(({ reread }) => {
      // What was not there yet may have arrived.
      if (reread || resource.error !== null || resource.data?.row.state === 'pending') void resource.reload()
    }),
  )
  watch(
    () => JSON.stringify(which()),
    () => {
      resource.reset()
      void resource.reload()
    },
    { immediate: true },
  )
  return resource
}

/** Bytes of a body read in one step: taking in more at once can be felt. */
const BODY_CHUNK_BYTES = 2 * 1024 * 1024

interface ReadBodyOptions {
  readonly signal?: AbortSignal
  /** Maximum bytes to read. */
  readonly maxBytes?: number
  onProgress?(read: number, kept: number): void
}

/** What is kept of a body, read in slices so that none of them keeps the page busy. Throws `EXCHANGE_UNKNOWN`, `BODY_NOT_KEPT`. */
export async function readExchangeBody(
  seq: number,
  side: 'request' | 'response',
  { signal, maxBytes: most = Number.POSITIVE_INFINITY, onProgress }: ReadBodyOptions = {},
): Promise<ArrayBuffer> {
  const options = signal ? { signal } : {}
  const slice = (start: number, end: number) => call('traffic.body', { seq, side, start, end }, options)
  const first = await slice(0, Math.min(BODY_CHUNK_BYTES, most))
  const size = Math.min(first.meta.kept, most)
  if (first.bytes.byteLength >= size) return first.bytes
  const all = new Uint8Array(size)
  all.set(new Uint8Array(first.bytes))
  let at = first.bytes.byteLength
  while (at < size) {
    onProgress?.(at, size)
    const { bytes } = await slice(at, Math.min(size, at + BODY_CHUNK_BYTES))
    if (bytes.byteLength === 0) throw cutOff(at, size)
    all.set(new Uint8Array(bytes), at)
    at += bytes.byteLength
  }
  return all.buffer
}

const cutOff = (read: number, kept: number): AppError =>
  new AppError({
    kind: 'internal',
    code: 'BODY_CUT_OFF',
    message: `Only ${read} of the ${kept} bytes kept of this body could be read.`,
    retryable: true,
    params: { read, kept },
  })

/** Rows by their place in the store, in the order asked for. */
export const readExchangeRows = async (seqs: readonly number[]): Promise<readonly ExchangeRow[]> =>
  (await call('traffic.rows', { seqs: seqs.slice(0, MAX_ROWS_PER_CALL) })).rows

/** What the contract finds in an answer's bytes, which are handed over; null where it describes no JSON for this row. */
export async function parseAgainstContract(
  endpoint: string | null,
  bytes: ArrayBuffer,
): Promise<ParseResult<unknown> | null> {
  return endpoint !== null && isJsonEndpointId(endpoint) ? parseInWorker(endpoint, bytes) : null
}

/** What differs between the answers of two exchanges, found in a worker. Throws `AppError`. */
export async function compareResponses(before: number, after: number, signal: AbortSignal): Promise<BodyComparison> {
  const [first, second] = [
    await readExchangeBody(before, 'response', { signal }),
    await readExchangeBody(after, 'response', { signal }),
  ]
  return compareInWorker({ before: first, after: second }, signal)
}

/** Compares two bodies off the main thread, in a worker of its own that ends with it. The bytes are handed over. */
function compareInWorker(request: CompareRequest, signal: AbortSignal): Promise<BodyComparison> {
  if (typeof Worker === 'undefined') return Promise.resolve(compareBodies(request))
  const worker = new Worker(new URL('../workers/compare.worker.ts', import.meta.url), {
    type: 'module',
    name: 'compare',
  })
  const { promise, resolve, reject } = Promise.withResolvers<BodyComparison>()
  worker.onmessage = ({ data }: MessageEvent<CompareReply>) => {
    if (data.ok) resolve(data.result)
    else reject(new Error(data.message))
  }
  worker.onerror = (event) => {
    reject(new Error(event.message || 'the worker stopped'))
  }
  signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')), { once: true })
  worker.postMessage(request, [request.before, request.after])
  return promise.finally(() => worker.terminate())
}
