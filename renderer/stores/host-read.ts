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
import { decodeBodyText } from '../../shared/traffic/body-text.ts'
import { call } from '../ipc/call.ts'
import { parseInWorker } from '../workers/parse-client.ts'
import { addRecentResponse, cacheResponse } from './recent-responses.ts'
import { useResource, type Resource } from './resource.ts'

type ReadId = JsonEndpointId | TextEndpointId

/** Path parameters, query and, for a POST that reads, the body of an endpoint. */
export type ReadOptions<Id extends ReadId> = {
  readonly query?: QueryOf<Id>
  /** Limit of the decoded response in bytes; the default comes from the settings. */
  readonly maxBytes?: number
} & (keyof PathParamsOf<Id> extends never ? { readonly params?: undefined } : { readonly params: PathParamsOf<Id> }) &
  (BodyOf<Id> extends null ? { readonly body?: undefined } : { readonly body: BodyOf<Id> })

/** Required parameters of an endpoint cannot be left out. */
type ReadArguments<Id extends ReadId> =
  object extends ReadOptions<Id>
    ? [options?: ReadOptions<Id>, callOptions?: CancelOptions]
    : [options: ReadOptions<Id>, callOptions?: CancelOptions]

/** The function returns null while the request cannot be made, for example without an id. */
type UseReadArguments<Id extends ReadId> =
  object extends ReadOptions<Id>
    ? [options?: () => ReadOptions<Id> | null, retention?: RetentionOptions]
    : [options: () => ReadOptions<Id> | null, retention?: RetentionOptions]

/** A store owns the resource, so that it outlives the views that show it. */
type RetentionOptions = { readonly isRetained?: boolean }

export interface HostResponse<T> {
  /** The part that fits the contract, with unknown members. Findings describe the rest. */
  readonly value: T
  /** True if no part was left out and no required member is missing. */
  readonly conforms: boolean
  readonly omittedCount: number
  /** Positions of the lists of `value` in `raw`; see `locateSentEntry`. */
  readonly lists: ResponseReading<T>['lists']
  readonly meta: ResponseMeta
  readonly findings: readonly JsonFinding[]
  /** Number of all findings, including those that were not stored. */
  readonly findingTotal: number
  /** The bytes exactly as the host sent them. */
  readonly raw: ArrayBuffer
}

/** The findings about a response, for views that show only a part of its value. */
export type ResponseReport = Pick<HostResponse<unknown>, 'findings' | 'findingTotal' | 'omittedCount'>

export function toResponseReport({ findings, findingTotal, omittedCount }: HostResponse<unknown>): ResponseReport {
  return {
    findings,
    findingTotal,
    omittedCount,
  }
}

interface CancelOptions {
  readonly signal?: AbortSignal
}

/**
 * Reads an endpoint that returns JSON; a worker parses the response.
 * @throws AppError `malformed` if the bytes are not JSON (`NOT_JSON`, `TOO_DEEP`) or no part of
 *   them fits the contract (`ANSWER_UNFIT`); `unread` if the contract leaves the shape open and
 *   this one is not known (`SHAPE_UNKNOWN`)
 */
export async function readEndpoint<Id extends JsonEndpointId>(
  endpointId: Id,
  ...[options, { signal } = {}]: ReadArguments<Id>
): Promise<HostResponse<ResponseOf<Id>>> {
  return readJson(endpointId, options, signal)
}

async function readJson<Id extends JsonEndpointId>(
  endpointId: Id,
  options: UntypedReadOptions | undefined,
  signal: AbortSignal | undefined,
): Promise<HostResponse<ResponseOf<Id>>> {
  const { meta, bytes } = await fetchFromHost(endpointId, options, signal)
  const { value, isJson, isShapeUnknown, ...parsed } = await parseInWorker(endpointId, bytes)
  if (signal?.aborted) {
    throw createCancelledError()
  }
  addRecentResponse(meta, parsed.bytes)
  cacheResponse(meta, parsed.bytes)
  if (!isJson) throw createNotJsonError(meta, parsed.findings, parsed.bytes)
  if (isShapeUnknown) throw createUnknownShapeError(meta, parsed.bytes)
  if (value === undefined) throw createUnusableResponseError(meta, parsed.findings, parsed.bytes)
  for (const listener of [...responseListeners]) listener(meta, value)
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

type ResponseListener = (meta: ResponseMeta, value: unknown) => void
const responseListeners = new Set<ResponseListener>()

/** Passes every response with a usable part. The returned function removes the listener. */
export function onHostResponse(listener: ResponseListener): () => void {
  responseListeners.add(listener)
  return () => responseListeners.delete(listener)
}

/** Reads text, and finds bytes that are none in its charset or in UTF-8. @throws AppError */
async function readText(
  endpointId: TextEndpointId,
  options: UntypedReadOptions | undefined,
  signal: AbortSignal | undefined,
): Promise<HostResponse<string>> {
  const { meta, bytes } = await fetchFromHost(endpointId, options, signal)
  addRecentResponse(meta, bytes)
  const body = new Uint8Array(bytes)
  const decoded = decodeBodyText(body, { mediaType: meta.contentType, missing: null }).text
  const lenient = decoded === null ? decodeUtf8(body) : null
  const text = decoded?.replace(/^\uFEFF/, '') ?? lenient?.text ?? ''
  const invalidAt = lenient?.invalidAt ?? null
  const findings: JsonFinding[] = [
    ...toMaskedTokenFindings(meta),
    ...(invalidAt === null ? [] : [{ kind: 'invalid-utf8' as const, offset: invalidAt }]),
  ]
  const report = { conforms: true, omittedCount: 0, lists: {}, findings, findingTotal: findings.length }
  return { ...report, value: text, meta, raw: bytes }
}

/** The service process checks these options against the endpoint table. */
export interface UntypedReadOptions {
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined
  readonly body?: unknown
  readonly maxBytes?: number
}

/** Reads an endpoint of the table, or a route that only the host lists. */
export function fetchFromHost(
  endpointId: string,
  { params, query, body, maxBytes }: UntypedReadOptions = {},
  signal?: AbortSignal,
): ReturnType<typeof call<'bridge.read'>> {
  return call(
    'bridge.read',
    {
      endpoint: endpointId,
      params: { ...params },
      query: Object.fromEntries(Object.entries(query ?? {}).filter((param) => isPresent(param))),
      // To JSON and back, because a reactive proxy cannot be cloned to the service process.
      ...(body === undefined ? {} : { body: toPlainJson(body) }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
    },
    signal ? { signal } : {},
  )
}

const isPresent = (entry: [string, string | number | undefined]): entry is [string, string | number] =>
  entry[1] !== undefined

function toPlainJson(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body))
}

export function toMaskedTokenFindings({ masked }: ResponseMeta): JsonFinding[] {
  return masked === undefined ? [] : [{ kind: 'token-masked', count: masked }]
}

/** Names the location that does not fit the contract. */
export function createUnusableResponseError(
  { status, exchangeId }: ResponseMeta,
  findings: readonly JsonFinding[],
  bytes: ArrayBuffer,
): AppError {
  const violation = findings.find(({ kind }) => kind === 'schema' || kind === 'entry' || kind === 'observed')
  const { path = '', expected = '', actual = '' } = violation && 'expected' in violation ? violation : {}
  return new AppError(
    {
      kind: 'malformed',
      code: 'ANSWER_UNFIT',
      message: `The answer does not fit the contract: ${path || '/'} should be ${expected} but is ${actual}.`,
      retryable: true,
      status,
      exchangeId,
      params: { path: path || '/', expected, found: actual },
    },
    { responseBytes: bytes },
  )
}

export function createUnknownShapeError({ status, exchangeId }: ResponseMeta, bytes: ArrayBuffer): AppError {
  return new AppError(
    {
      kind: 'unread',
      code: 'SHAPE_UNKNOWN',
      message: 'The contract leaves the shape of this response open, and this program does not know the one sent.',
      retryable: true,
      status,
      exchangeId,
    },
    { responseBytes: bytes },
  )
}

function createNotJsonError(meta: ResponseMeta, findings: readonly JsonFinding[], bytes: ArrayBuffer): AppError {
  const isTooDeep = findings.some(({ kind }) => kind === 'too-deep')
  const { status, contentType: type, exchangeId } = meta
  const details = decodeUtf8(new Uint8Array(bytes.slice(0, 2000))).text
  const firstBytes = formatFirstBytes(new Uint8Array(bytes))
  return new AppError({
    kind: 'malformed',
    code: isTooDeep ? 'TOO_DEEP' : 'NOT_JSON',
    message: isTooDeep
      ? 'The answer is nested too deeply to be taken apart safely.'
      : `The host answered ${status} with ${type} where JSON was promised. It begins: ${firstBytes}`,
    retryable: false,
    status,
    exchangeId,
    params: { status, type, begins: firstBytes },
    details,
  })
}

/**
 * Reads an endpoint at once and whenever the options change. `options` returns null while the
 * request cannot be made, for example without a connection; data from before then stay visible.
 */
export function useRead<Id extends JsonEndpointId>(
  endpointId: Id,
  ...[options, retention]: UseReadArguments<Id>
): Resource<HostResponse<ResponseOf<Id>>> {
  return useUntypedRead(endpointId, options, retention)
}

/** Like `useRead`, for an endpoint that returns text. */
export function useReadText<Id extends TextEndpointId>(
  endpointId: Id,
  ...[options]: UseReadArguments<Id>
): Resource<HostResponse<string>> {
  return useHostResource(endpointId, (readOptions, signal) => readText(endpointId, readOptions, signal), options)
}

/** Like `useRead` for several endpoints: the service checks options by the endpoint table. */
export function useUntypedRead<Id extends JsonEndpointId>(
  endpointId: Id,
  options?: () => UntypedReadOptions | null,
  retention?: RetentionOptions,
): Resource<HostResponse<ResponseOf<Id>>> {
  return useHostResource(
    endpointId,
    (readOptions, signal) => readJson(endpointId, readOptions, signal),
    options,
    retention,
  )
}

function useHostResource<T>(
  endpoint: ReadId,
  load: (readOptions: UntypedReadOptions, signal: AbortSignal) => Promise<HostResponse<T>>,
  options: () => UntypedReadOptions | null = () => ({}),
  retention: RetentionOptions = {},
): Resource<HostResponse<T>> {
  const resource = useResource(
    (signal) => load(options() ?? {}, signal),
    ({ meta }) => ({ readAt: meta.receivedAt, epoch: meta.epoch, bytes: meta.byteLength }),
    { ...retention, getShownRead: () => ({ endpoint, ...options() }) },
  )
  let lastOptions: string | null = null
  watch(
    () => JSON.stringify(options()),
    (next) => {
      if (next === 'null') {
        resource.cancel()
        return
      }
      // After an interruption, data stay, marked as stale; a failed read retries by itself.
      if (next === lastOptions && resource.status !== 'idle') return
      // Data for the previous options must not be shown while the new data load.
      if (lastOptions !== null && next !== lastOptions) resource.reset()
      lastOptions = next
      void resource.reload()
    },
    { immediate: true },
  )
  return resource
}

interface UnknownContent {
  readonly is: 'json' | 'text' | 'bytes'
}

/**
 * Reads a route that only the host lists, and finds out whether the response is JSON or text.
 * @param endpointId the id under which the host lists the route
 * @throws AppError
 */
export async function readListedRoute(
  endpointId: string,
  { params, query }: UntypedReadOptions,
  signal: AbortSignal,
): Promise<HostResponse<UnknownContent>> {
  const { meta, bytes } = await fetchFromHost(endpointId, { params, query }, signal)
  const { isJson, bytes: raw, findings, findingTotal } = await parseInWorker(null, bytes)
  if (signal.aborted) throw createCancelledError()
  addRecentResponse(meta, raw)
  const isText = (): boolean =>
    decodeBodyText(new Uint8Array(raw), { mediaType: meta.contentType, missing: null }).text !== null
  const masked = toMaskedTokenFindings(meta)
  const allFindings = isJson ? [...masked, ...findings] : masked
  return {
    value: { is: isJson ? 'json' : isText() ? 'text' : 'bytes' },
    conforms: true,
    omittedCount: 0,
    lists: {},
    meta,
    findings: allFindings,
    findingTotal: isJson ? masked.length + findingTotal : masked.length,
    raw,
  }
}
