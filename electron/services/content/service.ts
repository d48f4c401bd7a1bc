import { endpoint as rowOf } from '../../../shared/bridge/endpoints/index.ts'
import { cancelled, refused } from '../../../shared/errors.ts'
import type { BinaryReply } from '../../../shared/ipc/define.ts'
import { MAX_SLICE, type ContentFacts, type OpenInput } from '../../../shared/ipc/content.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient, BridgeStream, ByteRange } from '../bridge/types.ts'
import { fileName } from './file-name.ts'
import { shownType } from './media-type.ts'
import { Handles, type Handle } from './handles.ts'
import { Library, type Item } from './library.ts'
import { linked } from './body.ts'
import { readBytes } from './read.ts'
import { refusal, respond, type ContentRequest, type ContentResponse, type ByteReader } from './serve.ts'
import { Slots } from './slots.ts'
import { createUpstream, type ContentPlan } from './upstream.ts'
import { writeFile } from './write-file.ts'

/** How many requests for whole contents, and for parts of what is being played, a page may have under way at the host. */
const WHOLE_AT_ONCE = 6
const PARTS_AT_ONCE = 8

interface Options {
  readonly cacheBytes?: number
  /** Removes known tokens from a text: a file name is made of what the host said. */
  readonly conceal?: (text: string) => string
}

interface Slice {
  readonly start: number
  readonly total: number | null
}

/** The host's contents for the pages of the app: opened once, streamed on demand, never held whole if large. */
export interface Contents {
  /** Throws the host's error, and what `Upstream` throws. */
  open(input: OpenInput, page: string, signal: AbortSignal): Promise<ContentFacts>
  release(handle: string, page: string): void
  /** Throws `CONTENT_UNKNOWN`, `SLICE_INVALID` and the host's errors. */
  slice(handle: string, start: number, end: number, page: string, signal: AbortSignal): Promise<BinaryReply<Slice>>
  /** Writes a content to the file that `choose` names; false if it names none. */
  save(
    handle: string,
    page: string,
    choose: (name: string) => Promise<string | null>,
    signal: AbortSignal,
  ): Promise<boolean>
  /** Serves an element of a page. Never rejects because of the host. */
  serve(request: ContentRequest): Promise<ContentResponse>
  /**
   * Something was written, so whatever is opened from now on is read again. `named` is text that contains the ids of what the write
   * names; null if it names nothing, in which case everything may have changed. A rendered card shows other cards too, so those are
   * always rendered again.
   */
  forget(named: string | null): void
  /** The page is gone. */
  leave(page: string): void
  close(): void
  /** What is held, for tests: handles, bytes in memory, requests under way or waiting. */
  usage(): { handles: number; bytes: number; requests: number }
}

export function createContents(client: BridgeClient, connection: Connection, options: Options = {}): Contents {
  const upstream = createUpstream(client, connection)
  const wholes = new Slots(WHOLE_AT_ONCE)
  const parts = new Slots(PARTS_AT_ONCE)
  const library = new Library(upstream, wholes, options.cacheBytes)
  const handles = new Handles(({ item }) => library.leave(item))

  /** Requests a part once a slot is free, and frees the slot when the answer is over. */
  async function part(
    plan: ContentPlan,
    page: string,
    range: ByteRange | null,
    signal: AbortSignal,
  ): Promise<BridgeStream> {
    const leave = await parts.enter(page, signal)
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
    item.users += 1
    try {
      yield* readBytes(item.content, start, end, (range, stop) => part(item.plan, page, range, stop), signal)
    } finally {
      library.leave(item)
    }
  }

  function nameOf({ plan, content }: Item): string {
    return fileName(plan.ref, content.known?.sniffed.extension ?? 'bin', options.conceal)
  }

  const own = (id: string, page: string): Handle => {
    const handle = handles.find(id, (of) => of === page)
    if (!handle) throw refused('CONTENT_UNKNOWN', 'This content is no longer open. Open it again.')
    return handle
  }

  async function open({ fresh = false, ...ref }: OpenInput, page: string, signal: AbortSignal): Promise<ContentFacts> {
    const { item, found } = library.use(upstream.plan(ref), page, fresh)
    const { content } = item
    try {
      while (!content.known && content.state !== 'failed') await content.moved(signal)
      if (!content.known) throw content.error ?? cancelled()
      const handle = handles.give(page, item)
      // From now on the handle counts as a user.
      item.users += 1
      // If the caller cancelled in the meantime, it never learns of the handle.
      if (signal.aborted) handles.release(handle)
      return factsOf(handle, nameOf(item), found)
    } finally {
      library.leave(item)
    }
  }

  return {
    open,
    release(id, page) {
      const handle = handles.find(id, (of) => of === page)
      if (handle) handles.release(handle)
    },
    async slice(id, start, end, page, signal) {
      if (end <= start || end - start > MAX_SLICE) {
        throw refused('SLICE_INVALID', `A slice must have between 1 and ${MAX_SLICE} bytes.`, { most: MAX_SLICE })
      }
      const handle = own(id, page)
      const { content } = handle.item
      const stop = linked(signal, handle.gone.signal)
      try {
        while (content.total === null && content.state === 'arriving') await content.moved(stop.signal)
        const last = Math.min(end, content.total ?? end) - 1
        const pieces: Buffer[] = []
        if (last >= start) for await (const piece of read(handle, start, last, stop.signal)) pieces.push(piece)
        return { meta: { start, total: content.total }, bytes: joined(pieces) }
      } finally {
        stop.unlink()
      }
    },
    async save(id, page, choose, signal) {
      const handle = own(id, page)
      const file = await choose(nameOf(handle.item))
      if (file === null) return false
      const { total } = handle.item.content
      await writeFile(file, read(handle, 0, total === null ? null : total - 1, signal))
      return true
    },
    async serve(request) {
      const handle = handles.find(request.handle, request.mayUse)
      if (!handle) return refusal(404)
      if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405)
      return respond(handle, nameOf(handle.item), request, read).catch(() => refusal(502))
    },
    forget(named) {
      library.forget(({ endpoint, params }) => {
        const { noteid, bookmd5, bundleId } = params
        const ids = [noteid, bookmd5, bundleId].filter((id) => id !== undefined)
        const { response } = rowOf(endpoint)
        const composed = response.kind === 'binary' && response.composed
        return named === null || composed || ids.some((id) => named.includes(id))
      })
    },
    leave: (page) => handles.leave(page),
    close() {
      handles.leaveAll()
      library.close()
    },
    usage: () => ({ handles: handles.count, bytes: library.bytes, requests: wholes.busy + parts.busy }),
  }
}

function factsOf({ id, item }: Handle, name: string, fromCache: boolean): ContentFacts {
  const { content } = item
  const { known } = content
  if (!known) throw cancelled()
  const { meta, sniffed } = known
  return {
    handle: id,
    kind: sniffed.kind,
    mediaType: sniffed.mediaType,
    declaredType: shownType(meta.contentType),
    mismatch: sniffed.mismatch,
    byteLength: content.total,
    hostRanges: content.hostRanges === true,
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
