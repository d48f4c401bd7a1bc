import { getMember } from '../../../../shared/json/object.ts'
import type { RecordedExchange } from '../../../../shared/recordings/recording.ts'
import { isConditional } from '../replay/replay-timeline.ts'
import type { RequestMeaning } from '../replay/request-meaning.ts'

/** A read with its responses until the next write that is sent again; or such a write. */
export interface RecordedRead {
  readonly method: string
  /** As it was sent, with its query. */
  readonly path: string
  readonly bodyText: string | null
  /** Id of the endpoint; null if the contract does not know the request. */
  readonly endpoint: string | null
  readonly isWrite: boolean
  /** The responses in order; the last one is what is expected. */
  readonly exchanges: readonly RecordedExchange[]
}

export type UncheckedReason =
  /** It may change something. */
  | 'write'
  /** The host only said what it would do, and sent again it would do it. */
  | 'dry-run'
  /** It names what only the recording created. */
  | 'created'
  /** It takes over the screen of the host. */
  | 'screen'
  /** Its response is a secret, which is not recorded. */
  | 'secret'
  /** The cursor comes from the recorded host, and another host has others. */
  | 'cursor'
  /** Its response depends on what the client already had, or is a range of the whole. */
  | 'condition'
  /** A redaction replaced what it asks for. */
  | 'redacted'
  /** Recorded were only failures without a response, or refusals of a token or of a rate. */
  | 'unanswered'
  /** The response is not recorded in full. */
  | 'cut'

export interface UncheckedRequest {
  readonly method: string
  readonly path: string
  readonly reason: UncheckedReason
}

/** Such a response is about the client, whatever it asked for. */
const CLIENT_STATUSES: ReadonlySet<number | null> = new Set([401, 429])

/** Collects each read once or, where writes are sent again, once between two writes. */
export class RecordedReads {
  readonly #leavesRequest: (exchange: RecordedExchange, bodyText: string | null) => boolean
  readonly #areWritesSent: boolean
  readonly #reads: RecordedRead[] = []
  /** Those since the last write, with their responses. */
  readonly #current = new Map<string, RecordedExchange[]>()
  readonly #askedKeys = new Set<string>()
  readonly #unchecked = new Map<string, UncheckedRequest>()

  /** @param leavesRequest whether a redaction left what the request asks for */
  constructor(
    leavesRequest: (exchange: RecordedExchange, bodyText: string | null) => boolean = () => true,
    { areWritesSent = false }: { readonly areWritesSent?: boolean } = {},
  ) {
    this.#leavesRequest = leavesRequest
    this.#areWritesSent = areWritesSent
  }

  add(exchange: RecordedExchange, meaning: RequestMeaning, bodyText: string | null): void {
    const { row, responseBody, response } = exchange
    // A response of the program in place of the host's says nothing about the host.
    if (row.rule !== null) return
    const { method, path } = row
    // A HEAD has the meaning of its GET, but no body.
    const key = `${method} ${meaning.key}`
    const isCut = response.missing !== null || (responseBody === null && row.bytes > 0)
    const reason =
      getUncheckedReason(exchange, meaning, this.#areWritesSent) ??
      (isCut ? 'cut' : this.#leavesRequest(exchange, bodyText) ? null : 'redacted')
    if (reason !== null) {
      this.#unchecked.set(key, { method, path, reason })
      return
    }
    const isWrite = meaning.access !== 'read'
    if (isWrite) this.#current.clear()
    const earlier = this.#current.get(key)
    if (earlier) {
      earlier.push(exchange)
      return
    }
    const exchanges = [exchange]
    if (!isWrite) this.#current.set(key, exchanges)
    this.#askedKeys.add(key)
    this.#reads.push({ method, path, bodyText, endpoint: row.endpoint, isWrite, exchanges })
  }

  get reads(): readonly RecordedRead[] {
    return this.#reads
  }

  /** Leaves out requests of which another response can be checked. */
  get unchecked(): readonly UncheckedRequest[] {
    return [...this.#unchecked].filter(([key]) => !this.#askedKeys.has(key)).map(([, request]) => request)
  }
}

function getUncheckedReason(
  exchange: RecordedExchange,
  meaning: RequestMeaning,
  areWritesSent: boolean,
): UncheckedReason | null {
  const { row } = exchange
  const { endpoint, access, listingKey } = meaning
  const isRead = access === 'read'
  if (!isRead && !areWritesSent) return 'write'
  if (meaning.isDryRun) return 'dry-run'
  if (endpoint?.returnsSecret === true || endpoint?.createsProfile === true) return 'secret'
  if (isRead && endpoint && navigates(endpoint.navigationMember, meaning)) return 'screen'
  if (listingKey !== null) return 'cursor'
  if (row.state !== 'answered' || row.status === null || CLIENT_STATUSES.has(row.status)) return 'unanswered'
  return isConditional(exchange) ? 'condition' : null
}

const navigates = (member: string | null, { body, query }: RequestMeaning): boolean =>
  member !== null && (Boolean(getMember(body, member)) || ['true', '1'].includes(query[member] ?? ''))
