import { createHash } from 'node:crypto'
import { decodeBodyText, findBodyEncoding } from '../../../shared/traffic/body-text.ts'

/** A longer text is replaced piece by piece, so that it never is in memory as a whole. */
const PIECE_CHARS = 4_096

/** Rewrites the bytes of a body that arrive in pieces. */
export interface BodyRewriter {
  /** Returns the bytes that are decided; they are valid until the next call. */
  push(piece: Uint8Array): Uint8Array
  end(): Uint8Array
}

/** Redacts a body that is text without a structure that is known. */
export class TextRewriter implements BodyRewriter {
  readonly #redactPiece: (text: string) => string
  #rest = ''
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #encoder = new TextEncoder()

  constructor(redactPiece: (text: string) => string) {
    this.#redactPiece = redactPiece
  }

  push(piece: Uint8Array): Uint8Array {
    const text = this.#rest + this.#decoder.decode(piece, { stream: true })
    let output = ''
    let start = 0
    for (let end = PIECE_CHARS; end < text.length; end = start + PIECE_CHARS) {
      // A character of two units stays whole.
      if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1
      output += this.#redact(text.slice(start, end))
      start = end
    }
    this.#rest = text.slice(start)
    return this.#encoder.encode(output)
  }

  end(): Uint8Array {
    return this.#encoder.encode(this.#redact(this.#rest + this.#decoder.decode()))
  }

  #redact(text: string): string {
    return text === '' ? '' : this.#redactPiece(text)
  }
}

/** Its output is UTF-16 if the encoding is, else UTF-8: there is no encoder for others. */
export class TranscodingRewriter implements BodyRewriter {
  readonly #inner: BodyRewriter
  readonly #encoding: string
  readonly #input
  readonly #output = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #encoder = new TextEncoder()
  readonly #inputHash = createHash('sha256')
  readonly #outputHash = createHash('sha256')
  #isLossless = true

  /** @param encoding as the WHATWG standard names it */
  constructor(inner: BodyRewriter, encoding: string) {
    this.#inner = inner
    this.#encoding = encoding
    this.#input = new TextDecoder(encoding, { ignoreBOM: true })
  }

  get writesUtf8(): boolean {
    return !/^utf-16/.test(this.#encoding)
  }

  /** True at the end if the bytes could be read as text, and the text is still the same. */
  isUnchanged(): boolean {
    return this.#isLossless && this.#inputHash.digest('hex') === this.#outputHash.digest('hex')
  }

  push(piece: Uint8Array): Uint8Array {
    return this.#write(this.#inner.push(this.#read(this.#input.decode(piece, { stream: true }))))
  }

  end(): Uint8Array {
    // The inner rewriter may use the memory of its bytes again.
    const rest = Buffer.from(this.#write(this.#inner.push(this.#read(this.#input.decode()))))
    return Buffer.concat([rest, this.#write(this.#inner.end()), this.#encode(this.#output.decode())])
  }

  #read(text: string): Uint8Array {
    if (text.includes('\ufffd')) this.#isLossless = false
    const bytes = this.#encoder.encode(text)
    this.#inputHash.update(bytes)
    return bytes
  }

  #write(bytes: Uint8Array): Uint8Array {
    this.#outputHash.update(bytes)
    return this.writesUtf8 ? bytes : this.#encode(this.#output.decode(bytes, { stream: true }))
  }

  #encode(text: string): Uint8Array {
    const bytes = Buffer.from(text, 'utf16le')
    return this.#encoding === 'utf-16le' ? bytes : bytes.swap16()
  }
}

/** The encoding as the WHATWG standard names it. JSON that is declared as Latin-1 is UTF-8. */
export function findEncoding(start: Uint8Array, mediaType: string, isJson: boolean): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  // In UTF-16 every other byte of the first letters is zero.
  if (start[0] !== 0 && start[1] === 0 && start[3] === 0) return 'utf-16le'
  if (start[0] === 0 && start[1] !== 0 && start[2] === 0) return 'utf-16be'
  // More bytes may follow.
  const body = { mediaType, missing: 'limit' } as const
  const { text, encoding } = decodeBodyText(start, body)
  const likely = text === null ? findBodyEncoding(start, body).encoding : encoding
  return isJson && likely === 'windows-1252' ? 'utf-8' : likely
}
