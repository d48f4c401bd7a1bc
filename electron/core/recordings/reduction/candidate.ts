import { mayHaveLongNumber } from '../../../../shared/json/inspection.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import type { Header } from '../../../../shared/traffic/exchange.ts'
import type { RecordedExchange } from '../../../../shared/recordings/recording.ts'
import type { ReplaySource } from '../replay/replay-timeline.ts'
import {
  collectListedCards,
  isCardListing,
  removeListedCards,
  type CardListing,
  type ListedCards,
} from './listed-cards.ts'

export interface ReducibleRecording {
  readonly exchanges: readonly RecordedExchange[]
  readBody(name: string): Promise<Uint8Array>
}

/** A part of a recording that can be served. */
export interface Candidate extends ReplaySource {
  readonly exchanges: readonly RecordedExchange[]
  /** Cards that were left out of the listings. */
  readonly removedCards: ReadonlySet<string>
}

/** Larger listings stay as they are, because each candidate writes them anew. */
const MAX_LISTING_BYTES = 4 * 1024 * 1024
const MAX_LISTINGS_BYTES = 32 * 1024 * 1024
const digestHeaders: ReadonlySet<string> = new Set(['content-md5', 'digest', 'content-digest', 'repr-digest'])

/** Leaves exchanges, and cards of their listings, out of a recording. */
export class CandidateBuilder {
  readonly #recording: ReducibleRecording
  readonly #listings: ReadonlyMap<RecordedExchange, CardListing>
  readonly #nameBody: (bytes: Uint8Array) => string
  readonly #cards = new WeakMap<readonly RecordedExchange[], ListedCards>()

  private constructor(
    recording: ReducibleRecording,
    listings: ReadonlyMap<RecordedExchange, CardListing>,
    nameBody: (bytes: Uint8Array) => string,
  ) {
    this.#recording = recording
    this.#listings = listings
    this.#nameBody = nameBody
  }

  /** @param nameBody names a body that is written anew */
  static async load(recording: ReducibleRecording, nameBody: (bytes: Uint8Array) => string): Promise<CandidateBuilder> {
    const listings = new Map<RecordedExchange, CardListing>()
    const values = new Map<string, unknown>()
    let byteCount = 0
    for (const exchange of recording.exchanges) {
      const { responseBody, response } = exchange
      if (responseBody === null || response.kept > MAX_LISTING_BYTES || !isCardListing(exchange)) continue
      if (!values.has(responseBody)) {
        byteCount += response.kept
        if (byteCount > MAX_LISTINGS_BYTES) break
        values.set(responseBody, parseExactly(await recording.readBody(responseBody)))
      }
      const value = values.get(responseBody)
      const { row } = exchange
      if (value !== undefined) listings.set(exchange, { name: `${row.host} ${row.path.split('?', 1)[0] ?? ''}`, value })
    }
    return new CandidateBuilder(recording, listings, nameBody)
  }

  /** The cards that the responses list. */
  collectCards(exchanges: readonly RecordedExchange[]): ListedCards {
    const earlier = this.#cards.get(exchanges)
    if (earlier) return earlier
    const cards = collectListedCards(exchanges.flatMap((exchange) => this.#listings.get(exchange) ?? []))
    this.#cards.set(exchanges, cards)
    return cards
  }

  build(exchanges: readonly RecordedExchange[], removedCards: ReadonlySet<string> = new Set()): Candidate {
    const bodies = new Map<string, Uint8Array>()
    const reduced =
      removedCards.size === 0
        ? exchanges
        : exchanges.map((exchange) => this.#removeCards(exchange, removedCards, this.collectCards(exchanges), bodies))
    return {
      exchanges: reduced,
      removedCards,
      readExchanges: () => reduced,
      readBody: async (name) => bodies.get(name) ?? this.#recording.readBody(name),
    }
  }

  #removeCards(
    exchange: RecordedExchange,
    removedCards: ReadonlySet<string>,
    cards: ListedCards,
    bodies: Map<string, Uint8Array>,
  ): RecordedExchange {
    const listing = this.#listings.get(exchange)
    const value = listing && removeListedCards(listing, removedCards, cards)
    if (!listing || value === listing.value) return exchange
    const bytes = new TextEncoder().encode(JSON.stringify(value))
    const name = this.#nameBody(bytes)
    bodies.set(name, bytes)
    const { byteLength } = bytes
    return {
      ...exchange,
      row: { ...exchange.row, bytes: byteLength },
      responseHeaders: withLength(exchange.responseHeaders, byteLength),
      response: { ...exchange.response, kept: byteLength, total: byteLength },
      responseBody: name,
    }
  }
}

/** @returns undefined for a body that could not be written again as it was */
function parseExactly(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes)
  return mayHaveLongNumber(text) ? undefined : (parseBodyText(text) ?? undefined)
}

const withLength = (headers: readonly Header[], byteLength: number): Header[] =>
  headers
    .filter(([name]) => !digestHeaders.has(name.toLowerCase()))
    .map(([name, value]) => [name, name.toLowerCase() === 'content-length' ? String(byteLength) : value])
