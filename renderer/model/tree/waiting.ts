/** The ids of the cards that are here. */
interface Known {
  idOf(index: number): string
  /** -1 = not here. */
  indexOf(id: string): number
}

/** Cards whose parent is on a later page of the listing, or nowhere. */
export class Waiting {
  /** Children by the id of the parent that they wait for. */
  readonly #children = new Map<string, number[]>()
  readonly #known: Known

  constructor(known: Known) {
    this.#known = known
  }

  add(parent: string, child: number): void {
    const queue = this.#children.get(parent)
    if (queue) queue.push(child)
    else this.#children.set(parent, [child])
  }

  /** Children whose parent is among the new cards: child and parent, alternating, in the order of the parents. */
  resolve(start: number, end: number): Int32Array<ArrayBuffer> {
    const pairs: number[] = []
    for (const parent of this.#arrived(start, end)) {
      const id = this.#known.idOf(parent)
      const children = id === '' ? undefined : this.#children.get(id)
      if (!children) continue
      this.#children.delete(id)
      for (const child of children) pairs.push(child, parent)
    }
    return Int32Array.from(pairs)
  }

  /** Indexes of cards that may be waited for, ascending. */
  #arrived(start: number, end: number): number[] {
    const few = this.#children.size < end - start
    if (!few) return Array.from({ length: end - start }, (_, n) => start + n)
    // Usually nearly nothing waits, and looking for that is quicker than making a text of each new id.
    const known = Array.from(this.#children.keys(), (id) => this.#known.indexOf(id))
    return known.filter((index) => index >= 0).sort((a, b) => a - b)
  }
}
