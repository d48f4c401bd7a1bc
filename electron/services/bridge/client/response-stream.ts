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

/** One attempt at a request whose answer is read as a stream. Throws `AppError` only. */
export async function openResponseStream(
  call: PreparedRequest,
  watch: ExchangeObserver,
  agents: HttpAgents,
): Promise<BridgeStream> {
  const { token } = call.target
  let wire: WireStream | null = null
  try {
    const onPiece = (piece: Buffer): void => watch.observeResponsePiece(piece)
    wire = await openWireStream(
      { ...call.wireRequest, trace: watch.trace, onResend: watch.startResend, onPiece },
      agents,
    )
    const { id, trace } = watch
    const body = await judged(call, wire)
    watch.endWithBody(wire, (error) => toMaskedError(error, token, id))
    const length = lengthOf(wire)
    const meta = buildResponseMeta(call, id, wire, trace.elapsedMs, length ?? 0)
    return { meta, length, body, createMask: () => new MaskStream(token), assertNoHostError: judgeOf(call, wire, id) }
  } catch (thrown) {
    wire?.body.destroy()
    const failure = toMaskedError(thrown, token, watch.id)
    watch.recordFailure(failure)
    throw failure
  }
}

/** The body of a good answer; throws what `judgeAnswer` throws. Only what may be an error is read before it is passed on. */
async function judged(
  { request: { endpoint }, wireRequest: { url } }: PreparedRequest,
  wire: WireStream,
): Promise<Readable> {
  const { status, headers, body } = wire
  const ok = status >= 200 && status < 300
  if (ok && !isJsonType(getContentType(wire))) return body
  const { bytes, ended } = await beginningOf(body)
  if (!ok || ended) assertSuccess(endpoint, { status, headers, bytes, isTruncated: !ended }, url)
  if (ended) return Readable.from(bytes.byteLength === 0 ? [] : [bytes], { objectMode: false })
  body.unshift(bytes)
  return body
}

/** Some hosts send an error under the media type of what was asked for, which only the bytes show. */
function judgeOf(
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

async function beginningOf(body: Readable): Promise<{ bytes: Buffer<ArrayBuffer>; ended: boolean }> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body.iterator({ destroyOnReturn: false })) {
    pieces.push(piece as Buffer)
    size += (piece as Buffer).byteLength
    if (size >= MAX_ERROR_BYTES) return { bytes: Buffer.concat(pieces), ended: false }
  }
  return { bytes: Buffer.concat(pieces), ended: true }
}

function lengthOf({ headers }: WireStream): number | null {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const length = headers['content-length']
  if (length === undefined || (encoding !== '' && encoding !== 'identity') || !/^\d{1,15}$/.test(length)) return null
  return Number(length)
}
