import { Readable } from 'node:stream'
import type { Agents } from '../wire/agents.ts'
import { contentType, isErrorWhatever, isJsonType, judgeAnswer } from './answer.ts'
import { ERROR_BYTES } from '../wire/decode.ts'
import { openExchange, type WireStream } from '../wire/exchange.ts'
import { MaskStream } from '../../mask/mask.ts'
import { metaOf, type Call } from './prepare.ts'
import { sealed } from '../wire/tls.ts'
import type { BridgeStream } from '../types.ts'
import type { Watch } from './watch.ts'

/** One attempt at a request whose answer is read as a stream. Throws `AppError` only. */
export async function openAnswer(call: Call, watch: Watch, agents: Agents): Promise<BridgeStream> {
  const { token } = call.target
  let wire: WireStream | null = null
  try {
    const onPiece = (piece: Buffer): void => watch.passes(piece)
    wire = await openExchange({ ...call.wire, trace: watch.trace, onSentAgain: watch.again, onPiece }, agents)
    const { id, trace } = watch
    const body = await judged(call, wire)
    watch.follows(wire, (error) => sealed(error, token, id))
    const length = lengthOf(wire)
    const meta = metaOf(call, id, wire, trace.elapsedMs, length ?? 0)
    return { meta, length, body, mask: () => new MaskStream(token), judge: judgeOf(call, wire, id) }
  } catch (thrown) {
    wire?.body.destroy()
    const failure = sealed(thrown, token, watch.id)
    watch.failed(failure)
    throw failure
  }
}

/** The body of a good answer; throws what `judgeAnswer` throws. Only what may be an error is read before it is passed on. */
async function judged({ asked: { endpoint }, wire: { url } }: Call, wire: WireStream): Promise<Readable> {
  const { status, headers, body } = wire
  const ok = status >= 200 && status < 300
  if (ok && !isJsonType(contentType(wire))) return body
  const { bytes, ended } = await beginningOf(body)
  if (!ok || ended) judgeAnswer(endpoint, { status, headers, bytes, cut: !ended }, url)
  if (ended) return Readable.from(bytes.byteLength === 0 ? [] : [bytes], { objectMode: false })
  body.unshift(bytes)
  return body
}

/** Some hosts send an error under the media type of what was asked for, which only the bytes show. */
function judgeOf({ asked: { endpoint }, wire: { url }, target }: Call, wire: WireStream, id: string) {
  const { status, headers } = wire
  return (bytes: Buffer): void => {
    if (status === 206 || !isErrorWhatever(endpoint)) return
    try {
      judgeAnswer(endpoint, { status, headers, bytes: Buffer.from(bytes), cut: false }, url)
    } catch (error) {
      throw sealed(error, target.token, id)
    }
  }
}

async function beginningOf(body: Readable): Promise<{ bytes: Buffer<ArrayBuffer>; ended: boolean }> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body.iterator({ destroyOnReturn: false })) {
    pieces.push(piece as Buffer)
    size += (piece as Buffer).byteLength
    if (size >= ERROR_BYTES) return { bytes: Buffer.concat(pieces), ended: false }
  }
  return { bytes: Buffer.concat(pieces), ended: true }
}

function lengthOf({ headers }: WireStream): number | null {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const length = headers['content-length']
  if (length === undefined || (encoding !== '' && encoding !== 'identity') || !/^\d{1,15}$/.test(length)) return null
  return Number(length)
}
