const TOKEN_START = 'mnb0.'
/** A token without a profile is recognised by its beginning. */
const HOST_TOKEN = /mnb0\.[\w.~+/=%-]+/gi
const isTokenByte = Array.from({ length: 256 }, (_, byte) => /[\w.~+/=%-]/.test(String.fromCharCode(byte)))

export function maskHostTokens(text: string): string {
  return text.replace(HOST_TOKEN, (token) => '*'.repeat(token.length))
}

/** Masks what follows the beginning of a token in bytes that arrive in pieces. */
export class HostTokenStream {
  /** The last bytes of the earlier pieces, in which a token may have begun. */
  #tail = ''
  #isInToken = false
  maskedCount = 0

  /** Masks in place. */
  push(bytes: Buffer): Buffer {
    let offset = this.#isInToken ? this.#maskToken(bytes, 0) : 0
    const border = (this.#tail + bytes.toString('latin1', 0, TOKEN_START.length - 1)).indexOf(TOKEN_START)
    const tail = this.#tail
    this.#tail = (tail + bytes.toString('latin1', Math.max(0, bytes.length - TOKEN_START.length + 1))).slice(
      1 - TOKEN_START.length,
    )
    if (border >= 0) offset = this.#beginToken(bytes, border + TOKEN_START.length - tail.length)
    for (let start = bytes.indexOf(TOKEN_START, offset); start >= 0; start = bytes.indexOf(TOKEN_START, offset))
      offset = this.#beginToken(bytes, start + TOKEN_START.length)
    return bytes
  }

  #beginToken(bytes: Buffer, start: number): number {
    this.maskedCount += 1
    return this.#maskToken(bytes, start)
  }

  /** @returns the offset behind the token */
  #maskToken(bytes: Buffer, start: number): number {
    let end = start
    while (end < bytes.length && isTokenByte[bytes[end] ?? 0]) end += 1
    bytes.fill('*', start, end)
    this.#isInToken = end === bytes.length
    return end
  }
}
