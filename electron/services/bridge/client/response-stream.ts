import { Readable } from 'node:stream'
import type { HttpAgents } from '../wire/http-agents.ts'
import { getContentType, hasErrorInAnyMediaType, isJsonType, assertSuccess } from './response.ts'
import { MAX_ERROR_BYTES } from '../wire/body-decoder.ts'
import { openWireStream, type WireStream } from '../wire/exchange.ts'
import { MaskStream } from '../../mask/mask.ts'
import { buildResponseMeta, type PreparedRequest } from './prepared-request.ts'
import { toMaskedError } from '../wire/certificate.ts'
import type { BridgeStream } from '../types.ts'
import type { ExchangeObserver } from './exchange-observer.ts'

/** Makes one attempt. Throws `AppError` only. */
export async function openResponseStream(
  prepared: PreparedRequest,
  observer: ExchangeObserver,
  agents: HttpAgents,
): Promise<BridgeStream> {
  const { token } = prepared.target
  let wire: WireStream | null = null
  try {
    const onPiece = (piece: Buffer): void => observer.observeResponsePiece(piece)
    wire = await openWireStream(
      { ...prepared.wireRequest, trace: observer.trace, onResend: observer.startResend, onPiece },
      agents,
    )
    const { id, trace } = observer
    const body = await getSuccessfulBody(prepared, wire)
    observer.endWithBody(wire, (error) => toMaskedError(error, token, id))
    const length = parseContentLength(wire)
    const meta = buildResponseMeta(prepared, id, wire, trace.elapsedMs, length ?? 0)
    return {
      meta,
      length,
      body,
      createMask: () => new MaskStream(token),
      assertNoHostError: createErrorCheck(prepared, wire, id),
    }
  } catch (thrown) {
    wire?.body.destroy()
    const failure = toMaskedError(thrown, token, observer.id)
    observer.recordFailure(failure)
    throw failure
  }
}

/**
 * Returns the body of a successful response. Only a body that may be an error is read here.
 * @throws The errors of `assertSuccess`.
 */
async function getSuccessfulBody(
  { request: { endpoint }, wireRequest: { url } }: PreparedRequest,
  wire: WireStream,
): Promise<Readable> {
  const { status, headers, body } = wire
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && !isJsonType(getContentType(wire))) return body
  const { bytes, isWhole } = await readBeginning(body)
  if (!isSuccess || isWhole) assertSuccess(endpoint, { status, headers, bytes, isTruncated: !isWhole }, url)
  if (isWhole) return Readable.from(bytes.byteLength === 0 ? [] : [bytes], { objectMode: false })
  body.unshift(bytes)
  return body
}

/** Some hosts send an error under the media type of the requested file; only the bytes show it. */
function createErrorCheck(
  { request: { endpoint }, wireRequest: { url }, target }: PreparedRequest,
  wire: WireStream,
  id: string,
) {
  const { status, headers } = wire
  return (bytes: Buffer): void => {
    if (status === 206 || !hasErrorInAnyMediaType(endpoint)) return
    try {
      assertSuccess(endpoint, { status, headers, bytes: Buffer.from(bytes), isTruncated: false }, url)
    } catch (error) {
      throw toMaskedError(error, target.token, id)
    }
  }
}

async function readBeginning(body: Readable): Promise<{ bytes: Buffer<ArrayBuffer>; isWhole: boolean }> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body.iterator({ destroyOnReturn: false })) {
    pieces.push(piece as Buffer)
    size += (piece as Buffer).byteLength
    if (size >= MAX_ERROR_BYTES) return { bytes: Buffer.concat(pieces), isWhole: false }
  }
  return { bytes: Buffer.concat(pieces), isWhole: true }
}

function parseContentLength({ headers }: WireStream): number | null {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const length = headers['content-length']
  if (length === undefined || (encoding !== '' && encoding !== 'identity') || !/^\d{1,15}$/.test(length)) return null
  return Number(length)
}
