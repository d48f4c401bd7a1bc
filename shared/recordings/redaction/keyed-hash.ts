/** Initial values of SHA-256, which BLAKE2s shares. */
const INITIAL = new Int32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
])
/** Order of the words of a block in each of the ten rounds. */
const ORDERS = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
].map((order) => Uint8Array.from(order))
export const HASH_KEY_BYTES = 64
const BLOCK_BYTES = 64
const CHARS_PER_BLOCK = 32

/**
 * BLAKE2s-256 (RFC 7693) of a secret block followed by a text in UTF-16. Who does not know the
 * block can neither compute a hash nor guess the text from it. It is computed here because Web
 * Crypto hashes only asynchronously, which would be too slow for each short text of a listing.
 */
export class KeyedHash {
  readonly #afterKey = Int32Array.from(INITIAL)
  readonly #hash = new Int32Array(8)
  readonly #state = new Int32Array(16)
  readonly #block = new Int32Array(16)

  /** @param key 64 random bytes */
  constructor(key: Uint8Array) {
    if (key.length !== HASH_KEY_BYTES) throw new Error(`a key of ${key.length} bytes`)
    // Parameter block: 32 bytes of output, no key of its own, a plain sequence.
    this.#afterKey[0] = (INITIAL[0] ?? 0) ^ 0x01010020
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
    for (let index = 0; index < 16; index += 1) this.#block[index] = view.getInt32(index * 4, true)
    this.#compress(this.#afterKey, BLOCK_BYTES, false)
  }

  /** Returns eight words, which the next call overwrites. The text must not be empty. */
  hashText(text: string): Int32Array {
    this.#hash.set(this.#afterKey)
    for (let start = 0; start < text.length; start += CHARS_PER_BLOCK) {
      const end = Math.min(text.length, start + CHARS_PER_BLOCK)
      for (let index = 0; index < 16; index += 1) {
        const offset = start + index * 2
        const low = offset < end ? text.charCodeAt(offset) : 0
        const high = offset + 1 < end ? text.charCodeAt(offset + 1) : 0
        this.#block[index] = low | (high << 16)
      }
      this.#compress(this.#hash, BLOCK_BYTES + end * 2, end === text.length)
    }
    return this.#hash
  }

  #compress(hash: Int32Array, byteCount: number, isLast: boolean): void {
    const state = this.#state
    state.set(hash)
    state.set(INITIAL, 8)
    state[12] = (state[12] ?? 0) ^ byteCount
    if (isLast) state[14] = ~(state[14] ?? 0)
    for (const order of ORDERS) {
      this.#mix(0, 4, 8, 12, order[0], order[1])
      this.#mix(1, 5, 9, 13, order[2], order[3])
      this.#mix(2, 6, 10, 14, order[4], order[5])
      this.#mix(3, 7, 11, 15, order[6], order[7])
      this.#mix(0, 5, 10, 15, order[8], order[9])
      this.#mix(1, 6, 11, 12, order[10], order[11])
      this.#mix(2, 7, 8, 13, order[12], order[13])
      this.#mix(3, 4, 9, 14, order[14], order[15])
    }
    for (let index = 0; index < 8; index += 1)
      hash[index] = (hash[index] ?? 0) ^ (state[index] ?? 0) ^ (state[index + 8] ?? 0)
  }

  #mix(ia: number, ib: number, ic: number, id: number, first = 0, second = 0): void {
    const state = this.#state
    let va = state[ia] ?? 0
    let vb = state[ib] ?? 0
    let vc = state[ic] ?? 0
    let vd = state[id] ?? 0
    va = (va + vb + (this.#block[first] ?? 0)) | 0
    vd = rotateRight(vd ^ va, 16)
    vc = (vc + vd) | 0
    vb = rotateRight(vb ^ vc, 12)
    va = (va + vb + (this.#block[second] ?? 0)) | 0
    vd = rotateRight(vd ^ va, 8)
    vc = (vc + vd) | 0
    vb = rotateRight(vb ^ vc, 7)
    state[ia] = va
    state[ib] = vb
    state[ic] = vc
    state[id] = vd
  }
}

const rotateRight = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))
