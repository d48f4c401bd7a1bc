/**
 * The host's contents (pictures, sound, PDF, files) for the pages. They are opened once, streamed
 * on demand, and never entirely in memory if large. JSON responses are read in `../bridge`. Read
 * this file first, then `content-library.ts` and `content-bytes.ts`.
 */
import { getEndpoint as rowOf } from '../../../shared/bridge/endpoints/index.ts'
import { createCancelledError, createRefusedError } from '../../../shared/errors.ts'
import type { BinaryReply } from '../../../shared/ipc/method-definition.ts'
import { MAX_SLICE_BYTES, type ContentFacts, type OpenContentInput } from '../../../shared/ipc/content.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient, BridgeStream, ByteRange } from '../bridge/types.ts'
import { buildFileName } from './file-name.ts'
import { formatMediaType } from './media-type.ts'
import { ContentHandles, type ContentHandle } from './content-handles.ts'
import { ContentLibrary, type LibraryItem } from './content-library.ts'
import { linkSignals } from './piece-stream.ts'
import { readContentBytes } from './content-bytes.ts'
import {
  createRefusal,
  respondWithContent,
  type ContentRequest,
  type ContentResponse,
  type ByteReader,
} from './content-response.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { createContentSource, type ContentPlan } from './content-source.ts'
import { writePieces } from './file-writer.ts'

/** Maximum requests per page that are under way at the host for complete contents. */
const MAX_CONCURRENT_WHOLE = 6
// Maximum requests per page that are under way for parts of media that is being played.
const MAX_CONCURRENT_PARTS = 8

interface Options {
  readonly cacheBytes?: number
  /** Removes known tokens from a file name, because it is made of values from the host. */
  readonly conceal?: (text: string) => string
}

interface SliceFacts {
  readonly start: number
  readonly total: number | null
}

export interface ContentService {
  /** Throws the host's error, and the errors of `ContentSource`. */
  open(input: OpenContentInput, page: string, signal: AbortSignal): Promise<ContentFacts>
  release(handle: string, page: string): void
  /** Throws `CONTENT_UNKNOWN`, `SLICE_INVALID` and the host's errors. */
  readSlice(
    handle: string,
    start: number,
    end: number,
    page: string,
    signal: AbortSignal,
  ): Promise<BinaryReply<SliceFacts>>
  /** Writes opened content to the file that `choose` returns; false if it returns null. */
  saveToFile(
    handle: string,
    page: string,
    choose: (name: string) => Promise<string | null>,
    signal: AbortSignal,
  ): Promise<boolean>
  /** Serves the request of an element of a page. Failures of the host become a status. */
  serve(request: ContentRequest): Promise<ContentResponse>
  /**
   * Makes contents that a write may have changed be read again when they are next opened.
   * @param idText Text that contains the ids of everything the write changes; null if unknown, in
   * which case all contents are affected. Rendered cards also show other cards, so they are always
   * affected.
   */
  invalidate(idText: string | null): void
  releasePage(page: string): void
  close(): void
  /** Counts for tests: handles, bytes in memory, requests under way or waiting. */
  getUsage(): { handles: number; bytes: number; requests: number }
}

export function createContentService(
  client: BridgeClient,
  connection: Connection,
  options: Options = {},
): ContentService {
  const source = createContentSource(client, connection)
  const fullRequestLimit = new ConcurrencyLimit(MAX_CONCURRENT_WHOLE)
  const partRequestLimit = new ConcurrencyLimit(MAX_CONCURRENT_PARTS)
  const library = new ContentLibrary(source, fullRequestLimit, options.cacheBytes)
  const handles = new ContentHandles(({ item }) => library.release(item))

  /** Requests a part once a slot is free, and frees the slot when the response has ended. */
  async function requestPart(
    plan: ContentPlan,
    page: string,
    range: ByteRange | null,
    signal: AbortSignal,
  ): Promise<BridgeStream> {
    const freeSlot = await partRequestLimit.acquire(page, signal)
    try {
      const stream = await source.open(plan, range, signal)
      stream.body.once('close', freeSlot)
      return stream
    } catch (error) {
      freeSlot()
      throw error
    }
  }

  const readBytes: ByteReader = async function* ({ item, page }, start, end, signal) {
    item.userCount += 1
    try {
      yield* readContentBytes(
        item.content,
        start,
        end,
        (range, stop) => requestPart(item.plan, page, range, stop),
        signal,
      )
    } finally {
      library.release(item)
    }
  }

  function buildItemFileName({ plan, content }: LibraryItem): string {
    return buildFileName(plan.ref, content.head?.sniffed.extension ?? 'bin', options.conceal)
  }

  const getHandle = (id: string, page: string): ContentHandle => {
    const handle = handles.find(id, (handlePage) => handlePage === page)
    if (!handle) throw createRefusedError('CONTENT_UNKNOWN', 'This content is no longer open. Open it again.')
    return handle
  }

  async function open(
    { fresh = false, ...ref }: OpenContentInput,
    page: string,
    signal: AbortSignal,
  ): Promise<ContentFacts> {
    const { item, isCached } = library.use(source.planRequest(ref), page, fresh)
    const { content } = item
    try {
      while (!content.head && content.state !== 'failed') await content.waitForChange(signal)
      if (!content.head) throw content.error ?? createCancelledError()
      const handle = handles.create(page, item)
      // From now on the handle counts as a user of the content.
      item.userCount += 1
      // If the caller cancelled in the meantime, it never learns of the handle.
      if (signal.aborted) handles.release(handle)
      return buildContentFacts(handle, buildItemFileName(item), isCached)
    } finally {
      library.release(item)
    }
  }

  return {
    open,
    release(id, page) {
      const handle = handles.find(id, (handlePage) => handlePage === page)
      if (handle) handles.release(handle)
    },
    async readSlice(id, start, end, page, signal) {
      if (end <= start || end - start > MAX_SLICE_BYTES) {
        throw createRefusedError('SLICE_INVALID', `A slice must have between 1 and ${MAX_SLICE_BYTES} bytes.`, {
          most: MAX_SLICE_BYTES,
        })
      }
      const handle = getHandle(id, page)
      const { content } = handle.item
      const linkedSignals = linkSignals(signal, handle.releaseController.signal)
      try {
        while (content.total === null && content.state === 'arriving') await content.waitForChange(linkedSignals.signal)
        const lastOffset = Math.min(end, content.total ?? end) - 1
        const pieces: Buffer[] = []
        if (lastOffset >= start)
          for await (const piece of readBytes(handle, start, lastOffset, linkedSignals.signal)) pieces.push(piece)
        return { meta: { start, total: content.total }, bytes: joinPieces(pieces) }
      } finally {
        linkedSignals.unlink()
      }
    },
    async saveToFile(id, page, choose, signal) {
      const handle = getHandle(id, page)
      const file = await choose(buildItemFileName(handle.item))
      if (file === null) return false
      const { total } = handle.item.content
      await writePieces(file, readBytes(handle, 0, total === null ? null : total - 1, signal))
      return true
    },
    async serve(request) {
      const handle = handles.find(request.handle, request.canUse)
      if (!handle) return createRefusal(404)
      if (request.method !== 'GET' && request.method !== 'HEAD') return createRefusal(405)
      return respondWithContent(handle, buildItemFileName(handle.item), request, readBytes).catch(() =>
        createRefusal(502),
      )
    },
    invalidate(idText) {
      library.invalidate(({ endpoint, params }) => {
        const { noteid, bookmd5, bundleId } = params
        const ids = [noteid, bookmd5, bundleId].filter((id) => id !== undefined)
        const { response } = rowOf(endpoint)
        const isComposed = response.kind === 'binary' && response.isComposed
        return idText === null || isComposed || ids.some((id) => idText.includes(id))
      })
    },
    releasePage: (page) => handles.releasePage(page),
    close() {
      handles.releaseAll()
      library.close()
    },
    getUsage: () => ({
      handles: handles.count,
      bytes: library.bytes,
      requests: fullRequestLimit.activeCount + partRequestLimit.activeCount,
    }),
  }
}

function buildContentFacts({ id, item }: ContentHandle, name: string, isCached: boolean): ContentFacts {
  const { content } = item
  const { head } = content
  if (!head) throw createCancelledError()
  const { meta, sniffed, isUndecodable } = head
  return {
    handle: id,
    kind: sniffed.kind,
    mediaType: sniffed.mediaType,
    declaredType: formatMediaType(meta.contentType),
    mismatch: sniffed.isMismatch,
    undecodable: isUndecodable,
    byteLength: content.total,
    hostRanges: content.supportsRanges === true,
    fromCache: isCached,
    width: sniffed.size?.width ?? null,
    height: sniffed.size?.height ?? null,
    status: meta.status,
    path: meta.path,
    durationMs: meta.durationMs,
    receivedAt: meta.receivedAt,
    epoch: meta.epoch,
    exchangeId: meta.exchangeId,
    fileName: name,
  }
}

/** Copies the pieces into a buffer of their own, which can be transferred to another thread. */
function joinPieces(pieces: readonly Buffer[]): ArrayBuffer {
  const bytes = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let offset = 0
  for (const piece of pieces) {
    bytes.set(piece, offset)
    offset += piece.byteLength
  }
  return bytes.buffer
}
