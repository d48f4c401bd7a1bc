export class ByteList {
  #bytes = Buffer.allocUnsafe(0)
  #length = 0

  clear(): void {
    this.#length = 0
  }

  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  addBytes(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  addFilled(byte: number, count: number): void {
    this.reserve(count)
    this.#bytes.fill(byte, this.#length, this.#length + count)
    this.#length += count
  }

  addText(text: string): void {
    this.reserve(text.length * 3)
    this.#length += this.#bytes.write(text, this.#length)
  }

  reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}

export function isEqualAt(piece: Buffer, start: number, end: number, bytes: Uint8Array): boolean {
  if (end - start !== bytes.length) return false
  for (let index = 0; index < bytes.length; index += 1) if (piece[start + index] !== bytes[index]) return false
  return true
}

const isDigit = new Uint8Array(256)
for (let byte = 48; byte < 58; byte += 1) isDigit[byte] = 1
const isHexDigit = new Uint8Array(256)
for (const byte of Buffer.from('0123456789abcdefABCDEF')) isHexDigit[byte] = 1

export function isDigitsAt(piece: Buffer, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) if (isDigit[piece[index] ?? 0] === 0) return false
  return true
}

const UUID_BYTES = 36
const HYPHEN = 45
const UUID_HYPHENS: readonly number[] = [8, 13, 18, 23]

export function isUuidAt(piece: Buffer, start: number, end: number): boolean {
  if (end - start !== UUID_BYTES) return false
  for (const index of UUID_HYPHENS) if (piece[start + index] !== HYPHEN) return false
  let digits = 0
  for (let index = start; index < end; index += 1) digits += isHexDigit[piece[index] ?? 0] ?? 0
  return digits === UUID_BYTES - UUID_HYPHENS.length
}
