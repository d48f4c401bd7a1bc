import { watch } from 'vue'
import { endpoint } from '../../shared/bridge/endpoints/index.ts'
import { AppError } from '../../shared/errors.ts'
import { firstBytes } from '../../shared/format/bytes.ts'
import type { AnswerMeta } from '../../shared/ipc/bridge.ts'
import type { Finding } from '../../shared/json/findings.ts'
import { decodeUtf8 } from '../../shared/json/inspect.ts'
import { call } from '../ipc/call.ts'
import { parseInWorker } from '../workers/client.ts'
import { useResource, type Resource } from './resource.ts'

export interface ReadOptions {
  /** Placeholders of the path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  /** For reads that are a POST. */
  readonly body?: unknown
  /** Decoded bytes of the answer at the most; absent = the setting. */
  readonly maxBytes?: number
}

/** An answer of the host with everything that must be said about it. */
export interface Answer<T> {
  /**
   * What the host sent, unknown fields included. It has the shape `T` where `conforms` is true; otherwise the findings say
   * where it differs, and who shows it must be prepared for that.
   */
  readonly value: T
  readonly conforms: boolean
  readonly meta: AnswerMeta
  readonly findings: readonly Finding[]
  /** All findings, also those beyond the kept ones. */
  readonly findingTotal: number
  /** The bytes exactly as sent. */
  readonly raw: ArrayBuffer
}

/**
 * Reads a row of the endpoint table. JSON is parsed and compared with the contract in a worker; text comes as a string;
 * bytes are only in `raw`. Throws `AppError`; bytes that are no JSON where JSON was promised are `malformed`.
 */
export async function read<T>(
  endpointId: string,
  options: ReadOptions = {},
  { signal }: { signal?: AbortSignal } = {},
): Promise<Answer<T>> {
  const { response } = endpoint(endpointId)
  const { meta, bytes } = await call(
    'bridge.read',
    {
      endpoint: endpointId,
      params: { ...options.params },
      query: { ...options.query },
      // Through JSON, because a reactive proxy does not survive the way to the service process.
      ...(options.body === undefined ? {} : { body: JSON.parse(JSON.stringify(options.body)) as unknown }),
      ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
    },
    signal ? { signal } : {},
  )
  if (response.kind === 'json') return readJson<T>(meta, bytes, signal)
  const text = response.kind === 'text' ? decodeUtf8(new Uint8Array(bytes)) : null
  const invalidAt = text?.invalidAt ?? null
  const findings: Finding[] = [
    ...maskedIn(meta),
    ...(invalidAt === null ? [] : [{ kind: 'invalid-utf8' as const, offset: invalidAt }]),
  ]
  return {
    value: text?.text as T,
    conforms: true,
    meta,
    findings,
    findingTotal: findings.length,
    raw: bytes,
  }
}

const maskedIn = ({ masked }: AnswerMeta): Finding[] =>
  masked === undefined ? [] : [{ kind: 'token-masked', count: masked }]

async function readJson<T>(meta: AnswerMeta, bytes: ArrayBuffer, signal?: AbortSignal): Promise<Answer<T>> {
  const parsed = await parseInWorker(meta.endpoint, bytes)
  if (signal?.aborted) {
    throw new AppError({ kind: 'cancelled', code: 'CANCELLED', message: 'Cancelled.', retryable: true })
  }
  if (!parsed.ok) throw notJson(meta, parsed.findings, parsed.bytes)
  return {
    value: parsed.value as T,
    conforms: parsed.conforms,
    meta,
    findings: [...maskedIn(meta), ...parsed.findings],
    findingTotal: maskedIn(meta).length + parsed.findingTotal,
    raw: parsed.bytes,
  }
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
 * A resource that reads an endpoint; `options` answers null while nothing can be read (not connected yet), and what was
 * read before stays. Reads at once, and again whenever what `options` depends on changes.
 */
export function useRead<T>(endpointId: string, options: () => ReadOptions | null = () => ({})): Resource<Answer<T>> {
  const resource = useResource<Answer<T>>(
    (signal) => read<T>(endpointId, options() ?? {}, { signal }),
    ({ meta }) => ({ readAt: meta.receivedAt, epoch: meta.epoch }),
  )
  let last: string | null = null
  watch(
    () => JSON.stringify(options()),
    (next) => {
      if (next === 'null') {
        resource.cancel()
        return
      }
      // Back after a gap: what was read stands, marked as stale; what failed is the resource's own to read again.
      if (next === last && resource.status.value !== 'idle') return
      // Another thing altogether: its predecessor must not stand in for it.
      if (last !== null && next !== last) resource.reset()
      last = next
      void resource.reload()
    },
    { immediate: true },
  )
  return resource
}
