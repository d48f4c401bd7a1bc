import { PassThrough, pipeline, Transform } from 'node:stream'
import { MaskStream, TokenMask } from '../../mask/mask.ts'
import { decoderFor, encodingOf } from '../wire/decode.ts'
import type { WireRelay } from '../wire/relay-exchange.ts'
import { endToEnd } from '../wire/relay-headers.ts'
import type { RelayAnswer } from '../relay-types.ts'
import { contentType } from './answer.ts'

/** What is no text, whatever the host calls it: nothing in it is masked. */
const media = /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|x-7z-compressed)\b)/i

/** Keeps the token out of an answer that passes through; with none, the answer passes as it came. */
export class Masking {
  readonly #token: string | null
  readonly #method: string
  #inline: MaskStream | null = null

  constructor(token: string | null, method: string) {
    this.#token = token
    this.#method = method
  }

  /** What masks the body while it passes: null where it has to be decoded first, or nothing in it is masked. */
  readonly onHead = (head: Pick<WireRelay, 'status' | 'headers'>): MaskStream | null => {
    if (this.#token === null || this.#isPassed(head)) return null
    if (/^(?:identity)?$/.test(encodingOf(head.headers))) this.#inline = new MaskStream(this.#token)
    return this.#inline
  }

  /** Throws `ENCODING_UNKNOWN` for a text that has to be masked and cannot be read. */
  answer(wire: WireRelay, exchangeId: string): RelayAnswer {
    const { status, statusText, body } = wire
    const passed = endToEnd(wire.rawHeaders)
    const head = { exchangeId, status, statusText }
    if (this.#token === null) return { ...head, headers: passed, body, maskedCount: () => 0 }
    const text = TokenMask.ofOne(this.#token)
    const headers = passed.map(([name, value]) => [text.conceal(name), text.conceal(value)] as const)
    const inHeaders = headers.filter(([, value], at) => value !== passed[at]?.[1]).length
    const inline = this.#inline
    if (inline || this.#isPassed(wire))
      return { ...head, headers, body, maskedCount: () => inHeaders + (inline?.count ?? 0) }
    const decoder = decoderFor(encodingOf(wire.headers)) ?? new PassThrough()
    const mask = new MaskStream(this.#token)
    const masked = new Transform({
      transform: (piece: Buffer, _, done) => done(null, mask.push(piece)),
      flush: (done) => done(null, mask.end()),
    })
    // A failure on one side ends the other; the reader of the last part sees it.
    pipeline(body, decoder, masked, () => undefined)
    const decoded = headers.filter(([name]) => !/^content-(?:encoding|length)$/i.test(name))
    return { ...head, headers: decoded, body: masked, maskedCount: () => inHeaders + mask.count }
  }

  #isPassed(head: Pick<WireRelay, 'status' | 'headers'>): boolean {
    return this.#method === 'HEAD' || head.status === 204 || head.status === 304 || media.test(contentType(head))
  }
}
