import { watch } from 'vue'
import type {
  BodyOf,
  JsonEndpointId,
  PathParamsOf,
  QueryOf,
  ResponseOf,
  TextEndpointId,
} from '../../shared/bridge/endpoints/index.ts'
import type { ResponseReading } from '../../shared/bridge/response-reading.ts'
import { AppError, createCancelledError } from '../../shared/errors.ts'
import { formatFirstBytes } from '../../shared/format/first-bytes.ts'
import type { ResponseMeta } from '../../shared/ipc/bridge.ts'
import type { JsonFinding } from '../../shared/json/findings.ts'
import { decodeUtf8 } from '../../shared/json/inspection.ts'
import { call } from '../ipc/call.ts'
import { parseInWorker } from '../workers/parse-client.ts'
import { rememberResponse, cacheResponse } from './recent-answers.ts'
import { useResource, type Resource } from './resource.ts'

type ReadId = JsonEndpointId | TextEndpointId

/** What reading a row takes: path placeholders, query, and a body for a POST that reads. Names are the row's. */
export type ReadOptions<Id extends ReadId> = {
  readonly query?: QueryOf<Id>
  /** Maximum decoded bytes of the answer; defaults to the setting. */
  readonly maxBytes?: number
} & (keyof PathParamsOf<Id> extends never ? { readonly params?: undefined } : { readonly params: PathParamsOf<Id> }) &
  (BodyOf<Id> extends null ? { readonly body?: undefined } : { readonly body: BodyOf<Id> })

/** The arguments after the id: what a row needs can't be left out. */
type ReadArguments<Id extends ReadId> =
  object extends ReadOptions<Id>
    ? [options?: ReadOptions<Id>, ask?: CancelOptions]
    : [options: ReadOptions<Id>, ask?: CancelOptions]

/** The same for a resource; null = nothing can be read now. */
type UseReadArguments<Id extends ReadId> =
  object extends ReadOptions<Id>
    ? [options?: () => ReadOptions<Id> | null, keeping?: RetentionOptions]
    : [options: () => ReadOptions<Id> | null, keeping?: RetentionOptions]

/** `isRetained`: by a store, so that it outlives the views that show it. */
type RetentionOptions = { readonly isRetained?: boolean }

/** An answer from the host with everything to report about it. */
export interface HostResponse<T> {
  /** The part of the answer that fits the contract, unknown fields included; the rest was left out and is among the findings. */
  readonly value: T
  /** Nothing was left out, and nothing promised is missing. */
  readonly conforms: boolean
  /** List entries left out. */
  readonly omittedCount: number
  /** Where the lists of `value` are in `raw`: see `sentPlace`. */
  readonly lists: ResponseReading<T>['lists']
  readonly meta: ResponseMeta
  readonly findings: readonly JsonFinding[]
  /** All findings, including those not kept. */
  readonly findingTotal: number
  /** The bytes exactly as sent. */
  readonly raw: ArrayBuffer
}

/** What is to be reported about an answer, for those who keep only a part of its value. */
export type ResponseReport = Pick<HostResponse<unknown>, 'findings' | 'findingTotal' | 'omittedCount'>

export const pickReport = ({ findings, findingTotal, omittedCount: left }: HostResponse<unknown>): ResponseReport => ({
  findings,
  findingTotal,
  omittedCount: left,
})

interface CancelOptions {
  readonly signal?: AbortSignal
}

/**
 * Reads a row of the endpoint table that returns JSON, parsed in a worker. Throws `AppError`: `malformed` if the bytes are not JSON
 * (`NOT_JSON`, `TOO_DEEP`) or nothing in them fits the contract (`ANSWER_UNFIT`).
 */
export async function readEndpoint<Id extends JsonEndpointId>(
  endpointId: Id,
  ...[options, { signal } = {}]: ReadArguments<Id>
): Promise<HostResponse<ResponseOf<Id>>> {
  return answerOf(endpointId, options, signal)
}

async function answerOf<Id extends JsonEndpointId>(
  endpointId: Id,
  options: UntypedReadOptions | undefined,
  signal: AbortSignal | undefined,
): Promise<HostResponse<ResponseOf<Id>>> {
  const { meta, bytes } = await ask(endpointId, options, signal)
  const { value, isJson: ok, ...parsed } = await parseInWorker(endpointId, bytes)
  if (signal?.aborted) {
    throw createCancelledError()
  }
  rememberResponse(meta, parsed.bytes)
  cacheResponse(meta, parsed.bytes)
  if (!ok) throw notJson(meta, parsed.findings, parsed.bytes)
  if (value === undefined) throw createUnusableResponseError(meta, parsed.findings, parsed.bytes)
  const masked = toMaskedTokenFindings(meta)
  const { bytes: raw, findings, findingTotal, ...rest } = parsed
  return {
    ...rest,
    value,
    meta,
    findings: [...masked, ...findings],
    findingTotal: masked.length + findingTotal,
    raw,
  }
}

/** Reads a row that returns text, and reports where its bytes are not UTF-8. Throws `AppError`. */
async function textOf(
  endpointId: TextEndpointId,
  options: UntypedReadOptions | undefined,
  signal: AbortSignal | undefined,
): Promise<HostResponse<string>> {
  const { meta, bytes } = await ask(endpointId, options, signal)
  rememberResponse(meta, bytes)
  const { text, invalidAt } = decodeUtf8(new Uint8Array(bytes))
  const findings: JsonFinding[] = [
    ...toMaskedTokenFindings(meta),
    ...(invalidAt === null ? [] : [{ kind: 'invalid-utf8' as const, offset: invalidAt }]),
  ]
  const said = { conforms: true, omittedCount: 0, lists: {}, findings, findingTotal: findings.length }
  return { ...said, value: text, meta, raw: bytes }
}

/** The options of any row, as sent to the service process, which checks them against the row again. */
export interface UntypedReadOptions {
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined
  readonly body?: unknown
  readonly maxBytes?: number
}

/** Asks the service process to read a row, or a route that the host lists. */
export const ask = (
  endpointId: string,
  { params, query, body, maxBytes }: UntypedReadOptions = {},
  signal?: AbortSignal,
): ReturnType<typeof call<'bridge.read'>> =>
  call(
    'bridge.read',
    {
      endpoint: endpointId,
      params: { ...params },
      query: Object.fromEntries(Object.entries(query ?? {}).filter((entry) => isSaid(entry))),
      // Through JSON, because a reactive proxy does not survive the trip to the service process.
      ...(body === undefined ? {} : { body: plain(body) }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
    },
    signal ? { signal } : {},
  )

const isSaid = (entry: [string, string | number | undefined]): entry is [string, string | number] =>
  entry[1] !== undefined

function plain(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body))
}

export const toMaskedTokenFindings = ({ masked }: ResponseMeta): JsonFinding[] =>
  masked === undefined ? [] : [{ kind: 'token-masked', count: masked }]

/** Nothing of the answer can be used: reported with the location that doesn't fit, never shown as if it were empty. */
export function createUnusableResponseError(
  { status, exchangeId }: ResponseMeta,
  findings: readonly JsonFinding[],
  sent: ArrayBuffer,
): AppError {
  const misfit = findings.find(({ kind }) => kind === 'schema' || kind === 'entry')
  const { path = '', expected = '', found = '' } = misfit && 'expected' in misfit ? misfit : {}
  return new AppError(
    {
      kind: 'malformed',
      code: 'ANSWER_UNFIT',
      message: `The answer does not fit the contract: ${path || '/'} should be ${expected} and is ${found}.`,
      retryable: true,
      status,
      exchangeId,
      params: { path: path || '/', expected, found },
    },
    { sent },
  )
}

function notJson(meta: ResponseMeta, findings: readonly JsonFinding[], bytes: ArrayBuffer): AppError {
  const deep = findings.some(({ kind }) => kind === 'too-deep')
  const { status, contentType: type, exchangeId } = meta
  const beginning = decodeUtf8(new Uint8Array(bytes.slice(0, 2000))).text
  const begins = formatFirstBytes(new Uint8Array(bytes))
  return new AppError({
    kind: 'malformed',
    code: deep ? 'TOO_DEEP' : 'NOT_JSON',
    message: deep
      ? 'The answer is nested too deeply to be taken apart safely.'
      : `The host answered ${status} with ${type} where JSON was promised. It begins: ${begins}`,
    retryable: false,
    status,
    exchangeId,
    params: { status, type, begins },
    details: beginning,
  })
}

/**
 * A resource that reads an endpoint; `options` returns null while nothing can be read (not connected yet), and earlier data stays. Reads at
 * once, and again whenever what `options` depends on changes.
 */
export function useRead<Id extends JsonEndpointId>(
  endpointId: Id,
  ...[options, keeping]: UseReadArguments<Id>
): Resource<HostResponse<ResponseOf<Id>>> {
  return useUntypedRead(endpointId, options, keeping)
}

/** `useRead` for a row that returns text. */
export function useReadText<Id extends TextEndpointId>(
  endpointId: Id,
  ...[options]: UseReadArguments<Id>
): Resource<HostResponse<string>> {
  return useReading(endpointId, (sent, signal) => textOf(endpointId, sent, signal), options)
}

/** `useRead` for a component that serves several rows: the service process checks what is sent against the row. */
export const useUntypedRead = <Id extends JsonEndpointId>(
  endpointId: Id,
  options?: () => UntypedReadOptions | null,
  keeping?: RetentionOptions,
): Resource<HostResponse<ResponseOf<Id>>> =>
  useReading(endpointId, (sent, signal) => answerOf(endpointId, sent, signal), options, keeping)

function useReading<T>(
  endpoint: ReadId,
  load: (sent: UntypedReadOptions, signal: AbortSignal) => Promise<HostResponse<T>>,
  options: () => UntypedReadOptions | null = () => ({}),
  keeping: RetentionOptions = {},
): Resource<HostResponse<T>> {
  const resource = useResource(
    (signal) => load(options() ?? {}, signal),
    ({ meta }) => ({ readAt: meta.receivedAt, epoch: meta.epoch, bytes: meta.byteLength }),
    { ...keeping, getShownRead: () => ({ endpoint, ...options() }) },
  )
  let last: string | null = null
  watch(
    () => JSON.stringify(options()),
    (next) => {
      if (next === 'null') {
        resource.cancel()
        return
      }
      // Back after an interruption: earlier data stays, marked as stale; the resource itself retries what failed.
      if (next === last && resource.status !== 'idle') return
      // Something else altogether: its predecessor must not stand in for it.
      if (last !== null && next !== last) resource.reset()
      last = next
      void resource.reload()
    },
    { immediate: true },
  )
  return resource
}

/** What an answer of unknown shape turned out to be. */
interface Unknown {
  readonly is: 'json' | 'text' | 'bytes'
}

/**
 * Reads a route that only the host lists (`listedId`), of which nobody knows what it returns: its bytes, and what they are. Throws
 * `AppError`.
 */
export async function readListedRoute(
  endpointId: string,
  { params, query }: UntypedReadOptions,
  signal: AbortSignal,
): Promise<HostResponse<Unknown>> {
  const { meta, bytes } = await ask(endpointId, { params, query }, signal)
  const { isJson: ok, bytes: raw, findings, findingTotal } = await parseInWorker(null, bytes)
  if (signal.aborted) throw createCancelledError()
  rememberResponse(meta, raw)
  const isText = decodeUtf8(new Uint8Array(raw)).invalidAt === null
  const masked = toMaskedTokenFindings(meta)
  const found = ok ? [...masked, ...findings] : masked
  return {
    value: { is: ok ? 'json' : isText ? 'text' : 'bytes' },
    conforms: true,
    omittedCount: 0,
    lists: {},
    meta,
    findings: found,
    findingTotal: ok ? masked.length + findingTotal : masked.length,
    raw,
  }
}
