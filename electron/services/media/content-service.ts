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

/**
 * How many requests for whole contents, and for parts of what is being played, a page may have
 * under way at the host.
 */
const MAX_CONCURRENT_WHOLE = 6
const MAX_CONCURRENT_PARTS = 8

interface Options {
  readonly cacheBytes?: number
  /** Removes known tokens from a text: a file name is made of what the host said. */
  readonly conceal?: (text: string) => string
}

interface Slice {
  readonly start: number
  readonly total: number | null
}

/**
 * The host's contents for the pages of the app: opened once, streamed on demand, never held whole
 * if large.
 */
export interface ContentService {
  /** Throws the host's error, and what `ContentSource` throws. */
  open(input: OpenContentInput, page: string, signal: AbortSignal): Promise<ContentFacts>
  release(handle: string, page: string): void
  /** Throws `CONTENT_UNKNOWN`, `SLICE_INVALID` and the host's errors. */
  readSlice(handle: string, start: number, end: number, page: string, signal: AbortSignal): Promise<BinaryReply<Slice>>
  /** Writes a content to the file that `choose` names; false if it names none. */
  saveToFile(
    handle: string,
    page: string,
    choose: (name: string) => Promise<string | null>,
    signal: AbortSignal,
  ): Promise<boolean>
  /** Serves an element of a page. Never rejects because of the host. */
  serve(request: ContentRequest): Promise<ContentResponse>
  /**
   * Something was written, so whatever is opened from now on is read again. `named` is text that
   * contains the ids of what the write names; null if it names nothing, in which case everything
   * may have changed. A rendered card shows other cards too, so those are always rendered again.
   */
  invalidate(named: string | null): void
  /** The page is gone. */
  releasePage(page: string): void
  close(): void
  /** What is held, for tests: handles, bytes in memory, requests under way or waiting. */
  getUsage(): { handles: number; bytes: number; requests: number }
}

export function createContentService(
  client: BridgeClient,
  connection: Connection,
  options: Options = {},
): ContentService {
  const upstream = createContentSource(client, connection)
  const wholes = new ConcurrencyLimit(MAX_CONCURRENT_WHOLE)
  const parts = new ConcurrencyLimit(MAX_CONCURRENT_PARTS)
  const library = new ContentLibrary(upstream, wholes, options.cacheBytes)
  const handles = new ContentHandles(({ item }) => library.release(item))

  /** Requests a part once a slot is free, and frees the slot when the answer is over. */
  async function part(
    plan: ContentPlan,
    page: string,
    range: ByteRange | null,
    signal: AbortSignal,
  ): Promise<BridgeStream> {
    const leave = await parts.acquire(page, signal)
    try {
      const stream = await upstream.open(plan, range, signal)
      stream.body.once('close', leave)
      return stream
    } catch (error) {
      leave()
      throw error
    }
  }

  const read: ByteReader = async function* ({ item, page }, start, end, signal) {
    item.userCount += 1
    try {
      yield* readContentBytes(item.content, start, end, (range, stop) => part(item.plan, page, range, stop), signal)
    } finally {
      library.release(item)
    }
  }

  function nameOf({ plan, content }: LibraryItem): string {
    return buildFileName(plan.ref, content.head?.sniffed.extension ?? 'bin', options.conceal)
  }

  const own = (id: string, page: string): ContentHandle => {
    const handle = handles.find(id, (of) => of === page)
    if (!handle) throw createRefusedError('CONTENT_UNKNOWN', 'This content is no longer open. Open it again.')
    return handle
  }

  async function open(
    { fresh = false, ...ref }: OpenContentInput,
    page: string,
    signal: AbortSignal,
  ): Promise<ContentFacts> {
    const { item, isCached: found } = library.use(upstream.planRequest(ref), page, fresh)
    const { content } = item
    try {
      while (!content.head && content.state !== 'failed') await content.waitForChange(signal)
      if (!content.head) throw content.error ?? createCancelledError()
      const handle = handles.create(page, item)
      // From now on the handle counts as a user.
      item.userCount += 1
      // If the caller cancelled in the meantime, it never learns of the handle.
      if (signal.aborted) handles.release(handle)
      return factsOf(handle, nameOf(item), found)
    } finally {
      library.release(item)
    }
  }

  return {
    open,
    release(id, page) {
      const handle = handles.find(id, (of) => of === page)
      if (handle) handles.release(handle)
    },
    async readSlice(id, start, end, page, signal) {
      if (end <= start || end - start > MAX_SLICE_BYTES) {
        throw createRefusedError('SLICE_INVALID', `A slice must have between 1 and ${MAX_SLICE_BYTES} bytes.`, {
          most: MAX_SLICE_BYTES,
        })
      }
      const handle = own(id, page)
      const { content } = handle.item
      const stop = linkSignals(signal, handle.releaseController.signal)
      try {
        while (content.total === null && content.state === 'arriving') await content.waitForChange(stop.signal)
        const last = Math.min(end, content.total ?? end) - 1
        const pieces: Buffer[] = []
        if (last >= start) for await (const piece of read(handle, start, last, stop.signal)) pieces.push(piece)
        return { meta: { start, total: content.total }, bytes: joined(pieces) }
      } finally {
        stop.unlink()
      }
    },
    async saveToFile(id, page, choose, signal) {
      const handle = own(id, page)
      const file = await choose(nameOf(handle.item))
      if (file === null) return false
      const { total } = handle.item.content
      await writePieces(file, read(handle, 0, total === null ? null : total - 1, signal))
      return true
    },
    async serve(request) {
      const handle = handles.find(request.handle, request.canUse)
      if (!handle) return createRefusal(404)
      if (request.method !== 'GET' && request.method !== 'HEAD') return createRefusal(405)
      return respondWithContent(handle, nameOf(handle.item), request, read).catch(() => createRefusal(502))
    },
    invalidate(named) {
      library.invalidate(({ endpoint, params }) => {
        const { noteid, bookmd5, bundleId } = params
        const ids = [noteid, bookmd5, bundleId].filter((id) => id !== undefined)
        const { response } = rowOf(endpoint)
        const composed = response.kind === 'binary' && response.isComposed
        return named === null || composed || ids.some((id) => named.includes(id))
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
      requests: wholes.activeCount + parts.activeCount,
    }),
  }
}

function factsOf({ id, item }: ContentHandle, name: string, fromCache: boolean): ContentFacts {
  const { content } = item
  const { head: known } = content
  if (!known) throw createCancelledError()
  const { meta, sniffed } = known
  return {
    handle: id,
    kind: sniffed.kind,
    mediaType: sniffed.mediaType,
    declaredType: formatMediaType(meta.contentType),
    mismatch: sniffed.isMismatch,
    byteLength: content.total,
    hostRanges: content.supportsRanges === true,
    fromCache,
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

/** Joins the pieces in a buffer of their own, ready to be transferred. */
function joined(pieces: readonly Buffer[]): ArrayBuffer {
  const all = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.byteLength
  }
  return all.buffer
}
