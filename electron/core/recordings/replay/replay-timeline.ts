import { collectIds, judgeChangeImpact, type DataChange } from '../../../../shared/bridge/data-change.ts'
import { classifyRequest } from '../../../../shared/bridge/endpoints/index.ts'
import { addToGroup } from '../../add-to-group.ts'
import { getHostApiPath } from '../../../../shared/traffic/exchange-url.ts'
import type { Header } from '../../../../shared/traffic/exchange.ts'
import type { RecordedExchange, RecordingManifest } from '../../../../shared/recordings/recording.ts'
import { listCardIds } from './derived-cards.ts'
import { parseRequestMeaning, type RequestMeaning } from './request-meaning.ts'

/** An open recording file is one. */
export interface ReplaySource {
  /** Yields exchanges in the order in which they began. */
  readExchanges(): AsyncIterable<RecordedExchange> | Iterable<RecordedExchange>
  readBody(name: string): Promise<Uint8Array>
  /** A recording file also tells what the host was. */
  readonly manifest?: { readonly host: RecordingManifest['host'] }
}

interface EntryFacts {
  /** Position among the exchanges. */
  readonly index: number
  readonly writesBefore: number
  /** Number of the write, from 0; null for an exchange that leaves the host's data as they are. */
  readonly write: number | null
  /** The write repeats an earlier one with the same request id, so that it was not done again. */
  readonly isRepeat: boolean
  /** `cut`: the recording lacks a part of the body; `broken`: the connection ended too early. */
  readonly outcome: 'whole' | 'cut' | 'broken'
}

/** An exchange in its place, held as text to save memory, and what is asked of many at once. */
export class TimelineEntry {
  readonly index: number
  readonly writesBefore: number
  readonly write: number | null
  readonly isRepeat: boolean
  readonly outcome: EntryFacts['outcome']
  readonly key: string
  readonly listingKey: string | null
  readonly endpoint: RequestMeaning['endpoint']
  readonly status: number | null
  readonly isHead: boolean
  /** The headers of the request to which another response may be given. */
  readonly conditions: readonly Header[]
  readonly #text: string
  readonly #bodyText: string | null

  constructor(facts: EntryFacts, exchange: RecordedExchange, meaning: RequestMeaning, bodyText: string | null) {
    this.index = facts.index
    this.writesBefore = facts.writesBefore
    this.write = facts.write
    this.isRepeat = facts.isRepeat
    this.outcome = facts.outcome
    this.key = meaning.key
    this.listingKey = meaning.listingKey
    this.endpoint = meaning.endpoint
    this.status = exchange.row.status
    this.isHead = exchange.row.method.toUpperCase() === 'HEAD'
    this.conditions = isConditional(exchange) ? exchange.requestHeaders : NO_HEADERS
    this.#text = JSON.stringify({ ...exchange, requestHeaders: this.conditions, initiator: undefined })
    this.#bodyText = bodyText
  }

  /** Lacks the initiator, and the request headers that change nothing. */
  get exchange(): RecordedExchange {
    return JSON.parse(this.#text) as RecordedExchange
  }

  /** Lacks the body if that is long. */
  get meaning(): RequestMeaning {
    const { row } = this.exchange
    const bodyText = this.#bodyText
    const meaning = parseRequestMeaning({
      method: row.method,
      path: getHostApiPath(row),
      bodyText,
      endpointId: row.endpoint,
    })
    return (bodyText?.length ?? 0) > MAX_NAMED_BODY_CHARS ? { ...meaning, body: undefined } : meaning
  }
}

const NO_HEADERS: readonly Header[] = []

interface RecordedWrite {
  readonly entry: TimelineEntry
  readonly change: DataChange
}

/** It is not named what differs from a longer body of a request. */
const MAX_NAMED_BODY_CHARS = 2_000

/** The exchanges of a recording in their order, without their bodies. */
export type ReplayTimeline = ReturnType<ReturnType<typeof createTimelineBuilder>['build']>

/** Reads a recording once. Of several hosts one is served: no host ever had both libraries. */
export async function buildReplayTimeline(source: ReplaySource): Promise<ReplayTimeline> {
  const builders = new Map<string, ReturnType<typeof createTimelineBuilder>>()
  const countEntries = (host: string): number => builders.get(host)?.countEntries() ?? 0
  for await (const exchange of source.readExchanges()) {
    if (!isFromHost(exchange)) continue
    const host = toHostName(exchange.row.host)
    const builder = builders.get(host) ?? createTimelineBuilder()
    builders.set(host, builder)
    builder.add(exchange, await readRequestText(source, exchange))
  }
  const namedHost = toHostName(source.manifest?.host.baseUrl ?? '')
  const [largestHost = namedHost] = [...builders.keys()].sort(
    (first, second) => countEntries(second) - countEntries(first),
  )
  const host = builders.has(namedHost) ? namedHost : largestHost
  return (builders.get(host) ?? createTimelineBuilder()).build(host)
}

/** The scheme may differ, because a recording is served without TLS. */
const toHostName = (baseUrl: string): string => baseUrl.replace(/^https?:/, '')

function createTimelineBuilder() {
  const entries: TimelineEntry[] = []
  const entriesByKey = new Map<string, TimelineEntry[]>()
  const entriesByCard = new Map<string, TimelineEntry[]>()
  const writes: RecordedWrite[] = []
  const endpointsByPath = new Map<string, string>()
  const doneRequests = new Set<string>()
  /** For each key, one byte per write: 0 while unknown, 1 if it is not concerned, 2 if it is. */
  const concernsByKey = new Map<string, Uint8Array>()

  function add(exchange: RecordedExchange, bodyText: string | null): void {
    const { row } = exchange
    const path = getHostApiPath(row)
    const meaning = parseRequestMeaning({ method: row.method, path, bodyText, endpointId: row.endpoint })
    if (row.endpoint !== null && classifyRequest(meaning.method, meaning.path).endpoint === null)
      endpointsByPath.set(`${meaning.method} ${meaning.path}`, row.endpoint)
    const requestName = `${meaning.requestId ?? ''} ${meaning.key}`
    const isRepeat = meaning.requestId !== null && doneRequests.has(requestName)
    const isWrite = !isRepeat && mayHaveWritten(exchange, meaning)
    const outcome = getOutcome(exchange)
    if (outcome === 'broken' && !isWrite && row.state !== 'failed') return
    const place = { index: entries.length, writesBefore: writes.length, write: isWrite ? writes.length : null }
    const entry = new TimelineEntry({ ...place, isRepeat, outcome }, exchange, meaning, bodyText)
    entries.push(entry)
    if (hasKnownRequest(exchange)) {
      addToGroup(entriesByKey, meaning.key, entry)
      const noteIds = outcome === 'whole' && row.status === 200 ? listCardIds(meaning) : null
      for (const noteid of new Set(noteIds)) addToGroup(entriesByCard, noteid, entry)
    }
    if (!isWrite) return
    if (outcome !== 'broken') doneRequests.add(requestName)
    writes.push({ entry, change: toChange(exchange, meaning) })
  }
  const build = (host: string) => ({
    entries: entries as readonly TimelineEntry[],
    writes: writes as readonly RecordedWrite[],
    /** The exchange is one with the host that is served. */
    isOfHost: ({ row }: RecordedExchange): boolean => toHostName(row.host) === host,
    listEntries: (key: string): readonly TimelineEntry[] => entriesByKey.get(key) ?? [],
    /** The successful reads by ids that asked for this card. */
    listCardEntries: (noteid: string): readonly TimelineEntry[] => entriesByCard.get(noteid) ?? [],
    /** The meaning of a request to the served recording. */
    parseRequest(
      request: Pick<Parameters<typeof parseRequestMeaning>[0], 'method' | 'path' | 'bodyText'>,
      requestIds: ReadonlyMap<string, string>,
    ): RequestMeaning {
      const meaning = parseRequestMeaning(request, requestIds)
      const endpointId = meaning.endpoint ? null : endpointsByPath.get(`${meaning.method} ${meaning.path}`)
      return endpointId ? parseRequestMeaning({ ...request, endpointId }, requestIds) : meaning
    },
    /** The write may have changed what the request returns. */
    isConcerned(write: number, meaning: RequestMeaning): boolean {
      const concerns = concernsByKey.get(meaning.key) ?? new Uint8Array(writes.length)
      if (entriesByKey.has(meaning.key)) concernsByKey.set(meaning.key, concerns)
      if (concerns[write]) return concerns[write] === 2
      const change = writes[write]?.change
      const { params, query, body } = meaning
      const read = { endpoint: meaning.endpoint?.id ?? '', params, query, body }
      // The outcome of a write is no data of the library, but the write brings it about.
      const isOutcome =
        meaning.access === 'read' && meaning.requestId !== null && !!writes[write]?.entry.meaning.requestId
      const isConcerned = change === undefined || isOutcome || judgeChangeImpact(change, read) !== 'no'
      concerns[write] = isConcerned ? 2 : 1
      return isConcerned
    },
  })
  return { countEntries: (): number => entries.length, add, build }
}

/** False if a rule of the program responded, or if the host refused a token. */
const isFromHost = ({ row }: RecordedExchange): boolean => row.rule === null && row.status !== 401

/** The recording has the whole body of the request; that of an upload is never kept. */
const hasKnownRequest = ({ request, requestBody }: RecordedExchange): boolean =>
  request.missing === 'media' || (request.missing === null && (requestBody !== null || request.kept === 0))

async function readRequestText(source: ReplaySource, exchange: RecordedExchange): Promise<string | null> {
  if (exchange.requestBody === null || !hasKnownRequest(exchange)) return null
  return new TextDecoder().decode(await source.readBody(exchange.requestBody))
}

/** Refusals (4xx) and dry runs change nothing. Without a full response, it may be done. */
function mayHaveWritten({ row }: RecordedExchange, { access, isDryRun }: RequestMeaning): boolean {
  if (access === 'read' || isDryRun) return false
  return row.state !== 'answered' || row.status === null || row.status < 300 || row.status >= 500
}

function getOutcome(exchange: RecordedExchange): TimelineEntry['outcome'] {
  const { row, response, responseBody } = exchange
  if (row.state !== 'answered' || row.status === null) return 'broken'
  const isWhole =
    response.missing === null && (responseBody !== null || response.kept === 0) && hasDeclaredRange(exchange)
  return isWhole || row.method === 'HEAD' ? 'whole' : 'cut'
}

/** A part of a picture may have been replaced by something of another length. */
export function hasDeclaredRange({ row, response, responseHeaders }: RecordedExchange): boolean {
  const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(findHeader(responseHeaders, 'content-range') ?? '') ?? []
  return row.status !== 206 || first === undefined || Number(last) - Number(first) + 1 === response.kept
}

function toChange({ row }: RecordedExchange, { endpoint, params, query, body }: RequestMeaning): DataChange {
  return {
    at: row.startedAt,
    cause: null,
    fact: null,
    matters: endpoint?.dataKinds ? [...endpoint.dataKinds] : null,
    ids: collectIds(params, query, body),
    isCertain: true,
  }
}

export function findHeader(headers: readonly Header[], name: string): string | null {
  return headers.find(([headerName]) => headerName.toLowerCase() === name)?.[1] ?? null
}

/** A request with one of these may get another response than one without. */
export const conditionalHeaders = ['range', 'if-range', 'if-none-match', 'if-modified-since'] as const

export function isConditional({ requestHeaders }: Pick<RecordedExchange, 'requestHeaders'>): boolean {
  return conditionalHeaders.some((name) => findHeader(requestHeaders, name) !== null)
}
