import { getEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { getLimit, readHostLimits } from '../../../shared/bridge/host-limits.ts'
import { CursorTrail, getNextCursor, withCursor } from '../../../shared/bridge/listing-cursor.ts'
import { AppError, createRefusedError } from '../../../shared/errors.ts'
import type { IpcInput } from '../../../shared/ipc/index.ts'
import type { Settings } from '../../../shared/ipc/settings.ts'
import { getMember } from '../../../shared/json/object.ts'
import type { Origin } from '../../../shared/traffic/exchange.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient, BridgeRequest, BridgeTarget } from '../bridge/types.ts'
import { documentedLimits } from '../../../shared/bridge/documented-limits.ts'
import { findMembersInLongJson } from '../findings/long-json.ts'
import { parsePage } from './listing-collector.ts'
import type { ListingAddition } from './taken-listing.ts'
import type { SnapshotThread } from './thread/snapshot-thread.ts'

const TREE_ENDPOINT = 'studySets.tree'
const CARDS_ENDPOINT = 'notes.batchGet'

export interface TakeOptions {
  readonly client: BridgeClient
  readonly connection: Connection
  readonly signal: AbortSignal
}

interface Options extends TakeOptions {
  readonly thread: SnapshotThread
  readonly settings: Settings
  /** The thread tells listings apart by it when several are read at the same time. */
  readonly caller: string
}

/** Requests what a snapshot is made of, and posts it to the thread as it arrives. */
export class SnapshotReader {
  readonly #options: Options
  readonly #origin: Origin
  readonly #baseUrl: string

  constructor(options: Options) {
    this.#options = options
    this.#baseUrl = options.connection.target().baseUrl
    this.#origin = { kind: 'place', label: null, caller: options.caller }
  }

  /** @throws the errors of a read */
  async read({ topicid, details, excerpts, palette }: IpcInput<'snapshots.take'>): Promise<void> {
    await this.#readPages(topicid)
    if (palette) await this.#readPalette(topicid)
    if (excerpts) await this.#readExcerpts(topicid)
    if (details) await this.#readDetails()
  }

  async #readPages(topicid: string): Promise<void> {
    const { connection, settings, thread } = this.#options
    const { max } = getLimit(readHostLimits(connection.capabilities()), TREE_ENDPOINT, 'limit')
    const trail = new CursorTrail(null)
    let cursor: string | null = null
    let emptyPages = 0
    do {
      const target = this.#getTarget()
      const query = withCursor({ limit: Math.min(settings.treePageSize, max ?? settings.treePageSize) }, cursor)
      const startedAt = Date.now()
      const bytes = await this.#request({ endpoint: getEndpointById(TREE_ENDPOINT), params: { topicid }, query })
      const { nextCursor, isEmpty } = readPageFacts(bytes)
      const page = { topicid, host: target.baseUrl, instance: target.instanceNonce ?? null, root: '', sort: '' }
      const observed = { ...page, origin: this.#origin, cursor, startedAt, endedAt: Date.now(), bytes }
      thread.sendPage({ page: observed, token: target.token, isRequested: true })
      emptyPages = isEmpty ? emptyPages + 1 : 0
      const step = trail.follow(nextCursor)
      if (step === 'looped' || (step === 'next' && emptyPages > settings.treeEmptyPages)) throw createEndlessError()
      cursor = nextCursor
    } while (cursor !== null)
  }

  async #readPalette(topicid: string): Promise<void> {
    await this.#add({ kind: 'palette' }, { endpoint: getEndpointById('studySets.palette'), params: { topicid } })
  }

  /** Reads the excerpts of each document of the study set, as far as the host lists them. */
  async #readExcerpts(topicid: string): Promise<void> {
    const { thread, caller } = this.#options
    await this.#add({ kind: 'documents' }, { endpoint: getEndpointById('studySets.documents'), params: { topicid } })
    const endpoint = getEndpointById('documents.excerpts')
    for (const document of await thread.ask('listTakenDocuments', caller)) {
      const request = { endpoint, params: { bookmd5: document }, query: { studySet: topicid } }
      await this.#add({ kind: 'excerpts', document }, request).catch((error: unknown) => {
        // The snapshot says of how many documents the excerpts were read.
        if (!(error instanceof AppError && error.kind === 'host')) throw error
      })
    }
  }

  /** Reads each card by itself, in batches as large as the host allows. */
  async #readDetails(): Promise<void> {
    const { connection, thread, caller } = this.#options
    const { max } = getLimit(readHostLimits(connection.capabilities()), CARDS_ENDPOINT, 'noteIds')
    const batchSize = max ?? documentedLimits.batchNoteIds
    for (let offset = 0; ; offset += batchSize) {
      const noteIds = await thread.ask('listTaken', { caller, offset, limit: batchSize })
      if (noteIds.length === 0) return
      await this.#add({ kind: 'details' }, { endpoint: getEndpointById(CARDS_ENDPOINT), body: { noteIds } })
    }
  }

  async #add(addition: ListingAddition, request: BridgeRequest): Promise<void> {
    const { thread, caller } = this.#options
    const { instanceNonce: instance = null, token } = this.#getTarget()
    const bytes = await this.#request(request)
    const response = { addition, instance, endedAt: Date.now(), bytes }
    thread.send('addResponse', { caller, response, token }, [bytes.buffer])
  }

  async #request(request: BridgeRequest): Promise<Uint8Array<ArrayBuffer>> {
    const { client, signal } = this.#options
    const { bytes } = await client.request(this.#getTarget(), { ...request, signal, origin: this.#origin })
    return bytes
  }

  #getTarget(): BridgeTarget {
    const target = this.#options.connection.target()
    if (target.baseUrl !== this.#baseUrl)
      throw createRefusedError('HOST_CHANGED', 'Another host was connected while the snapshot was being read.')
    return target
  }
}

/** A page up to this size is parsed here; of a longer one only some members are read. */
const MAX_PARSED_BYTES = 65_536

function readPageFacts(bytes: Uint8Array): { readonly nextCursor: string | null; readonly isEmpty: boolean } {
  const members = bytes.byteLength > MAX_PARSED_BYTES ? findMembersInLongJson(bytes, ['nextCursor']) : undefined
  if (members) return { nextCursor: getNextCursor(members), isEmpty: false }
  const page = parsePage(bytes)
  const nodes = getMember(page, 'nodes')
  return { nextCursor: getNextCursor(page), isEmpty: Array.isArray(nodes) && nodes.length === 0 }
}

const createEndlessError = (): AppError =>
  new AppError({
    kind: 'malformed',
    code: 'LISTING_ENDLESS',
    retryable: false,
    message: 'The host’s listing does not end: it leads back to a page that was read, or sends only empty ones.',
  })
