import { queryAt } from '../../shared/bridge/listing-cursor.ts'
import { AppError, fromWireError, serviceUnreachableError } from '../../shared/errors.ts'
import type { ResponseMeta, ReadInput } from '../../shared/ipc/bridge.ts'
import {
  listingPageHeaderSchema,
  LISTING_MEDIA_TYPE,
  MAX_LISTING_HEADER_BYTES,
  MAX_LISTED_PAGES,
  type ListingAccess,
  type ListingRequest,
} from '../../shared/ipc/listing.ts'
import { ByteFrameReader } from './byte-frame-reader.ts'

/** One page of a listing as it arrived. */
export interface ListingPage {
  readonly meta: ResponseMeta
  readonly bytes: ArrayBuffer
}

/** The door was refused: its headers are those of an earlier run. */
export class ListingAccessExpiredError extends Error {}

const HEADER_LENGTH_BYTES = 4
/** Pages of at least this size fill the buffers on the way, so that the service does not run far ahead. */
const MIN_LARGE_PAGE_BYTES = 65_536

/**
 * Reads the pages of a listing from streamed answers, for as long as they come in the order in which they are asked for. The first answer has
 * one page, and each one twice as many as the one before while they are large; small pages are asked for one by one.
 */
export class ListingReader {
  #frames: ByteFrameReader | null = null
  #abort = new AbortController()
  #ended = true
  #most = 1
  /** A page was small, or not the one that was wanted. */
  #careful = true

  /**
   * The page with this cursor (null = the first one): the next one of the answer that is under way or, if that is another one or there is
   * none, the first of a new answer. Throws `AppError`, and `DoorOutdated`.
   */
  async readPage(door: ListingAccess, id: string, input: ReadInput, cursor: string | null): Promise<ListingPage> {
    if (!this.#ended) {
      const found = await this.#next(cursor)
      if (found) return found
    }
    await this.#open(door, id, { ...input, query: queryAt(input.query, cursor) })
    const first = await this.#next(cursor)
    if (first) return first
    throw new AppError(serviceUnreachableError)
  }

  /** Nothing more is asked for: hangs up, unless the answer is over anyway. */
  async finish(): Promise<void> {
    const frames = this.#frames
    this.#ended = true
    const more = await frames?.readFrame(HEADER_LENGTH_BYTES).catch(() => null)
    if (more && frames === this.#frames) this.close()
  }

  /** Hangs up, which ends the requests to the host. */
  close(): void {
    this.#abort.abort()
    this.#ended = true
    this.#frames = null
  }

  async #open({ url, headers }: ListingAccess, id: string, input: ReadInput): Promise<void> {
    this.close()
    const abort = new AbortController()
    this.#abort = abort
    this.#most = this.#careful ? 1 : Math.min(MAX_LISTED_PAGES, this.#most * 2)
    this.#careful = false
    const request: ListingRequest = { id, input, most: this.#most }
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: abort.signal,
    }).catch(() => null)
    if (response?.status === 401) throw new ListingAccessExpiredError()
    if (response?.headers.get('content-type') !== LISTING_MEDIA_TYPE || !response.body)
      throw new AppError(serviceUnreachableError)
    this.#frames = new ByteFrameReader(response.body)
    this.#ended = false
  }

  /** Null if the answer has ended, or goes on with another page. */
  async #next(cursor: string | null): Promise<ListingPage | null> {
    const frames = this.#frames
    if (!frames) return null
    try {
      const length = await frames.readFrame(HEADER_LENGTH_BYTES)
      if (!length) return this.#over()
      const size = new DataView(length).getUint32(0)
      const head = size <= MAX_LISTING_HEADER_BYTES ? await frames.readFrame(size) : null
      if (!head) throw new AppError(serviceUnreachableError)
      const parsed = listingPageHeaderSchema.parse(JSON.parse(new TextDecoder().decode(head)))
      // The service took the cursor from the bytes without parsing them: here they were.
      if (parsed.cursor !== cursor) {
        this.#careful = true
        return this.#over()
      }
      if ('error' in parsed) throw fromWireError(parsed.error)
      const bytes = await frames.readFrame(parsed.byteLength)
      if (!bytes) throw new AppError(serviceUnreachableError)
      this.#careful ||= bytes.byteLength < MIN_LARGE_PAGE_BYTES
      return { meta: parsed.meta, bytes }
    } catch (error) {
      this.close()
      throw error instanceof AppError ? error : new AppError(serviceUnreachableError)
    }
  }

  #over(): null {
    this.close()
    return null
  }
}
