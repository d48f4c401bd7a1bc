/** The members of Node's `Buffer` that reading a recording uses, for the same code in browsers. */
export class PageBuffer extends Uint8Array {
  static alloc(length: number): PageBuffer {
    return new PageBuffer(length)
  }

  static allocUnsafe(length: number): PageBuffer {
    return new PageBuffer(length)
  }

  static fromText(text: string): PageBuffer {
    return new PageBuffer(new TextEncoder().encode(text).buffer)
  }

  static concat(parts: readonly Uint8Array[]): PageBuffer {
    const joined = new PageBuffer(parts.reduce((sum, { length }) => sum + length, 0))
    let offset = 0
    for (const part of parts) {
      joined.set(part, offset)
      offset += part.length
    }
    return joined
  }

  override subarray(start?: number, end?: number): PageBuffer {
    return super.subarray(start, end) as PageBuffer
  }

  readUInt16LE(offset: number): number {
    return this.#view.getUint16(offset, true)
  }

  readUInt32LE(offset: number): number {
    return this.#view.getUint32(offset, true)
  }

  readBigUInt64LE(offset: number): bigint {
    return this.#view.getBigUint64(offset, true)
  }

  writeUInt16LE(value: number, offset: number): void {
    this.#view.setUint16(offset, value, true)
  }

  writeUInt32LE(value: number, offset: number): void {
    this.#view.setUint32(offset, value, true)
  }

  writeBigUInt64LE(value: bigint, offset: number): void {
    this.#view.setBigUint64(offset, value, true)
  }

  /** Writes a text of Latin-1, such as the name of an entry. */
  write(text: string, offset: number): void {
    for (let index = 0; index < text.length; index += 1) this[offset + index] = text.charCodeAt(index)
  }

  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.every((byte, index) => byte === other[index])
  }

  override toString(encoding: 'utf8' | 'latin1' = 'utf8', start = 0, end = this.length): string {
    const bytes = this.subarray(start, end)
    if (encoding === 'utf8') return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    // The decoder of browsers takes Windows-1252 for Latin-1.
    return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  }

  get #view(): DataView {
    return new DataView(this.buffer, this.byteOffset, this.byteLength)
  }
}
