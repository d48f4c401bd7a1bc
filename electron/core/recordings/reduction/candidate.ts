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
  readonly removedCards: ReadonlySet<string>
}

/** Larger listings stay as they are, because each candidate writes them anew. */
const MAX_LISTING_BYTES = 4 * 1024 * 1024
const MAX_LISTINGS_BYTES = 32 * 1024 * 1024
const digestHeaders: ReadonlySet<string> = new Set(['content-md5', 'digest', 'content-digest', 'repr-digest'])

/** Leaves exchanges and listed cards out of a recording; `nameBody` names a body written anew. */
export async function createCandidateBuilder(recording: ReducibleRecording, nameBody: (bytes: Uint8Array) => string) {
  const listings = await loadListings(recording)
  const cardsByExchanges = new WeakMap<readonly RecordedExchange[], ListedCards>()

  function collectCards(exchanges: readonly RecordedExchange[]): ListedCards {
    const earlier = cardsByExchanges.get(exchanges)
    if (earlier) return earlier
    const cards = collectListedCards(exchanges.flatMap((exchange) => listings.get(exchange) ?? []))
    cardsByExchanges.set(exchanges, cards)
    return cards
  }

  function build(exchanges: readonly RecordedExchange[], removedCards: ReadonlySet<string> = new Set()): Candidate {
    const bodies = new Map<string, Uint8Array>()
    const removeCards = (exchange: RecordedExchange): RecordedExchange => {
      const listing = listings.get(exchange)
      const value = listing && removeListedCards(listing, removedCards, collectCards(exchanges))
      if (!listing || value === listing.value) return exchange
      const bytes = new TextEncoder().encode(JSON.stringify(value))
      const name = nameBody(bytes)
      bodies.set(name, bytes)
      return withBody(exchange, name, bytes.byteLength)
    }
    const reduced = removedCards.size === 0 ? exchanges : exchanges.map(removeCards)
    return {
      exchanges: reduced,
      removedCards,
      readExchanges: () => reduced,
      readBody: async (name) => bodies.get(name) ?? recording.readBody(name),
    }
  }

  return { collectCards, build }
}

async function loadListings(recording: ReducibleRecording): Promise<ReadonlyMap<RecordedExchange, CardListing>> {
  const listings = new Map<RecordedExchange, CardListing>()
  const values = new Map<string, unknown>()
  let byteCount = 0
  for (const exchange of recording.exchanges) {
    const { row, responseBody, response } = exchange
    if (responseBody === null || response.kept > MAX_LISTING_BYTES || !isCardListing(exchange)) continue
    if (!values.has(responseBody)) {
      byteCount += response.kept
      if (byteCount > MAX_LISTINGS_BYTES) break
      values.set(responseBody, parseExactly(await recording.readBody(responseBody)))
    }
    const value = values.get(responseBody)
    if (value !== undefined) listings.set(exchange, { name: `${row.host} ${row.path.split('?', 1)[0] ?? ''}`, value })
  }
  return listings
}

const withBody = (exchange: RecordedExchange, name: string, byteLength: number): RecordedExchange => ({
  ...exchange,
  row: { ...exchange.row, bytes: byteLength },
  responseHeaders: withLength(exchange.responseHeaders, byteLength),
  response: { ...exchange.response, kept: byteLength, total: byteLength },
  responseBody: name,
})

/** @returns undefined for a body that could not be written again as it was */
function parseExactly(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes)
  return mayHaveLongNumber(text) ? undefined : (parseBodyText(text) ?? undefined)
}

const withLength = (headers: readonly Header[], byteLength: number): Header[] =>
  headers
    .filter(([name]) => !digestHeaders.has(name.toLowerCase()))
    .map(([name, value]) => [name, name.toLowerCase() === 'content-length' ? String(byteLength) : value])
