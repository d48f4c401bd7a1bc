/**
 * Finds a node's index by its id. Uses open addressing over typed arrays: a Map of a million strings would cost ten times the memory, and
 * the ids are kept anyway.
 */
export class IdTable {
  #slots: Int32Array
  #size = 0
  readonly #idAt: (index: number) => string

  /** `idAt` returns the id of an index that was added. */
  constructor(idAt: (index: number) => string, capacity = 1024) {
    this.#idAt = idAt
    this.#slots = new Int32Array(capacity).fill(-1)
  }

  /** Adds the id unless it is there. Returns the index that holds it, which for a duplicate is another one. */
  add(id: string, index: number): number {
    if ((this.#size + 1) * 2 > this.#slots.length) this.#grow(this.#slots.length * 2)
    const slot = this.#slot(id)
    const present = this.#slots[slot] ?? -1
    if (present >= 0) return present
    this.#slots[slot] = index
    this.#size += 1
    return index
  }

  /** The index, or -1. */
  find(id: string): number {
    return this.#slots[this.#slot(id)] ?? -1
  }

  #slot(id: string): number {
    const mask = this.#slots.length - 1
    let slot = hash(id) & mask
    for (;;) {
      const index = this.#slots[slot] ?? -1
      if (index < 0 || this.#idAt(index) === id) return slot
      slot = (slot + 1) & mask
    }
  }

  /** Makes room for this many ids at once: growing step by step would place each of them several times. */
  reserve(ids: number): void {
    const slots = 2 ** Math.ceil(Math.log2(ids * 2 + 2))
    if (slots > this.#slots.length) this.#grow(slots)
  }

  #grow(slots: number): void {
    const old = this.#slots
    this.#slots = new Int32Array(slots).fill(-1)
    for (const index of old) if (index >= 0) this.#slots[this.#slot(this.#idAt(index))] = index
  }
}

function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value ^= value >>> 15
  return Math.imul(value, 0x2c1b3c6d) >>> 0
}
