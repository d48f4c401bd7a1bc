import { withCursor } from '../../shared/bridge/listing-cursor.ts'
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

export interface ListingPage {
  readonly meta: ResponseMeta
  readonly bytes: ArrayBuffer
}

/** The headers of `ListingAccess` belong to an earlier run of the program. */
export class ListingAccessExpiredError extends AppError {
  constructor() {
    super({ kind: 'refused', code: LISTING_ACCESS_EXPIRED, message: 'the access has expired', retryable: true })
  }
}

/** The code of a `ListingAccessExpiredError`, which remains when a worker reports it. */
export const LISTING_ACCESS_EXPIRED = 'LISTING_ACCESS_EXPIRED'

const HEADER_LENGTH_BYTES = 4
/** Pages of this size fill the network buffers, so that few are sent before being read. */
const MIN_LARGE_PAGE_BYTES = 65_536

/**
 * Reads the pages of a listing from streamed responses as long as they are requested in order. The
 * first response has one page; while pages are large, each response has twice as many as the one
 * before. Small pages are requested one by one.
 */
export class ListingReader {
  #frames: ByteFrameReader | null = null
  #abort = new AbortController()
  #isEnded = true
  #maxPages = 1
  /** After a small or unexpected page, the next response gets only one page. */
  #isSinglePage = true

  /**
   * Reads the page with this cursor (null for the first page), from the current response if the
   * page comes next, otherwise from a new response.
   * @throws AppError when the page cannot be read, ListingAccessExpiredError when `access` must be
   *   requested again
   */
  async readPage(access: ListingAccess, id: string, input: ReadInput, cursor: string | null): Promise<ListingPage> {
    if (!this.#isEnded) {
      const page = await this.#next(cursor)
      if (page) return page
    }
    await this.#open(access, id, { ...input, query: withCursor(input.query, cursor) })
    const first = await this.#next(cursor)
    if (first) return first
    throw new AppError(serviceUnreachableError)
  }

  /** Called when no more pages are needed. Closes the connection unless the response has ended. */
  async finish(): Promise<void> {
    const frames = this.#frames
    this.#isEnded = true
    const more = await frames?.readFrame(HEADER_LENGTH_BYTES).catch(() => null)
    if (more && frames === this.#frames) this.close()
  }

  /** Closing the connection cancels the requests to the host. */
  close(): void {
    this.#abort.abort()
    this.#isEnded = true
    this.#frames = null
  }

  async #open({ url, headers }: ListingAccess, id: string, input: ReadInput): Promise<void> {
    this.close()
    const abort = new AbortController()
    this.#abort = abort
    this.#maxPages = this.#isSinglePage ? 1 : Math.min(MAX_LISTED_PAGES, this.#maxPages * 2)
    this.#isSinglePage = false
    const request: ListingRequest = { id, input, maxPages: this.#maxPages }
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
    this.#isEnded = false
  }

  /** Returns null if the response has ended or continues with a different page. */
  async #next(cursor: string | null): Promise<ListingPage | null> {
    const frames = this.#frames
    if (!frames) return null
    try {
      const lengthBytes = await frames.readFrame(HEADER_LENGTH_BYTES)
      if (!lengthBytes) return this.#endResponse()
      const size = new DataView(lengthBytes).getUint32(0)
      const headerBytes = size <= MAX_LISTING_HEADER_BYTES ? await frames.readFrame(size) : null
      if (!headerBytes) throw new AppError(serviceUnreachableError)
      const header = listingPageHeaderSchema.parse(JSON.parse(new TextDecoder().decode(headerBytes)))
      // The service finds the cursor without parsing, so its result may differ from this one.
      if (header.cursor !== cursor) {
        this.#isSinglePage = true
        return this.#endResponse()
      }
      if ('error' in header) throw fromWireError(header.error)
      const bytes = await frames.readFrame(header.byteLength)
      if (!bytes) throw new AppError(serviceUnreachableError)
      this.#isSinglePage ||= bytes.byteLength < MIN_LARGE_PAGE_BYTES
      return { meta: header.meta, bytes }
    } catch (error) {
      this.close()
      throw error instanceof AppError ? error : new AppError(serviceUnreachableError)
    }
  }

  #endResponse(): null {
    this.close()
    return null
  }
}
