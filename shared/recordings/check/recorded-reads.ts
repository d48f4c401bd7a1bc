import { getMember } from '../../json/object.ts'
import type { RequestMeaning } from '../replay/request-meaning.ts'
import type { RecordedExchange } from '../recording.ts'

/** A read with everything that was responded to it. */
export interface RecordedRead {
  readonly method: string
  /** As it was sent, with its query. */
  readonly path: string
  readonly bodyText: string | null
  /** Id of the endpoint; null if the contract does not know the request. */
  readonly endpoint: string | null
  /** The responses in order; the last one is what is expected. */
  readonly exchanges: readonly RecordedExchange[]
}

/** Why a recorded request is not asked again. */
export type UncheckedReason =
  /** It may change something. */
  | 'write'
  /** It takes over the screen of the host. */
  | 'screen'
  /** Its response is a secret, which is not recorded. */
  | 'secret'
  /** The cursor comes from the recorded host, and another host has others. */
  | 'cursor'
  /** Only failures without a response were recorded. */
  | 'unanswered'
  /** The response is not recorded in full. */
  | 'cut'

export interface UncheckedRequest {
  readonly method: string
  readonly path: string
  readonly reason: UncheckedReason
}

/** Collects what of a recording can be asked again, each request once. */
export class RecordedReads {
  readonly #reads = new Map<string, RecordedRead & { readonly exchanges: RecordedExchange[] }>()
  readonly #unchecked = new Map<string, UncheckedRequest>()

  add(exchange: RecordedExchange, meaning: RequestMeaning, bodyText: string | null): void {
    const { row, responseBody, response } = exchange
    // What the program put in place of the host's response says nothing about the host.
    if (row.rule !== null) return
    const { method, path } = row
    const reason = getUncheckedReason(exchange, meaning)
    if (reason !== null) {
      this.#unchecked.set(meaning.key, { method, path, reason })
      return
    }
    if (response.missing !== null || (responseBody === null && row.bytes > 0)) {
      this.#unchecked.set(meaning.key, { method, path, reason: 'cut' })
      return
    }
    const read = this.#reads.get(meaning.key)
    if (read) read.exchanges.push(exchange)
    else this.#reads.set(meaning.key, { method, path, bodyText, endpoint: row.endpoint, exchanges: [exchange] })
  }

  get reads(): readonly RecordedRead[] {
    return [...this.#reads.values()]
  }

  /** Without requests of which another response can be checked. */
  get unchecked(): readonly UncheckedRequest[] {
    return [...this.#unchecked].filter(([key]) => !this.#reads.has(key)).map(([, request]) => request)
  }
}

function getUncheckedReason({ row }: RecordedExchange, meaning: RequestMeaning): UncheckedReason | null {
  const { endpoint, access, listingKey } = meaning
  if (access !== 'read') return 'write'
  if (endpoint?.returnsSecret === true || endpoint?.createsProfile === true) return 'secret'
  if (endpoint && navigates(endpoint.navigationMember, meaning)) return 'screen'
  if (listingKey !== null) return 'cursor'
  return row.state === 'answered' && row.status !== null ? null : 'unanswered'
}

const navigates = (member: string | null, { body, query }: RequestMeaning): boolean =>
  member !== null && (Boolean(getMember(body, member)) || ['true', '1'].includes(query[member] ?? ''))
