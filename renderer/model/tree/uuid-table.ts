import { growArray } from './array-growth.ts'
import { UUID_WORDS } from './uuid.ts'

/** Creates no strings: open addressing over the words of all ids. */
export class UuidTable {
  #slots = new Int32Array(1024).fill(-1)
  #size = 0
  #words = new Uint32Array(0)

  /** Reserves memory at once, because growing step by step would rehash every id several times. */
  reserve(cardCount: number): void {
    this.#words = growArray(this.#words, cardCount * UUID_WORDS)
    const slotCount = 2 ** Math.ceil(Math.log2(cardCount * 2 + 2))
    if (slotCount > this.#slots.length) this.#grow(slotCount)
  }

  /** `start` is the index of the first card. Call `add` for each card afterwards. */
  storePage(words: Uint32Array, start: number): void {
    this.#words = growArray(this.#words, start * UUID_WORDS + words.length)
    this.#words.set(words, start * UUID_WORDS)
  }

  get words(): Uint32Array {
    return this.#words
  }

  /** Returns the index that has this id: a lower one than `index` if the id was added before. */
  add(index: number): number {
    if ((this.#size + 1) * 2 > this.#slots.length) this.#grow(this.#slots.length * 2)
    const slot = this.#findSlot(this.#words, index * UUID_WORDS)
    const existing = this.#slots[slot] ?? -1
    if (existing >= 0) return existing
    this.#slots[slot] = index
    this.#size += 1
    return index
  }

  /** Returns the index of the card whose id is at `words[offset]`, or -1. */
  find(words: Uint32Array, offset: number): number {
    return this.#slots[this.#findSlot(words, offset)] ?? -1
  }

  #findSlot(words: Uint32Array, offset: number): number {
    const ownWords = this.#words
    const mask = this.#slots.length - 1
    let slot = hashUuid(words, offset) & mask
    for (;;) {
      const index = this.#slots[slot] ?? -1
      if (index < 0 || isSameUuid(ownWords, index * UUID_WORDS, words, offset)) return slot
      slot = (slot + 1) & mask
    }
  }

  #grow(slotCount: number): void {
    const oldSlots = this.#slots
    this.#slots = new Int32Array(slotCount).fill(-1)
    for (const index of oldSlots) if (index >= 0) this.#slots[this.#findSlot(this.#words, index * UUID_WORDS)] = index
  }
}

export function isSameUuid(words: Uint32Array, offset: number, otherWords: Uint32Array, otherOffset: number): boolean {
  return (
    words[offset + 3] === otherWords[otherOffset + 3] &&
    words[offset + 2] === otherWords[otherOffset + 2] &&
    words[offset + 1] === otherWords[otherOffset + 1] &&
    words[offset] === otherWords[otherOffset]
  )
}

function hashUuid(words: Uint32Array, offset: number): number {
  let value = Math.imul(words[offset] ?? 0, 0x9e3779b1) ^ Math.imul(words[offset + 1] ?? 0, 0x85ebca6b)
  value ^= Math.imul(words[offset + 2] ?? 0, 0xc2b2ae35)
  value = Math.imul(value ^ (value >>> 15), 0x27d4eb2f) ^ (words[offset + 3] ?? 0)
  value = Math.imul(value ^ (value >>> 16), 0x2c1b3c6d)
  return (value ^ (value >>> 13)) >>> 0
}
