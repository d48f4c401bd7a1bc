import { hashText } from '../../../shared/format/text-hash.ts'

/**
 * Finds the index of a node by its id with open addressing in a typed array. A Map of a million
 * strings would take ten times the memory, and the ids are stored elsewhere anyway.
 */
export class IdTable {
  #slots: Int32Array
  #size = 0
  readonly #idAt: (index: number) => string

  /** @param idAt returns the id of an index that was added */
  constructor(idAt: (index: number) => string, capacity = 1024) {
    this.#idAt = idAt
    this.#slots = new Int32Array(capacity).fill(-1)
  }

  /** Returns the index that has this id: a lower one than `index` if the id was added before. */
  add(id: string, index: number): number {
    if ((this.#size + 1) * 2 > this.#slots.length) this.#grow(this.#slots.length * 2)
    const slot = this.#findSlot(id)
    const existing = this.#slots[slot] ?? -1
    if (existing >= 0) return existing
    this.#slots[slot] = index
    this.#size += 1
    return index
  }

  /** Returns -1 if the id is not in the table. */
  find(id: string): number {
    return this.#slots[this.#findSlot(id)] ?? -1
  }

  #findSlot(id: string): number {
    const mask = this.#slots.length - 1
    let slot = hashId(id) & mask
    for (;;) {
      const index = this.#slots[slot] ?? -1
      if (index < 0 || this.#idAt(index) === id) return slot
      slot = (slot + 1) & mask
    }
  }

  /** Reserves memory at once, because growing step by step would rehash every id several times. */
  reserve(count: number): void {
    const slots = 2 ** Math.ceil(Math.log2(count * 2 + 2))
    if (slots > this.#slots.length) this.#grow(slots)
  }

  #grow(slotCount: number): void {
    const oldSlots = this.#slots
    this.#slots = new Int32Array(slotCount).fill(-1)
    for (const index of oldSlots) if (index >= 0) this.#slots[this.#findSlot(this.#idAt(index))] = index
  }
}

function hashId(id: string): number {
  let value = hashText(id)
  value ^= value >>> 15
  return Math.imul(value, 0x2c1b3c6d) >>> 0
}
