import {
  classifyRequest,
  endpoints,
  isJsonEndpointId,
  type EndpointId,
  type EndpointMap,
  type JsonEndpointId,
  type KnownEndpoint,
  type ResponseOf,
} from '../bridge/endpoints/index.ts'
import { compareCapabilities } from '../bridge/capabilities.ts'
import { readResponse } from '../bridge/response-reading.ts'
import { getMember, lookUp } from '../json/object.ts'

/** A read with everything that its request needs. */
export interface PlannedRead {
  readonly endpoint: KnownEndpoint
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | number>>
  /** Absent if the endpoint takes no body. */
  readonly body?: unknown
}

/** A read that is not asked because no response named a value for this parameter or member. */
export interface UnaskedRead {
  readonly endpoint: KnownEndpoint
  readonly missing: string
}

/** Sent as a limit where the contract has one, so that a host that ignores it is noticed. */
const LISTED_NODES = 100
const LISTED_EVENTS = 20
/** The longest edge of a picture in pixels. */
const PICTURE_EDGE_PX = 256
/** Cards that are read in one request. */
const MAX_CARDS = 60
const MAX_SEARCH_CHARS = 40

/** Ids and texts of the host, by the name of the parameter or member that takes them. */
interface KnownValues {
  /** The first of these that the host lists is preferred, because a person has it open. */
  readonly open: {
    topicid?: string | undefined
    bookmd5?: string | undefined
    noteid?: string | undefined
    index?: number
  }
  topicid?: string | undefined
  bookmd5?: string | undefined
  deckId?: string | undefined
  bundleId?: string | undefined
  text?: string | undefined
  readonly noteIds: string[]
  noteContent?: Readonly<Record<string, string>> | undefined
  pageContent?: Readonly<Record<string, string>> | undefined
}

/**
 * Which reads of the contract to ask of a host, as far as the host lists them, in an order in which
 * each response names the ids of the next ones: the library, a study set, its tree, its cards,
 * their parts. Each read is asked once. Nothing is written, and nothing takes over the screen.
 */
export class ReadPlan {
  readonly #values: KnownValues = { open: {}, noteIds: [] }
  #remaining: KnownEndpoint[]
  /** Reads that are left out because the host lists its routes, and not these. */
  unlistedCount = 0

  /** @param excludedIds reads that were already sent */
  constructor(excludedIds: readonly EndpointId[] = []) {
    this.#remaining = endpoints.filter(
      ({ id, access, returnsSecret }) => access === 'read' && !returnsSecret && !excludedIds.includes(id),
    )
  }

  /** Null if no further read can be asked; `listUnasked` then tells what is left. */
  next(): PlannedRead | null {
    const index = this.#remaining.findIndex((endpoint) => this.#findMissing(endpoint) === null)
    const [endpoint] = index < 0 ? [] : this.#remaining.splice(index, 1)
    if (!endpoint) return null
    const query = getQuery(endpoint.id, this.#values)
    const body = getBody(endpoint.id, this.#values)
    return { endpoint, params: this.#getParams(endpoint), query, ...(endpoint.body === null ? {} : { body }) }
  }

  /** Takes ids out of a response. @param body parsed JSON; undefined if it is none */
  addResponse({ endpoint: { id } }: PlannedRead, body: unknown): void {
    if (body === undefined || !isJsonEndpointId(id)) return
    takeValues(id, body, this.#values)
    const capabilities = id === 'capabilities.get' ? readResponse(id, body).value : undefined
    if (!capabilities) return
    const unlistedIds = compareCapabilities(capabilities).missingRowIds
    const listed = this.#remaining.filter((endpoint) => !unlistedIds.includes(endpoint.id))
    this.unlistedCount += this.#remaining.length - listed.length
    this.#remaining = listed
  }

  listUnasked(): readonly UnaskedRead[] {
    return this.#remaining.map((endpoint) => ({ endpoint, missing: this.#findMissing(endpoint) ?? '' }))
  }

  #getParams({ id, parameters }: KnownEndpoint): Record<string, string> {
    const { open, topicid = open.topicid, bookmd5 = open.bookmd5 } = this.#values
    const [noteid] = getNoteIds(this.#values)
    const values = { ...this.#values, topicid, bookmd5, noteid, index: String(open.index ?? 1) }
    const content = getContent(id, this.#values)
    const names = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = content ? lookUp(content, name) : lookUp<unknown>(values, name)
        return typeof value === 'string' && value !== '' ? [[name, value]] : []
      }),
    )
  }

  #findMissing(endpoint: KnownEndpoint): string | null {
    const { id, parameters } = endpoint
    const params = this.#getParams(endpoint)
    const name = parameters.find((parameter) => parameter.in === 'path' && !Object.hasOwn(params, parameter.name))?.name
    // A content has to be one that a card or page names itself.
    if (isContent(id) && getContent(id, this.#values) === undefined) return 'contentId'
    if (name !== undefined) return name
    if (id === 'writing.pencilResult') return 'requestId'
    if (id === 'notes.batchGet' && getNoteIds(this.#values).length === 0) return 'noteIds'
    return id === 'search.get' && this.#values.text === undefined ? 'q' : null
  }
}

/** The card that a person has open comes first, and needs no listing. */
const getNoteIds = ({ open, noteIds }: KnownValues): readonly string[] =>
  [...new Set([...(open.noteid === undefined ? [] : [open.noteid]), ...noteIds])].slice(0, MAX_CARDS)

const isContent = (id: EndpointId): boolean => id === 'notes.content' || id === 'documents.pageContent'

const getContent = (id: EndpointId, { noteContent, pageContent }: KnownValues) =>
  id === 'notes.content' ? noteContent : id === 'documents.pageContent' ? pageContent : undefined

function getQuery(id: EndpointId, { text = '' }: KnownValues): PlannedRead['query'] {
  const queries: EndpointMap<PlannedRead['query']> = {
    'search.get': { q: text },
    'studySets.tree': { limit: LISTED_NODES, sort: 'document' },
    'documents.pages': { start: 1, end: 2 },
    'documents.tocCandidates': { start: 1, end: 2 },
    'documents.pageContent': { maxEdge: PICTURE_EDGE_PX },
    'notes.content': { maxEdge: PICTURE_EDGE_PX },
    'sync.events': { limit: LISTED_EVENTS },
  }
  return queries[id] ?? {}
}

function getBody(id: EndpointId, values: KnownValues): unknown {
  const { text = '' } = values
  const bodies: EndpointMap<unknown> = {
    'notes.batchGet': { noteIds: getNoteIds(values) },
    'documents.locate': { text, page: 1 },
    'studySets.printPreview': { mode: 'keepStructure', densityValue: 0.4 },
  }
  return bodies[id] ?? {}
}

type ValueTakers = { readonly [Id in JsonEndpointId]?: (response: ResponseOf<Id>, values: KnownValues) => void }

/** Names in responses for the reads after them. */
const valueTakers: ValueTakers = {
  'uiState.get'({ state }, { open }) {
    open.topicid ??= state?.topicid ?? undefined
    open.bookmd5 ??= state?.bookmd5 ?? undefined
    open.noteid ??= state?.focusnoteid ?? undefined
  },
  'context.get'({ studySet, documents = [], currentPage, focusedNote }, { open }) {
    if (studySet?.isDeck !== true) open.topicid ??= studySet?.topicid
    const book = documents.find(({ focused }) => focused === true) ?? documents[0]
    open.bookmd5 ??= book?.bookmd5
    open.noteid ??= focusedNote?.noteid
    const page = currentPage?.page
    if (book?.bookmd5 === open.bookmd5 && typeof page === 'number' && Number.isInteger(page) && page >= 1)
      open.index ??= page
  },
  'studySets.list'({ studySets }, values) {
    const set = studySets.find(({ topicid }) => topicid === values.open.topicid) ?? studySets[0]
    values.topicid ??= set?.topicid
    values.text ??= toSearchText(set?.title)
  },
  'writing.context'({ window }, { open }) {
    open.topicid ??= window?.topicid ?? undefined
  },
  'studySets.tree'({ nodes }, { noteIds }) {
    const ids = nodes.map(({ noteid }) => noteid).filter((noteid) => noteid !== '')
    noteIds.push(...[...new Set(ids)].slice(0, MAX_CARDS))
  },
  'studySets.documents'({ documents }, values) {
    const book = documents.find(({ bookmd5 }) => bookmd5 === values.open.bookmd5) ?? documents[0]
    values.bookmd5 ??= book?.bookmd5
    if (values.bookmd5 !== values.open.bookmd5) delete values.open.index
  },
  'decks.list'({ decks }, values) {
    values.deckId ??= decks[0]?.deckId
  },
  'bundles.list'({ bundles }, values) {
    values.bundleId ??= bundles.find(({ bundleId }) => bundleId !== undefined)?.bundleId
  },
  'notes.batchGet'({ items }, values) {
    const toParts = (item: unknown): unknown => getMember(item, 'parts')
    values.noteContent ??=
      items.map((item) => findContentPath(toParts(item), 'notes.content')).find(Boolean) ??
      items.map((item) => findContentId(toParts(item), { noteid: item.noteid })).find(Boolean)
  },
  'documents.pageParts'(response, values) {
    const { open, bookmd5 = open.bookmd5 ?? '' } = values
    const page = { bookmd5, index: String(open.index ?? 1) }
    const [contentId] = [response, ...(response.blanks ?? [])].flatMap((holder) => listContentIds(holder))
    values.pageContent ??=
      findContentPath(response.parts, 'documents.pageContent') ??
      (contentId === undefined ? findContentId(response.parts, page) : { ...page, contentId })
  },
}

/** `contentIds` is the one member of these parts that spec §4 names. */
function listContentIds(holder: unknown): string[] {
  const ids = getMember(holder, 'contentIds')
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string' && id !== '') : []
}

function takeValues<Id extends JsonEndpointId>(id: Id, body: unknown, values: KnownValues): void {
  const take: ValueTakers[Id] = valueTakers[id]
  const { value } = readResponse(id, body)
  if (value !== undefined) take?.(value, values)
}

/** Parameters of the first part with an id, if none has a path: spec §4 names only the id. */
function findContentId(
  parts: unknown,
  holder: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  for (const part of Array.isArray(parts) ? (parts as unknown[]) : []) {
    const [contentId, mimeType = 'image/'] = [getMember(part, 'contentId'), getMember(part, 'mimeType')]
    // A part that has its text beside it needs no content.
    if (typeof contentId !== 'string' || contentId === '' || getMember(part, 'text') !== undefined) continue
    if (typeof mimeType === 'string' && mimeType.startsWith('image/')) return { ...holder, contentId }
  }
  return undefined
}

/** The parameters of the first picture whose path stands in a list of parts. */
function findContentPath(parts: unknown, id: EndpointId): Readonly<Record<string, string>> | undefined {
  for (const part of Array.isArray(parts) ? (parts as unknown[]) : []) {
    const path = getMember(part, 'contentPath')
    const mimeType = getMember(part, 'mimeType')
    if (typeof path !== 'string' || (typeof mimeType === 'string' && !mimeType.startsWith('image/'))) continue
    const { endpoint, params } = classifyRequest('GET', path.replace(/^\/bridge\/v1(?=\/)/, ''))
    if (endpoint?.id === id) return params
  }
  return undefined
}

/** The connection has asked this already. */
const ASKED_WHEN_CONNECTING = ['status.get'] as const
/** After this number of reads in a row without any response, the host is most likely gone. */
const MAX_LOST_IN_A_ROW = 3

export interface ReadOutcome {
  /** Parsed JSON; undefined if there is none. */
  readonly body: unknown
  /** There was no response at all. */
  readonly isLost: boolean
}

/**
 * Asks each read that the connection has not asked, until the host is most likely gone.
 * @param ask resolves with null to stop
 * @returns the plan as far as it was asked, and whether that is to its end
 */
export async function askReads(
  ask: (read: PlannedRead, plan: ReadPlan) => Promise<ReadOutcome | null>,
): Promise<{ readonly plan: ReadPlan; readonly isWhole: boolean }> {
  const plan = new ReadPlan(ASKED_WHEN_CONNECTING)
  let lostInARow = 0
  for (let read = plan.next(); read; read = plan.next()) {
    const outcome = await ask(read, plan)
    if (outcome === null) return { plan, isWhole: false }
    plan.addResponse(read, outcome.body)
    lostInARow = outcome.isLost ? lostInARow + 1 : 0
    if (lostInARow >= MAX_LOST_IN_A_ROW) return { plan, isWhole: false }
  }
  return { plan, isWhole: true }
}

/** One word of a title, which a search most likely finds. */
function toSearchText(title: string | null | undefined): string | undefined {
  const [word = ''] = /[\p{L}\p{N}]+/u.exec(title ?? '') ?? []
  return word === '' ? undefined : [...word].slice(0, MAX_SEARCH_CHARS).join('')
}
