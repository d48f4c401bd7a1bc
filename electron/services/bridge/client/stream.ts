import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { AppError } from '../../../../shared/errors.ts'
import type { Agents } from '../wire/agents.ts'
import { contentType, isJsonType, judgeAnswer } from './answer.ts'
import { ERROR_BYTES } from '../wire/decode.ts'
import { openExchange, type WireStream } from '../wire/exchange.ts'
import { MaskStream } from '../../mask/mask.ts'
import { metaOf, type Call } from './prepare.ts'
import { sealed } from '../wire/seal.ts'
import type { BridgeStream, Exchange } from '../types.ts'

/** One attempt at a request whose answer is read as a stream. Throws `AppError` only. */
export async function openAnswer(
  call: Call,
  attempt: number,
  agents: Agents,
  onExchange: ((exchange: Exchange) => void) | undefined,
): Promise<BridgeStream> {
  const { asked, target, path, wire: request } = call
  const exchangeId = randomUUID()
  const startedAt = Date.now()
  const started = performance.now()
  const tell = (status: number | null, bytes: number, error: AppError | null): void =>
    onExchange?.({
      id: exchangeId,
      endpoint: asked.endpoint.id,
      method: asked.endpoint.method,
      path,
      attempt,
      startedAt,
      durationMs: performance.now() - started,
      status,
      bytes,
      error: error && { kind: error.kind, ...(error.code === undefined ? {} : { code: error.code }) },
    })
  let wire: WireStream | null = null
  try {
    wire = await openExchange(request, agents)
    const body = await judged(call, wire)
    const { status, ended } = wire
    void ended.then(({ received, error }) => tell(status, received, error && sealed(error, target.token, exchangeId)))
    const length = lengthOf(wire)
    const meta = metaOf(call, exchangeId, wire, performance.now() - started, length ?? 0)
    return { meta, length, body, mask: () => new MaskStream(target.token) }
  } catch (thrown) {
    wire?.body.destroy()
    const failure = sealed(thrown, target.token, exchangeId)
    tell(wire?.status ?? null, 0, failure)
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
