import { onScopeDispose, watch } from 'vue'
import { isJsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { parseAssertions, type Assertion } from '../../shared/collections/assertion.ts'
import { MAX_ASSERTED_BODY_BYTES, needsBody, type AssertionResult } from '../../shared/collections/assertion-result.ts'
import type { Variables } from '../../shared/collections/variables.ts'
import { AppError, createRefusedError } from '../../shared/errors.ts'
import type { IpcInput } from '../../shared/ipc/index.ts'
import { MAX_ROWS_PER_CALL } from '../../shared/ipc/traffic.ts'
import type { ExchangeDetail, ExchangeRow } from '../../shared/traffic/exchange.ts'
import { call } from '../ipc/call.ts'
import {
  createBodyComparer,
  type BodyComparison,
  type CompareRequest,
  type MemberList,
  type MembersRequest,
} from '../workers/body-comparison.ts'
import type { CompareMethods } from '../workers/compare.worker.ts'
import { PageWorker } from '../workers/page-worker.ts'
import { assertInWorker, parseInWorker } from '../workers/parse-client.ts'
import type { ParseResult } from '../workers/response-parser.ts'
import { useResource, type Resource } from './resource.ts'
import { onTrafficChange } from './traffic.ts'

/** The number in the store, or the id in responses, errors and operations. */
export type ExchangeRef = IpcInput<'traffic.exchange'>

/** @throws EXCHANGE_UNKNOWN */
export function readExchange(ref: ExchangeRef, signal?: AbortSignal): Promise<ExchangeDetail> {
  return call('traffic.exchange', ref, signal ? { signal } : {})
}

/** Loads an exchange and the stored data about it, and loads again when either may have changed. */
export function useExchange(getRef: () => ExchangeRef): Resource<ExchangeDetail> {
  const resource = useResource((signal) => readExchange(getRef(), signal))
  onScopeDispose(
    onTrafficChange(({ reread }) => {
      // An exchange that was unknown or pending may have been stored in the meantime.
      if (reread || resource.error !== null || resource.data?.row.state === 'pending') void resource.reload()
    }),
  )
  watch(
    () => JSON.stringify(getRef()),
    () => {
      resource.reset()
      void resource.reload()
    },
    { immediate: true },
  )
  return resource
}

/** A larger slice would block the page noticeably. */
const BODY_CHUNK_BYTES = 2 * 1024 * 1024

interface ReadBodyOptions {
  readonly signal?: AbortSignal
  /** Reading stops after this many bytes. */
  readonly maxBytes?: number
  onProgress?(read: number, total: number): void
}

/** Reads in slices that do not block the page. @throws EXCHANGE_UNKNOWN, BODY_NOT_KEPT */
export async function readExchangeBody(
  seq: number,
  side: 'request' | 'response',
  { signal, maxBytes = Number.POSITIVE_INFINITY, onProgress }: ReadBodyOptions = {},
): Promise<ArrayBuffer> {
  const options = signal ? { signal } : {}
  const readSlice = (start: number, end: number) => call('traffic.body', { seq, side, start, end }, options)
  const first = await readSlice(0, Math.min(BODY_CHUNK_BYTES, maxBytes))
  const size = Math.min(first.meta.kept, maxBytes)
  if (first.bytes.byteLength >= size) return first.bytes
  const body = new Uint8Array(size)
  body.set(new Uint8Array(first.bytes))
  let offset = first.bytes.byteLength
  while (offset < size) {
    onProgress?.(offset, size)
    const { bytes } = await readSlice(offset, Math.min(size, offset + BODY_CHUNK_BYTES))
    if (bytes.byteLength === 0) throw createCutOffError(offset, size)
    body.set(new Uint8Array(bytes), offset)
    offset += bytes.byteLength
  }
  return body.buffer
}

const createCutOffError = (readBytes: number, totalBytes: number): AppError =>
  new AppError({
    kind: 'internal',
    code: 'BODY_CUT_OFF',
    message: `Only ${readBytes} of the ${totalBytes} bytes kept of this body could be read.`,
    retryable: true,
    params: { read: readBytes, kept: totalBytes },
  })

export async function readExchangeRows(seqs: readonly number[]): Promise<readonly ExchangeRow[]> {
  return (await call('traffic.rows', { seqs: seqs.slice(0, MAX_ROWS_PER_CALL) })).rows
}

/** Transfers the bytes to the worker. Null if the contract describes no JSON response. */
export async function parseAgainstContract(
  endpoint: string | null,
  bytes: ArrayBuffer,
): Promise<ParseResult<unknown> | null> {
  return endpoint !== null && isJsonEndpointId(endpoint) ? parseInWorker(endpoint, bytes) : null
}

/** Evaluates a saved request's assertions for a recorded response. @throws EXCHANGE_UNKNOWN */
export async function checkAssertions(
  seq: number,
  assertions: unknown,
  variables: Variables,
  signal: AbortSignal,
): Promise<readonly AssertionResult[]> {
  const { row, response } = await readExchange({ seq }, signal)
  const isWhole = response.missing === null && response.kept <= MAX_ASSERTED_BODY_BYTES
  const hasBodyAssertion = parseAssertions(assertions).some(needsBody)
  const bytes = isWhole && hasBodyAssertion ? await readExchangeBody(seq, 'response', { signal }) : null
  const reply = await assertInWorker({
    task: 'assert',
    assertions,
    variables,
    response: {
      status: row.status ?? 0,
      durationMs: row.durationMs,
      endpointId: row.endpoint,
      body: bytes && new Uint8Array(bytes),
    },
  })
  return 'results' in reply ? reply.results : []
}

/** The value stays as it is. @throws BODY_INCOMPLETE for a partly kept body, NO_VALUE */
export async function createAssertion(seq: number, pointer: string): Promise<Assertion> {
  const { response } = await readExchange({ seq })
  if (response.missing !== null || response.kept > MAX_ASSERTED_BODY_BYTES)
    throw createRefusedError('BODY_INCOMPLETE', 'Only a part of this body was kept, so nothing in it can be asserted.')
  const bytes = await readExchangeBody(seq, 'response')
  const reply = await assertInWorker({ task: 'create-assertion', pointer, bytes })
  if ('created' in reply && reply.created) return reply.created
  throw createRefusedError('NO_VALUE', `The response has no JSON value at “${pointer}”.`, { pointer })
}

export { areBodiesEqual } from '../workers/body-comparison.ts'
export type { MemberList, MembersRequest }

export interface ResponseComparison {
  readonly result: BodyComparison
  /** Lists equal members of the newer response, which is retained until the signal aborts. */
  listMembers(request: MembersRequest): Promise<MemberList>
}

/** Compares in a worker, which ends when the signal aborts. @throws AppError */
export async function compareResponses(
  before: number,
  after: number,
  signal: AbortSignal,
): Promise<ResponseComparison> {
  const [first, second] = [
    await readExchangeBody(before, 'response', { signal }),
    await readExchangeBody(after, 'response', { signal }),
  ]
  const [{ response: factsBefore }, { response: factsAfter }] = [
    await readExchange({ seq: before }, signal),
    await readExchange({ seq: after }, signal),
  ]
  return compareInWorker({ before: first, after: second, facts: [factsBefore, factsAfter] }, signal)
}

/** The bytes are transferred to the worker, which answers one message after the other. */
export async function compareInWorker(request: CompareRequest, signal: AbortSignal): Promise<ResponseComparison> {
  if (typeof Worker === 'undefined') {
    const comparer = createBodyComparer()
    const result = comparer.compare(request)
    return { result, listMembers: async (members) => comparer.listMembers(members) }
  }
  const worker = new PageWorker<CompareMethods>(
    new Worker(new URL('../workers/compare.worker.ts', import.meta.url), { type: 'module', name: 'compare' }),
  )
  signal.addEventListener('abort', () => worker.end(new DOMException('aborted', 'AbortError')), { once: true })
  try {
    const result = await worker.call('compare', request, { transfer: [request.before, request.after] })
    return { result, listMembers: (members) => worker.call('listMembers', members) }
  } catch (error) {
    worker.end()
    throw error
  }
}
