/** Further ids are compared as they are spelled. */
const MAX_PAIRED_IDS = 200_000

/**
 * Ids of one run and those of another run that stand for the same things: each run has its own
 * request ids and its own ids of the cards that it created. An id has at most one partner.
 */
export class IdPairs {
  readonly #afterByBefore = new Map<string, string>()
  readonly #beforeByAfter = new Map<string, string>()
  #areForeign: boolean | null = null

  /**
   * True if the runs have no id in common, because they are of different libraries or a redaction
   * mapped their ids. Then every id has a partner; otherwise only those that a run itself created.
   * Null until ids of both runs are known.
   */
  get areForeign(): boolean | null {
    return this.#areForeign
  }

  /** An id that occurs in both runs stands for the same thing, unless it has another partner. */
  matchShared(ids: ReadonlySet<string>, otherIds: ReadonlySet<string>): void {
    const shared = [...ids].filter((id) => otherIds.has(id))
    for (const id of shared) this.match(id, id, false)
    if (ids.size > 0 && otherIds.size > 0) this.#areForeign ??= shared.length === 0
  }

  /** True if two ids stand for one thing. If `isNew`, ids without partners become partners. */
  match(before: string, after: string, isNew: boolean): boolean {
    const partner = this.#afterByBefore.get(before)
    if (partner !== undefined || this.#beforeByAfter.has(after)) return partner === after
    const canPair = before === after || isNew || this.#areForeign === true
    if (!canPair || this.#afterByBefore.size >= MAX_PAIRED_IDS) return before === after
    this.#afterByBefore.set(before, after)
    this.#beforeByAfter.set(after, before)
    return true
  }

  getAfter(before: string): string | undefined {
    return this.#afterByBefore.get(before)
  }

  hasAfter(after: string): boolean {
    return this.#beforeByAfter.has(after)
  }

  /** The pairs of ids that are spelled differently. */
  list(): { readonly before: string; readonly after: string }[] {
    return [...this.#afterByBefore]
      .filter(([before, after]) => before !== after)
      .map(([before, after]) => ({ before, after }))
  }
}
