import { pipeline, type Readable } from 'node:stream'
import { parsedOr } from './loose-body.ts'
import { MaskTransform } from '../../mask/mask-transform.ts'
import { TextMask } from '../../mask/mask.ts'
import type { Agents } from '../wire/agents.ts'
import { decoderFor, encodingOf } from '../wire/decode.ts'
import { assertInside } from '../wire/raw-path.ts'
import { endToEnd, relayHeaders, type BodyLength } from '../wire/relay-headers.ts'
import { openRelay, type WireRelay } from '../wire/relay-exchange.ts'
import { sealed } from '../wire/seal.ts'
import type { SourceBody } from '../wire/send-source.ts'
import type { RawHeaders } from '../wire/trace.ts'
import type { RelayAnswer, RelayRequest } from '../relay-types.ts'
import type { BridgeRequest, BridgeTarget, ExchangeRecorder, Limits, Relay } from '../types.ts'
import { accessOf } from './access.ts'
import { contentType } from './answer.ts'
import { assertUnlocked } from './gate.ts'
import type { Call } from './prepare.ts'
import { Watch } from './watch.ts'

interface Options {
  readonly agents: Agents
  readonly limits: () => Limits
  readonly recorder?: ExchangeRecorder | undefined
  readonly onWrite?: ((request: BridgeRequest) => void) | undefined
}

/** The largest time limit that a timer takes: what another program asks for may go on for as long as bytes move. */
const NO_LIMIT = 2 ** 31 - 1
/** What is no text, whatever the host calls it: nothing in it is masked. */
const media = /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|x-7z-compressed)\b)/i

/**
 * Passes requests on. The host sees the caller's method, path, headers and body as they came, with the token in place of theirs; the caller
 * sees the host's answer as it came. Only `masked` changes bytes. Each is recorded like any other exchange, which holds neither side up.
 */
export function createRelay({ agents, limits, recorder, onWrite }: Options): Relay['relay'] {
  return async (target, request) => {
    const { endpoint, masked } = request
    const given = bodyOf(request)
    assertUnlocked(endpoint, target.readOnly, given)
    const call = callOf(target, request, limits())
    const writes = accessOf(endpoint, given) === 'write'
    const watch = new Watch(call, 1, null, recorder)
    const seal = (error: unknown) => sealed(error, target.token, watch.id)
    const source = sourceOf(request, watch)
    let keep: (piece: Buffer) => void = () => undefined
    const onPiece = (piece: Buffer): void => keep(piece)
    let wire: WireRelay | null = null
    try {
      if (writes) onWrite?.({ endpoint })
      wire = await openRelay({ ...call.wire, source, trace: watch.trace, onPiece }, agents)
      keep = watch.relays(wire, encodingOf(wire.headers), seal)
      if (writes) void wire.ended.then(() => onWrite?.({ endpoint }))
      return answerOf(wire, watch.id, masked ? target.token : null, request.method)
    } catch (thrown) {
      const failure = seal(thrown)
      wire?.body.destroy(failure)
      if (!wire) watch.failed(failure)
      throw failure
    }
  }
}

/** The value of a body that is at hand: some reads take over the screen if it says so. What cannot be told apart counts as that. */
function bodyOf({ endpoint: { navigatesWith }, body }: RelayRequest): unknown {
  if (navigatesWith === null || body === null) return undefined
  return parsedOr(Buffer.isBuffer(body) ? body : null, { [navigatesWith]: true })
}

function callOf(target: BridgeTarget, request: RelayRequest, limits: Limits): Call {
  const { endpoint, method, rawPath, body, origin, rule, signal } = request
  assertInside(rawPath)
  const url = new URL(target.baseUrl)
  const reads = accessOf(endpoint, bodyOf(request)) === 'read'
  const plain = request.masked
  const headers = relayHeaders(target, withoutRange(request), lengthOf(request), plain)
  return {
    target,
    asked: { endpoint, origin, ...(rule === undefined ? {} : { rule }) },
    path: rawPath,
    wire: {
      url,
      path: `${url.pathname.replace(/\/$/, '')}${rawPath}`,
      method,
      headers,
      body: Buffer.isBuffer(body) ? body : null,
      file: null,
      tlsFingerprint: target.tlsFingerprint,
      limits: { ...limits, totalTimeoutMs: NO_LIMIT },
      signal,
      repeatable: reads && body === null && (method === 'GET' || method === 'HEAD'),
      json: false,
    },
  }
}

function lengthOf({ body, length }: RelayRequest): BodyLength {
  if (Buffer.isBuffer(body)) return body.byteLength
  if (body === null) return length === 0 ? 0 : null
  return length ?? 'chunked'
}

/** A masked text could be put together from ranges that each cut the token in two. */
function withoutRange({ masked, endpoint, headers }: RelayRequest): RawHeaders {
  if (!masked || endpoint.response.kind === 'binary') return headers
  return headers.filter(([name]) => !/^(?:if-)?range$/i.test(name))
}

function sourceOf({ body, onContinue }: RelayRequest, watch: Watch): SourceBody | undefined {
  if (body === null || Buffer.isBuffer(body)) return undefined
  let at = performance.now()
  const onMoved = (): void => {
    at = performance.now()
  }
  return { stream: body, onPiece: (piece) => watch.sends(piece), onContinue, onMoved, movedAt: () => at }
}

/** Throws `ENCODING_UNKNOWN` for a text that has to be masked and cannot be read. */
function answerOf(wire: WireRelay, exchangeId: string, token: string | null, method: string): RelayAnswer {
  const { status, statusText, body } = wire
  const passed = endToEnd(wire.rawHeaders)
  const head = { exchangeId, status, statusText }
  if (token === null) return { ...head, headers: passed, body, maskedCount: () => 0 }
  const text = TextMask.ofOne(token)
  const clean = passed.map(([name, value]) => [text.conceal(name), text.conceal(value)] as const)
  const isEmpty = method === 'HEAD' || status === 204 || status === 304
  if (isEmpty || media.test(contentType(wire))) return { ...head, headers: clean, body, maskedCount: () => 0 }
  const decoder = decoderFor(encodingOf(wire.headers))
  const mask = new MaskTransform(token)
  const parts = decoder ? ([body, decoder, mask] as const) : ([body, mask] as const)
  // A failure on one side ends the other; the reader of the last part sees it.
  pipeline(parts as readonly [Readable, ...(readonly MaskTransform[])], () => undefined)
  const headers = decoder ? clean.filter(([name]) => !/^content-(?:encoding|length)$/i.test(name)) : clean
  return { ...head, headers, body: mask, maskedCount: () => mask.count }
}
