import type { ReadAs, ReadHow } from './lenient.ts'
import { toPointer } from '../json/pointer.ts'

type Kind = Omit<ReadAs, 'count'>

/** Logs what was read in another shape, in order, so that the entries of a part that is given up can be removed again. */
export class ReadLog {
  readonly #kinds = new Map<string, Kind>()
  readonly #log: Kind[] = []

  get length(): number {
    return this.#log.length
  }

  /** Drops everything after the first `length` entries. */
  set length(length: number) {
    this.#log.length = length
  }

  add(trail: readonly (string | number)[], name: string | number | undefined, how: ReadHow): void {
    const path = toPointer(trail.map((step) => (typeof step === 'number' ? '*' : step)))
    const key = `${how} ${String(name)} ${path}`
    let kind = this.#kinds.get(key)
    if (!kind) this.#kinds.set(key, (kind = { path, name: String(name ?? ''), how }))
    this.#log.push(kind)
  }

  /** Each kind once, with how often it occurred. */
  summed(): readonly ReadAs[] {
    const counts = new Map<Kind, number>()
    for (const kind of this.#log) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return [...counts].map(([kind, count]) => ({ ...kind, count }))
  }
}
