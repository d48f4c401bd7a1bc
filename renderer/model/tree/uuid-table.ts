import { growArray } from './array-growth.ts'
import { UUID_WORDS } from './uuid.ts'

/** Finds a card's index by its UUID, without a text: open addressing over the words of all ids. */
export class UuidTable {
  #slots = new Int32Array(1024).fill(-1)
  #size = 0
  #words = new Uint32Array(0)

  /** Makes room for this many cards at once: growing step by step would place each of them several times. */
  reserve(cards: number): void {
    this.#words = growArray(this.#words, cards * UUID_WORDS)
    const slots = 2 ** Math.ceil(Math.log2(cards * 2 + 2))
    if (slots > this.#slots.length) this.#grow(slots)
  }

  /** Keeps the ids of a page, whose first card has the index `start`, so that they can be added. */
  storePage(words: Uint32Array, start: number): void {
    this.#words = growArray(this.#words, start * UUID_WORDS + words.length)
    this.#words.set(words, start * UUID_WORDS)
  }

  /** The words of all ids that were kept. */
  get words(): Uint32Array {
    return this.#words
  }

  /** Adds the id of a card. Returns the index that holds it, which for a duplicate is another one. */
  add(index: number): number {
    if ((this.#size + 1) * 2 > this.#slots.length) this.#grow(this.#slots.length * 2)
    const slot = this.#slot(this.#words, index * UUID_WORDS)
    const present = this.#slots[slot] ?? -1
    if (present >= 0) return present
    this.#slots[slot] = index
    this.#size += 1
    return index
  }

  /** The index of the card whose id is at `words[at]`, or -1. */
  find(words: Uint32Array, at: number): number {
    return this.#slots[this.#slot(words, at)] ?? -1
  }

  #slot(words: Uint32Array, at: number): number {
    const own = this.#words
    const mask = this.#slots.length - 1
    let slot = hash(words, at) & mask
    for (;;) {
      const index = this.#slots[slot] ?? -1
      if (index < 0 || isSameUuid(own, index * UUID_WORDS, words, at)) return slot
      slot = (slot + 1) & mask
    }
  }

  #grow(slots: number): void {
    const old = this.#slots
    this.#slots = new Int32Array(slots).fill(-1)
    for (const index of old) if (index >= 0) this.#slots[this.#slot(this.#words, index * UUID_WORDS)] = index
  }
}

/** Whether two UUIDs are the same. */
export function isSameUuid(a: Uint32Array, at: number, b: Uint32Array, from: number): boolean {
  return a[at + 3] === b[from + 3] && a[at + 2] === b[from + 2] && a[at + 1] === b[from + 1] && a[at] === b[from]
}

function hash(words: Uint32Array, at: number): number {
  let value = Math.imul(words[at] ?? 0, 0x9e3779b1) ^ Math.imul(words[at + 1] ?? 0, 0x85ebca6b)
  value ^= Math.imul(words[at + 2] ?? 0, 0xc2b2ae35)
  value = Math.imul(value ^ (value >>> 15), 0x27d4eb2f) ^ (words[at + 3] ?? 0)
  value = Math.imul(value ^ (value >>> 16), 0x2c1b3c6d)
  return (value ^ (value >>> 13)) >>> 0
}
