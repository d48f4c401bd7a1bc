/** A longer text is replaced piece by piece, so that it never is in memory as a whole. */
const PIECE_CHARS = 4_096

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1'

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

/** Lets a rewriter for UTF-8 work on another encoding, in which its output is written as well. */
export class TranscodingRewriter implements BodyRewriter {
  readonly #inner: BodyRewriter
  readonly #encoding: Exclude<TextEncoding, 'utf-8'>
  readonly #input
  readonly #output = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #encoder = new TextEncoder()

  constructor(inner: BodyRewriter, encoding: Exclude<TextEncoding, 'utf-8'>) {
    this.#inner = inner
    this.#encoding = encoding
    this.#input = new TextDecoder(encoding, { ignoreBOM: true })
  }

  push(piece: Uint8Array): Uint8Array {
    const text = this.#input.decode(piece, { stream: true })
    return this.#encode(this.#output.decode(this.#inner.push(this.#encoder.encode(text)), { stream: true }))
  }

  end(): Uint8Array {
    const rest = this.#inner.push(this.#encoder.encode(this.#input.decode()))
    const text = this.#output.decode(rest, { stream: true })
    return this.#encode(text + this.#output.decode(this.#inner.end(), { stream: true }) + this.#output.decode())
  }

  #encode(text: string): Uint8Array {
    if (this.#encoding === 'latin1')
      return Uint8Array.from(text, (character) => (character.charCodeAt(0) < 256 ? character.charCodeAt(0) : 63))
    const bytes = Buffer.from(text, 'utf16le')
    return this.#encoding === 'utf-16le' ? bytes : bytes.swap16()
  }
}

/** Returns the encoding of a text by its first bytes and the declared media type. */
export function findEncoding(start: Uint8Array, mediaType: string): TextEncoding {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  const [, charset = ''] = /charset\s*=\s*"?([\w-]+)/i.exec(mediaType) ?? []
  // In UTF-16 every other byte of the first letters is zero.
  if (start[0] !== 0 && start[1] === 0 && start[3] === 0) return 'utf-16le'
  if (start[0] === 0 && start[1] !== 0 && start[2] === 0) return 'utf-16be'
  return /^(?:iso-?8859-1|latin-?1|windows-1252)$/i.test(charset) ? 'latin1' : 'utf-8'
}
