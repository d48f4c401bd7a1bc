/** Initial values of SHA-256, which BLAKE2s shares. */
const INITIAL = new Int32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
])
/** Order of the words of a block in each of the ten rounds, one digit for each. */
const ORDERS = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
]
const orders = Uint8Array.from(ORDERS.join(''), (digit) => Number.parseInt(digit, 16))
export const HASH_KEY_BYTES = 64
const BLOCK_BYTES = 64
const CHARS_PER_BLOCK = 32

/** The words that are hashed now. A member of a class would be read at half the speed. */
const block = new Int32Array(16)

/**
 * BLAKE2s-256 (RFC 7693) of a secret block followed by a text in UTF-16. Who does not know the
 * block can neither compute a hash nor guess the text from it. It is computed here because Web
 * Crypto hashes only asynchronously, which would be too slow for each short text of a listing.
 */
export class KeyedHash {
  readonly #afterKey = Int32Array.from(INITIAL)
  readonly #hash = new Int32Array(8)

  /** @param key 64 random bytes */
  constructor(key: Uint8Array) {
    if (key.length !== HASH_KEY_BYTES) throw new Error(`a key of ${key.length} bytes`)
    // Parameter block: 32 bytes of output, no key of its own, a plain sequence.
    this.#afterKey[0] = (INITIAL[0] ?? 0) ^ 0x01010020
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
    for (let index = 0; index < 16; index += 1) block[index] = view.getInt32(index * 4, true)
    addBlock(this.#afterKey, BLOCK_BYTES, false)
  }

  /** Returns eight words, which the next call overwrites. The text must not be empty. */
  hashText(text: string): Int32Array {
    const hash = this.#hash
    hash.set(this.#afterKey)
    for (let start = 0; start < text.length; start += CHARS_PER_BLOCK) {
      const end = Math.min(text.length, start + CHARS_PER_BLOCK)
      for (let index = 0; index < 16; index += 1) {
        const offset = start + index * 2
        const low = offset < end ? text.charCodeAt(offset) : 0
        const high = offset + 1 < end ? text.charCodeAt(offset + 1) : 0
        block[index] = low | (high << 16)
      }
      addBlock(hash, BLOCK_BYTES + end * 2, end === text.length)
    }
    return hash
  }
}

// The sixteen words are variables, because mixing them in an array takes three times as long.
function addBlock(hash: Int32Array, byteCount: number, isLast: boolean): void {
  let v0 = hash[0] ?? 0
  let v1 = hash[1] ?? 0
  let v2 = hash[2] ?? 0
  let v3 = hash[3] ?? 0
  let v4 = hash[4] ?? 0
  let v5 = hash[5] ?? 0
  let v6 = hash[6] ?? 0
  let v7 = hash[7] ?? 0
  let v8 = INITIAL[0] ?? 0
  let v9 = INITIAL[1] ?? 0
  let v10 = INITIAL[2] ?? 0
  let v11 = INITIAL[3] ?? 0
  let v12 = (INITIAL[4] ?? 0) ^ byteCount
  let v13 = INITIAL[5] ?? 0
  let v14 = isLast ? ~(INITIAL[6] ?? 0) : (INITIAL[6] ?? 0)
  let v15 = INITIAL[7] ?? 0
  for (let round = 0; round < orders.length; round += 16) {
    v0 = (((v0 + v4) | 0) + (block[orders[round] ?? 0] ?? 0)) | 0
    v12 = rotateRight(v12 ^ v0, 16)
    v8 = (v8 + v12) | 0
    v4 = rotateRight(v4 ^ v8, 12)
    v0 = (((v0 + v4) | 0) + (block[orders[round + 1] ?? 0] ?? 0)) | 0
    v12 = rotateRight(v12 ^ v0, 8)
    v8 = (v8 + v12) | 0
    v4 = rotateRight(v4 ^ v8, 7)
    v1 = (((v1 + v5) | 0) + (block[orders[round + 2] ?? 0] ?? 0)) | 0
    v13 = rotateRight(v13 ^ v1, 16)
    v9 = (v9 + v13) | 0
    v5 = rotateRight(v5 ^ v9, 12)
    v1 = (((v1 + v5) | 0) + (block[orders[round + 3] ?? 0] ?? 0)) | 0
    v13 = rotateRight(v13 ^ v1, 8)
    v9 = (v9 + v13) | 0
    v5 = rotateRight(v5 ^ v9, 7)
    v2 = (((v2 + v6) | 0) + (block[orders[round + 4] ?? 0] ?? 0)) | 0
    v14 = rotateRight(v14 ^ v2, 16)
    v10 = (v10 + v14) | 0
    v6 = rotateRight(v6 ^ v10, 12)
    v2 = (((v2 + v6) | 0) + (block[orders[round + 5] ?? 0] ?? 0)) | 0
    v14 = rotateRight(v14 ^ v2, 8)
    v10 = (v10 + v14) | 0
    v6 = rotateRight(v6 ^ v10, 7)
    v3 = (((v3 + v7) | 0) + (block[orders[round + 6] ?? 0] ?? 0)) | 0
    v15 = rotateRight(v15 ^ v3, 16)
    v11 = (v11 + v15) | 0
    v7 = rotateRight(v7 ^ v11, 12)
    v3 = (((v3 + v7) | 0) + (block[orders[round + 7] ?? 0] ?? 0)) | 0
    v15 = rotateRight(v15 ^ v3, 8)
    v11 = (v11 + v15) | 0
    v7 = rotateRight(v7 ^ v11, 7)
    v0 = (((v0 + v5) | 0) + (block[orders[round + 8] ?? 0] ?? 0)) | 0
    v15 = rotateRight(v15 ^ v0, 16)
    v10 = (v10 + v15) | 0
    v5 = rotateRight(v5 ^ v10, 12)
    v0 = (((v0 + v5) | 0) + (block[orders[round + 9] ?? 0] ?? 0)) | 0
    v15 = rotateRight(v15 ^ v0, 8)
    v10 = (v10 + v15) | 0
    v5 = rotateRight(v5 ^ v10, 7)
    v1 = (((v1 + v6) | 0) + (block[orders[round + 10] ?? 0] ?? 0)) | 0
    v12 = rotateRight(v12 ^ v1, 16)
    v11 = (v11 + v12) | 0
    v6 = rotateRight(v6 ^ v11, 12)
    v1 = (((v1 + v6) | 0) + (block[orders[round + 11] ?? 0] ?? 0)) | 0
    v12 = rotateRight(v12 ^ v1, 8)
    v11 = (v11 + v12) | 0
    v6 = rotateRight(v6 ^ v11, 7)
    v2 = (((v2 + v7) | 0) + (block[orders[round + 12] ?? 0] ?? 0)) | 0
    v13 = rotateRight(v13 ^ v2, 16)
    v8 = (v8 + v13) | 0
    v7 = rotateRight(v7 ^ v8, 12)
    v2 = (((v2 + v7) | 0) + (block[orders[round + 13] ?? 0] ?? 0)) | 0
    v13 = rotateRight(v13 ^ v2, 8)
    v8 = (v8 + v13) | 0
    v7 = rotateRight(v7 ^ v8, 7)
    v3 = (((v3 + v4) | 0) + (block[orders[round + 14] ?? 0] ?? 0)) | 0
    v14 = rotateRight(v14 ^ v3, 16)
    v9 = (v9 + v14) | 0
    v4 = rotateRight(v4 ^ v9, 12)
    v3 = (((v3 + v4) | 0) + (block[orders[round + 15] ?? 0] ?? 0)) | 0
    v14 = rotateRight(v14 ^ v3, 8)
    v9 = (v9 + v14) | 0
    v4 = rotateRight(v4 ^ v9, 7)
  }
  hash[0] = (hash[0] ?? 0) ^ v0 ^ v8
  hash[1] = (hash[1] ?? 0) ^ v1 ^ v9
  hash[2] = (hash[2] ?? 0) ^ v2 ^ v10
  hash[3] = (hash[3] ?? 0) ^ v3 ^ v11
  hash[4] = (hash[4] ?? 0) ^ v4 ^ v12
  hash[5] = (hash[5] ?? 0) ^ v5 ^ v13
  hash[6] = (hash[6] ?? 0) ^ v6 ^ v14
  hash[7] = (hash[7] ?? 0) ^ v7 ^ v15
}

const rotateRight = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))
