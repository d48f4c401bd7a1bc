import type { JudgedBody, JudgedExchange } from '../../core/contract/judged-exchange.ts'
import { MAX_OBSERVED_ELEMENTS } from '../../core/contract/response-observer.ts'
import { isDecidedByTypes } from '../../core/contract/shape-judge.ts'
import { getSchemaPlan, type SchemaPlan } from '../../../shared/bridge/resources/schema-plan.ts'
import { getMember } from '../../../shared/json/object.ts'
import { parseSharingShapes } from '../../core/json/shared-shapes.ts'
import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { measureImage } from '../media/image-size.ts'
import type { KeptBytes, RecordedExchange } from './recorded-exchange.ts'

/** A longer JSON body is not judged, because its values would take several times as much memory. */
const MAX_JUDGED_BYTES = 24 * 1024 * 1024
/** In shorter bodies, looking for shapes takes longer than parsing. */
const MIN_SHARED_BYTES = 65_536
/** Bytes of a picture in which its size is looked for. */
const MAX_MEASURED_BYTES = 262_144

export function limitBytes(bytes: Uint8Array | null, isWhole: boolean, maxBytes = Infinity): KeptBytes {
  return bytes !== null && bytes.byteLength > maxBytes
    ? { bytes: bytes.subarray(0, maxBytes), isWhole: false }
    : { bytes, isWhole }
}

type ExchangeFacts = Pick<ExchangeRow, 'method' | 'path' | 'endpoint' | 'mediaType'> & { readonly status: number }

/** Prepares an exchange for `judgeExchange`: parses its bodies and measures its picture. */
export function toJudgedExchange(facts: ExchangeFacts, request: KeptBytes, response: KeptBytes): JudgedExchange {
  const { method, path, endpoint, mediaType, status } = facts
  const shape = findShape(endpoint)
  const isPicture = shape?.kind === 'binary' && status < 300
  const plan = shape?.kind === 'json' && status < 300 ? getSchemaPlan(shape.schema) : null
  const requestBody = parseBody(request)
  return {
    method,
    path,
    endpoint,
    status,
    mediaType,
    body: isPicture && !/json/.test(mediaType) ? { kind: 'unknown' } : parseBody(response, plan),
    imageSize: isPicture ? measurePicture(mediaType, response.bytes) : null,
    requestBody: requestBody.kind === 'json' ? requestBody.value : undefined,
  }
}

const findShape = (endpoint: string | null) => (endpoint === null ? undefined : findEndpointById(endpoint))?.response

/** Reads no more of the bodies than is judged. */
export function readJudgedExchange(exchange: RecordedExchange): JudgedExchange {
  const { row, requestSize, responseSize, readRequest, readResponse } = exchange
  const status = row.status ?? 0
  const needsHeadOnly = findShape(row.endpoint)?.kind === 'binary' && status < 300 && !/json/.test(row.mediaType)
  const request = requestSize > MAX_JUDGED_BYTES ? UNREAD : readRequest()
  if (needsHeadOnly) return toJudgedExchange({ ...row, status }, request, readResponse(MAX_MEASURED_BYTES))
  return toJudgedExchange({ ...row, status }, request, responseSize > MAX_JUDGED_BYTES ? UNREAD : readResponse())
}
const UNREAD: KeptBytes = { bytes: null, isWhole: false }

/** Some hosts send errors with the status of a success. */
export function isErrorResponse(status: number | null, body: unknown): boolean {
  const error = getMember(body, 'error')
  return (status ?? 0) >= 400 || (error !== undefined && error !== null)
}

/** @param plan the schema of the response, for long bodies; null if there is none */
export function parseBody({ bytes, isWhole }: KeptBytes, plan: SchemaPlan | null = null): JudgedBody {
  if (!isWhole) return { kind: 'unknown' }
  if (bytes === null || bytes.byteLength === 0) return { kind: 'empty' }
  if (bytes.byteLength > MAX_JUDGED_BYTES) return { kind: 'unknown' }
  const value = bytes.byteLength > MIN_SHARED_BYTES && plan ? parseLongList(bytes, plan) : null
  if (value !== null) return { kind: 'json', value }
  try {
    return { kind: 'json', value: JSON.parse(new TextDecoder().decode(bytes)) as unknown }
  } catch {
    return { kind: 'other' }
  }
}

/** Takes a third of the usual time. Null if the response is not a long list of similar entries. */
function parseLongList(bytes: Uint8Array, plan: SchemaPlan): Record<string, unknown> | null {
  for (const member of plan.kind === 'object' ? plan.members : []) {
    const { element } = { element: null, ...member.plan }
    if (element?.kind !== 'object') continue
    const value = parseSharingShapes({
      text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'),
      listName: member.name,
      // As many values are learned.
      exactEntries: MAX_OBSERVED_ELEMENTS,
      isDecidedByTypes: (entry) => isDecidedByTypes(element, entry),
      parse: (part) => JSON.parse(Buffer.from(part, 'latin1').toString()) as unknown,
    })
    if (value !== null) return value
  }
  return null
}

function measurePicture(mediaType: string, bytes: Uint8Array | null): JudgedExchange['imageSize'] {
  if (bytes === null) return null
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, MAX_MEASURED_BYTES))
  try {
    const size = measureImage(detectPictureType(head) ?? mediaType, head)
    return size === 'more' ? null : size
  } catch {
    return null
  }
}

/** The declared type may be wrong, so the first bytes decide. */
function detectPictureType(head: Buffer): string | null {
  const start = head.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('GIF8')) return 'image/gif'
  if (start.startsWith('BM')) return 'image/bmp'
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'image/webp'
  return start.slice(4) === 'ftypavif' ? 'image/avif' : null
}
