import type { JudgedBody, JudgedExchange } from '../../../shared/contract/judged-exchange.ts'
import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { measureImage } from '../media/image-size.ts'

/** A longer JSON body is not judged, because its values would take several times as much memory. */
const MAX_JUDGED_BYTES = 24 * 1024 * 1024
/** Bytes of a picture in which its size is looked for. */
const MAX_MEASURED_BYTES = 262_144

/** What is known of a body. */
export interface KeptBytes {
  readonly bytes: Uint8Array | null
  /** All bytes that were sent are there. */
  readonly isWhole: boolean
}

type ExchangeFacts = Pick<ExchangeRow, 'method' | 'path' | 'endpoint' | 'mediaType'> & { readonly status: number }

/** Prepares an exchange for `judgeExchange`: parses its bodies and measures its picture. */
export function toJudgedExchange(facts: ExchangeFacts, request: KeptBytes, response: KeptBytes): JudgedExchange {
  const { method, path, endpoint, mediaType, status } = facts
  const isPicture = endpoint !== null && findEndpointById(endpoint)?.response.kind === 'binary' && status < 300
  const requestBody = parseBody(request)
  return {
    ...{ method, path, endpoint, status, mediaType },
    body: isPicture && !/json/.test(mediaType) ? { kind: 'unknown' } : parseBody(response),
    imageSize: isPicture ? measurePicture(mediaType, response.bytes) : null,
    requestBody: requestBody.kind === 'json' ? requestBody.value : undefined,
  }
}

function parseBody({ bytes, isWhole }: KeptBytes): JudgedBody {
  if (!isWhole) return { kind: 'unknown' }
  if (bytes === null || bytes.byteLength === 0) return { kind: 'empty' }
  if (bytes.byteLength > MAX_JUDGED_BYTES) return { kind: 'unknown' }
  try {
    return { kind: 'json', value: JSON.parse(new TextDecoder().decode(bytes)) as unknown }
  } catch {
    return { kind: 'other' }
  }
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
