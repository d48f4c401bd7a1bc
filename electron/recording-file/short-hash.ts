// SHA-256 of inputs of a few dozen bytes, of which a recording has millions. A call of node:crypto
// takes five times as long for them. Longer ones are hashed by node:crypto.

const BLOCK_BYTES = 64
const ROUNDS = 64
/** Room for the end mark and the length, which every input is followed by. */
const PADDING_BYTES = 9
/** In longer ones the speed of node:crypto counts more than what a call of it costs. */
const MAX_BLOCKS = 3
export const MAX_SHORT_BYTES = MAX_BLOCKS * BLOCK_BYTES - PADDING_BYTES

/** The first 32 bits of the fractions of the roots of the first primes (FIPS 180-4). */
const constants = new Int32Array(ROUNDS)
const initial = new Int32Array(8)
for (let prime = 2, index = 0; index < ROUNDS; prime += 1) {
  if (!isPrime(prime)) continue
  if (index < initial.length) initial[index] = getFraction(Math.sqrt(prime))
  constants[index] = getFraction(Math.cbrt(prime))
  index += 1
}

function isPrime(value: number): boolean {
  for (let divisor = 2; divisor * divisor <= value; divisor += 1) if (value % divisor === 0) return false
  return true
}

function getFraction(value: number): number {
  return Math.floor((value % 1) * 2 ** 32) | 0
}

const schedule = new Int32Array(ROUNDS)
const state = new Int32Array(8)

/**
 * Hashes the first bytes of a buffer and writes the hash to a target. The buffer has to have room
 * for another block, and is overwritten after the input.
 * @param length at most `MAX_SHORT_BYTES`
 */
export function hashShort(input: Uint8Array, length: number, target: Uint8Array, offset: number): void {
  const blocks = Math.ceil((length + PADDING_BYTES) / BLOCK_BYTES)
  const end = blocks * BLOCK_BYTES
  input.fill(0, length, end)
  input[length] = 0x80
  input[end - 2] = length >>> 5
  input[end - 1] = (length << 3) & 0xff
  state.set(initial)
  for (let block = 0; block < blocks; block += 1) addBlock(input, block * BLOCK_BYTES)
  for (let index = 0; index < 8; index += 1) {
    const word = state[index] ?? 0
    target[offset + index * 4] = word >>> 24
    target[offset + index * 4 + 1] = word >>> 16
    target[offset + index * 4 + 2] = word >>> 8
    target[offset + index * 4 + 3] = word
  }
}

// Words have 32 bits and wrap around. One function for reading all three arrays would be slow,
// because they have two types.
function addBlock(bytes: Uint8Array, start: number): void {
  for (let index = 0; index < 16; index += 1) {
    const place = start + index * 4
    schedule[index] =
      ((bytes[place] ?? 0) << 24) |
      ((bytes[place + 1] ?? 0) << 16) |
      ((bytes[place + 2] ?? 0) << 8) |
      (bytes[place + 3] ?? 0)
  }
  for (let index = 16; index < ROUNDS; index += 1) {
    const first = schedule[index - 15] ?? 0
    const second = schedule[index - 2] ?? 0
    // Without the cuts to 32 bits, sums would be made of numbers with fractions.
    const sum = ((schedule[index - 16] ?? 0) + (schedule[index - 7] ?? 0)) | 0
    const low = ((first >>> 7) | (first << 25)) ^ ((first >>> 18) | (first << 14)) ^ (first >>> 3)
    const high = ((second >>> 17) | (second << 15)) ^ ((second >>> 19) | (second << 13)) ^ (second >>> 10)
    schedule[index] = (((sum + low) | 0) + high) | 0
  }
  // The letters are those of FIPS 180-4.
  let wordA = state[0] ?? 0
  let wordB = state[1] ?? 0
  let wordC = state[2] ?? 0
  let wordD = state[3] ?? 0
  let wordE = state[4] ?? 0
  let wordF = state[5] ?? 0
  let wordG = state[6] ?? 0
  let wordH = state[7] ?? 0
  for (let index = 0; index < ROUNDS; index += 1) {
    const high = ((wordE >>> 6) | (wordE << 26)) ^ ((wordE >>> 11) | (wordE << 21)) ^ ((wordE >>> 25) | (wordE << 7))
    const choice = (wordE & wordF) ^ (~wordE & wordG)
    const sum = ((constants[index] ?? 0) + (schedule[index] ?? 0)) | 0
    const first = (((wordH + high) | 0) + ((choice + sum) | 0)) | 0
    const low = ((wordA >>> 2) | (wordA << 30)) ^ ((wordA >>> 13) | (wordA << 19)) ^ ((wordA >>> 22) | (wordA << 10))
    const majority = (wordA & wordB) ^ (wordA & wordC) ^ (wordB & wordC)
    wordH = wordG
    wordG = wordF
    wordF = wordE
    wordE = (wordD + first) | 0
    wordD = wordC
    wordC = wordB
    wordB = wordA
    wordA = (first + ((low + majority) | 0)) | 0
  }
  state[0] = (state[0] ?? 0) + wordA
  state[1] = (state[1] ?? 0) + wordB
  state[2] = (state[2] ?? 0) + wordC
  state[3] = (state[3] ?? 0) + wordD
  state[4] = (state[4] ?? 0) + wordE
  state[5] = (state[5] ?? 0) + wordF
  state[6] = (state[6] ?? 0) + wordG
  state[7] = (state[7] ?? 0) + wordH
}
