import { watch } from 'vue'
import type { BodyOf, JsonId, ParamsOf, QueryOf, ResponseOf, TextId } from '../../shared/bridge/endpoints/index.ts'
import type { Reading } from '../../shared/bridge/read-answer.ts'
import { AppError, cancelled } from '../../shared/errors.ts'
import { firstBytes } from '../../shared/format/bytes.ts'
import type { AnswerMeta } from '../../shared/ipc/bridge.ts'
import type { Finding } from '../../shared/json/findings.ts'
import { decodeUtf8 } from '../../shared/json/inspect.ts'
import { call } from '../ipc/call.ts'
import { parseInWorker } from '../workers/client.ts'
import { keepAtHand, keepSeen } from './recent-answers.ts'
import { useResource, type Resource } from './resource.ts'

type ReadId = JsonId | TextId

/** What reading a row takes: path placeholders, query, and a body for a POST that reads. Names are the row's. */
export type ReadOptions<Id extends ReadId> = {
  readonly query?: QueryOf<Id>
  /** Maximum decoded bytes of the answer; defaults to the setting. */
  readonly maxBytes?: number
} & (keyof ParamsOf<Id> extends never ? { readonly params?: undefined } : { readonly params: ParamsOf<Id> }) &
  (BodyOf<Id> extends null ? { readonly body?: undefined } : { readonly body: BodyOf<Id> })

/** The arguments after the id: what a row needs can't be left out. */
type Behind<Id extends ReadId> =
  object extends ReadOptions<Id> ? [options?: ReadOptions<Id>, ask?: Ask] : [options: ReadOptions<Id>, ask?: Ask]

/** The same for a resource; null = nothing can be read now. */
type Wanted<Id extends ReadId> =
  object extends ReadOptions<Id>
    ? [options?: () => ReadOptions<Id> | null, keeping?: Keeping]
    : [options: () => ReadOptions<Id> | null, keeping?: Keeping]

/** `isKept`: by a store, so that it outlives the views that show it. */
type Keeping = { readonly isKept?: boolean }

/** An answer from the host with everything to report about it. */
export interface Answer<T> {
  /** The part of the answer that fits the contract, unknown fields included; the rest was left out and is among the findings. */
  readonly value: T
  /** Nothing was left out, and nothing promised is missing. */
  readonly conforms: boolean
  /** List entries left out. */
  readonly left: number
  /** Where the lists of `value` are in `raw`: see `sentPlace`. */
  readonly lists: Reading<T>['lists']
  readonly meta: AnswerMeta
  readonly findings: readonly Finding[]
  /** All findings, including those not kept. */
  readonly findingTotal: number
  /** The bytes exactly as sent. */
  readonly raw: ArrayBuffer
}

/** What is to be reported about an answer, for those who keep only a part of its value. */
export type Reported = Pick<Answer<unknown>, 'findings' | 'findingTotal' | 'left'>

export const reportedIn = ({ findings, findingTotal, left }: Answer<unknown>): Reported => ({
  findings,
  findingTotal,
  left,
})

interface Ask {
  readonly signal?: AbortSignal
}

/**
 * Reads a row of the endpoint table that returns JSON, parsed in a worker. Throws `AppError`: `malformed` if the bytes are not JSON
 * (`NOT_JSON`, `TOO_DEEP`) or nothing in them fits the contract (`ANSWER_UNFIT`).
 */
export async function readEndpoint<Id extends JsonId>(
  endpointId: Id,
  ...[options, { signal } = {}]: Behind<Id>
): Promise<Answer<ResponseOf<Id>>> {
  return answerOf(endpointId, options, signal)
}

async function answerOf<Id extends JsonId>(
  endpointId: Id,
  options: Sent | undefined,
  signal: AbortSignal | undefined,
): Promise<Answer<ResponseOf<Id>>> {
  const { meta, bytes } = await ask(endpointId, options, signal)
  const { value, ok, ...parsed } = await parseInWorker(endpointId, bytes)
  if (signal?.aborted) {
    throw cancelled()
  }
  keepAtHand(meta, parsed.bytes)
  keepSeen(meta, parsed.bytes)
  if (!ok) throw notJson(meta, parsed.findings, parsed.bytes)
  if (value === undefined) throw unfit(meta, parsed.findings, parsed.bytes)
  const masked = maskedIn(meta)
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
  endpointId: TextId,
  options: Sent | undefined,
  signal: AbortSignal | undefined,
): Promise<Answer<string>> {
  const { meta, bytes } = await ask(endpointId, options, signal)
  keepAtHand(meta, bytes)
  const { text, invalidAt } = decodeUtf8(new Uint8Array(bytes))
  const findings: Finding[] = [
    ...maskedIn(meta),
    ...(invalidAt === null ? [] : [{ kind: 'invalid-utf8' as const, offset: invalidAt }]),
  ]
  const said = { conforms: true, left: 0, lists: {}, findings, findingTotal: findings.length }
  return { ...said, value: text, meta, raw: bytes }
}

/** The options of any row, as sent to the service process, which checks them against the row again. */
export interface Sent {
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined
  readonly body?: unknown
  readonly maxBytes?: number
}

/** Asks the service process to read a row, or a route that the host lists. */
export const ask = (
  endpointId: string,
  { params, query, body, maxBytes }: Sent = {},
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

export const maskedIn = ({ masked }: AnswerMeta): Finding[] =>
  masked === undefined ? [] : [{ kind: 'token-masked', count: masked }]

/** Nothing of the answer can be used: reported with the location that doesn't fit, never shown as if it were empty. */
export function unfit({ status, exchangeId }: AnswerMeta, findings: readonly Finding[], sent: ArrayBuffer): AppError {
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

function notJson(meta: AnswerMeta, findings: readonly Finding[], bytes: ArrayBuffer): AppError {
  const deep = findings.some(({ kind }) => kind === 'too-deep')
  const { status, contentType: type, exchangeId } = meta
  const beginning = decodeUtf8(new Uint8Array(bytes.slice(0, 2000))).text
  const begins = firstBytes(new Uint8Array(bytes))
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
export function useRead<Id extends JsonId>(
  endpointId: Id,
  ...[options, keeping]: Wanted<Id>
): Resource<Answer<ResponseOf<Id>>> {
  return useReadAny(endpointId, options, keeping)
}

/** `useRead` for a row that returns text. */
export function useReadText<Id extends TextId>(endpointId: Id, ...[options]: Wanted<Id>): Resource<Answer<string>> {
  return useReading(endpointId, (sent, signal) => textOf(endpointId, sent, signal), options)
}

/** `useRead` for a component that serves several rows: the service process checks what is sent against the row. */
export const useReadAny = <Id extends JsonId>(
  endpointId: Id,
  options?: () => Sent | null,
  keeping?: Keeping,
): Resource<Answer<ResponseOf<Id>>> =>
  useReading(endpointId, (sent, signal) => answerOf(endpointId, sent, signal), options, keeping)

function useReading<T>(
  endpoint: ReadId,
  load: (sent: Sent, signal: AbortSignal) => Promise<Answer<T>>,
  options: () => Sent | null = () => ({}),
  keeping: Keeping = {},
): Resource<Answer<T>> {
  const resource = useResource(
    (signal) => load(options() ?? {}, signal),
    ({ meta }) => ({ readAt: meta.receivedAt, epoch: meta.epoch, bytes: meta.byteLength }),
    { ...keeping, shown: () => ({ endpoint, ...options() }) },
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
export async function readListed(
  endpointId: string,
  { params, query }: Sent,
  signal: AbortSignal,
): Promise<Answer<Unknown>> {
  const { meta, bytes } = await ask(endpointId, { params, query }, signal)
  const { ok, bytes: raw, findings, findingTotal } = await parseInWorker(null, bytes)
  if (signal.aborted) throw cancelled()
  keepAtHand(meta, raw)
  const isText = decodeUtf8(new Uint8Array(raw)).invalidAt === null
  const masked = maskedIn(meta)
  const found = ok ? [...masked, ...findings] : masked
  return {
    value: { is: ok ? 'json' : isText ? 'text' : 'bytes' },
    conforms: true,
    left: 0,
    lists: {},
    meta,
    findings: found,
    findingTotal: ok ? masked.length + findingTotal : masked.length,
    raw,
  }
}
