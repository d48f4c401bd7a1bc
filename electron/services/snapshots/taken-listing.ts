import { getMember, isObject } from '../../../shared/json/object.ts'
import { getCardId, toCardDetails, withDetails } from '../../../shared/snapshots/card-content.ts'
import { buildForest } from '../../../shared/snapshots/forest.ts'
import { parsePage, type ReadListing } from './listing-collector.ts'

/** A listing that the user asked for, while the details of its cards are read. */
export class TakenListing {
  readonly #listing: ReadListing
  readonly #detailsById = new Map<string, Record<string, unknown>>()

  constructor(listing: ReadListing) {
    this.#listing = listing
  }

  get topicid(): string {
    return this.#listing.topicid
  }

  get count(): number {
    return this.#listing.forest.count
  }

  get detailed(): number {
    return this.#detailsById.size
  }

  listIds(offset: number, limit: number): string[] {
    return this.#listing.forest.ids.slice(offset, offset + limit)
  }

  /** @param bytes a response of `POST /notes/batch-get` */
  addDetails(bytes: Uint8Array): void {
    const items = getMember(parsePage(bytes), 'items')
    for (const item of Array.isArray(items) ? (items as unknown[]) : []) {
      const id = isObject(item) ? getCardId(item) : ''
      if (isObject(item) && id !== '') this.#detailsById.set(id, toCardDetails(item))
    }
  }

  /** The listing with the details that were read until now. */
  end(): ReadListing {
    if (this.#detailsById.size === 0) return this.#listing
    const { forest } = this.#listing
    let detailed = 0
    const contents = forest.contents.map((content, index) => {
      const details = this.#detailsById.get(forest.ids[index] ?? '')
      if (!details) return content
      detailed += 1
      return withDetails(content, details)
    })
    return {
      ...this.#listing,
      detailed,
      forest: { ...buildForest({ ...forest, contents }), anomalies: forest.anomalies },
    }
  }
}
