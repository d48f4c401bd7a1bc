import { AppError, createCancelledError } from '../../../shared/errors.ts'
import type { ResponseMeta } from '../../../shared/ipc/bridge.ts'
import type { BridgeStream } from '../bridge/types.ts'
import type { MaskStream } from '../mask/mask.ts'
import { MAX_ERROR_BYTES } from '../bridge/wire/body-decoder.ts'
import { SNIFF_BYTES, sniffContent, SVG_TYPE, type SniffedContent } from './sniffed-content.ts'
import { createResponseTail, type ResponseTail } from './response-tail.ts'
import { NodeAbortController } from '../../core/node-abort.ts'

/** Content up to this size is held in memory; of larger content, only the beginning is. */
export const MAX_HELD_BYTES = 8 * 1024 * 1024
/** Bytes of content larger than MAX_HELD_BYTES that are read before a reader requests any. */
const HEAD_BYTES = 65_536
/** Maximum bytes that are searched for the size of a picture, which may come after other data. */
const MAX_HEAD_BYTES = 1024 * 1024
const INITIAL_CAPACITY_BYTES = 65_536
const OPENING_BRACE_BYTE = '{'.charCodeAt(0)

/** The headers of the host's first response, and the type of content in its first bytes. */
export interface ContentHead {
  readonly meta: ResponseMeta
  readonly sniffed: SniffedContent
  /** The bytes are those that were received, because they do not decode. */
  readonly isUndecodable: boolean
}

type ContentState = 'arriving' | 'whole' | 'partial' | 'failed'

/**
 * Content of the host as far as it has arrived: arriving, whole, or partial, with its beginning in
 * memory and the rest still at the host. Many readers share it; bytes that have arrived never
 * change.
 */
export class Content {
  state: ContentState = 'arriving'
  /** Total number of bytes, once it is known. */
  total: number | null = null
  /** Null until the host says so or a range was requested. */
  supportsRanges: boolean | null = null
  head: ContentHead | null = null
  #bytes: Buffer = Buffer.alloc(0)
  #size = 0
  #nextSniffSize = SNIFF_BYTES
  #tail: ResponseTail | null = null
  #error: AppError | null = null
  readonly #abort = new NodeAbortController()
  readonly #wakeCallbacks = new Set<() => void>()

  /** Number of bytes in memory. */
  get size(): number {
    return this.#size
  }

  get error(): AppError | null {
    return this.#error
  }

  /** Requests the content and reads it. Never rejects: see `state` and `error`. */
  async load(open: (signal: AbortSignal) => Promise<BridgeStream>): Promise<void> {
    try {
      await this.#readResponse(await open(this.#abort.signal))
    } catch (thrown) {
      this.#error = this.#abort.signal.aborted ? createCancelledError() : toAppError(thrown)
      this.state = 'failed'
      this.#abort.abort()
    }
    this.#notifyReaders()
  }

  async #readResponse(response: BridgeStream): Promise<void> {
    const { meta, length, body, createMask, assertNoHostError } = response
    // No part was requested, so it is unknown which part this is.
    if (meta.status === 206) {
      body.destroy()
      throw createWrongRangeError()
    }
    this.total = length
    if (/\bbytes\b/i.test(meta.headers['accept-ranges'] ?? '')) this.supportsRanges = true
    const maxBytes = length !== null && length > MAX_HELD_BYTES ? HEAD_BYTES : MAX_HELD_BYTES
    const pieces = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    for (let result = await pieces.next(); result.done !== true; result = await pieces.next()) {
      this.#append(result.value)
      await this.#sniffOnce(response, false)
      this.#notifyReaders()
      if (this.#size > maxBytes && this.head) {
        const rest = this.isText ? this.#maskRemaining(createMask(), pieces) : pieces
        this.#tail = createResponseTail(rest, body, this.#size)
        this.state = 'partial'
        return
      }
    }
    this.total = this.#size
    if (this.#size <= MAX_ERROR_BYTES) assertNoHostError(this.#bytes.subarray(0, this.#size))
    await this.#sniffOnce(response, true)
    // The copy leaves out the spare capacity of the growing buffer.
    const bytes = this.#bytes.subarray(0, this.#size)
    const maskStream = this.isText ? createMask() : null
    this.#bytes = maskStream ? Buffer.concat([maskStream.push(bytes), maskStream.end()]) : Buffer.from(bytes)
    this.state = 'whole'
  }

  /**
   * Masks the bytes in memory and yields the following bytes masked as well. The last bytes in
   * memory may move to the yielded ones, until it is decided whether they begin a token.
   */
  #maskRemaining(mask: MaskStream, pieces: AsyncIterator<Buffer>): AsyncIterator<Buffer> {
    this.#bytes = mask.push(this.#bytes.subarray(0, this.#size))
    this.#size = this.#bytes.byteLength
    return maskPieces(mask, pieces)
  }

  /** Only texts are searched for an echoed token; pictures and sound contain no words. */
  get isText(): boolean {
    return this.head?.sniffed.kind === 'text' || this.head?.sniffed.mediaType === SVG_TYPE
  }

  #append(piece: Buffer): void {
    const size = this.#size + piece.byteLength
    if (size > this.#bytes.byteLength) {
      const larger = Buffer.allocUnsafeSlow(Math.max(size, this.#bytes.byteLength * 2, INITIAL_CAPACITY_BYTES))
      this.#bytes.copy(larger, 0, 0, this.#size)
      this.#bytes = larger
    }
    piece.copy(this.#bytes, this.#size)
    this.#size = size
  }

  /** Examines the first bytes, once there are enough of them or all have arrived. */
  async #sniffOnce({ meta, isUndecodable }: BridgeStream, isComplete: boolean): Promise<void> {
    if (this.head || (!isComplete && (this.#size < this.#nextSniffSize || this.#canBeHostError()))) return
    const bytes = this.#bytes.subarray(0, Math.min(this.#size, MAX_HEAD_BYTES))
    const sniffed = await sniffContent(bytes, isComplete, meta.contentType)
    // The size is doubled so that a host that sends single bytes causes few examinations.
    this.#nextSniffSize = this.#size * 2
    if (sniffed.needsMoreBytes && this.#size < MAX_HEAD_BYTES) return
    this.head = { meta, sniffed, isUndecodable: isUndecodable() }
  }

  /** A short response that begins like an object may be an error, once it is complete. */
  #canBeHostError(): boolean {
    return this.#size <= MAX_ERROR_BYTES && this.#bytes[0] === OPENING_BRACE_BYTE
  }

  /**
   * Returns the bytes from `start` to `end` (exclusive) as far as they are in memory; they never
   * change. Returns text only once it has stopped arriving, because a token may begin in one piece
   * and end in the next.
   */
  readHeld(start: number, end: number): Buffer | null {
    if (this.isText && this.state === 'arriving') return null
    return start < this.#size ? this.#bytes.subarray(start, Math.min(end, this.#size)) : null
  }

  /** Returns the unread rest of the first response to the one reader that has reached `offset`. */
  takeTail(offset: number): ResponseTail | null {
    const tail = this.#tail
    if (tail?.offset !== offset || !tail.claim()) return null
    this.#tail = null
    return tail
  }

  get hasTail(): boolean {
    return this.#tail !== null && !this.#tail.isGone
  }

  /** Resolves when more bytes have arrived or the state has changed. Throws CANCELLED. */
  waitForChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(createCancelledError())
      const onChange = (): void => {
        signal.removeEventListener('abort', onAbort)
        this.#wakeCallbacks.delete(onChange)
        resolve()
      }
      const onAbort = (): void => {
        this.#wakeCallbacks.delete(onChange)
        reject(createCancelledError())
      }
      this.#wakeCallbacks.add(onChange)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  #notifyReaders(): void {
    for (const wake of [...this.#wakeCallbacks]) wake()
  }

  /** Frees the memory; later reads go to the host. */
  freeMemory(): void {
    if (this.state !== 'whole') return
    this.state = 'partial'
    this.#bytes = Buffer.alloc(0)
    this.#size = 0
  }

  /** Closes the connection that holds the unread rest of the first response. */
  dropTail(): void {
    this.#tail?.drop()
    this.#tail = null
  }

  /** Ends the requests under way, when there are no users left. */
  end(): void {
    this.#abort.abort()
    this.dropTail()
  }
}

const toAppError = (thrown: unknown): AppError =>
  thrown instanceof AppError
    ? thrown
    : new AppError(
        {
          kind: 'internal',
          code: 'INTERNAL',
          message: 'Something went wrong inside Bridge Inspector. The log has the details.',
          retryable: false,
        },
        { cause: thrown },
      )

const createMalformedError = (code: string, message: string): AppError =>
  new AppError({ kind: 'malformed', code, message, retryable: false })

/** The error for arriving bytes that belong to other content than the bytes read before. */
export function createContentChangedError(): AppError {
  return createMalformedError(
    'CONTENT_CHANGED',
    'The content has changed on the host since it was opened. Open it again.',
  )
}

export function createWrongRangeError(): AppError {
  return createMalformedError('RANGE_WRONG', 'The host sent other bytes than those requested. They were not used.')
}

/** The error for content that ended before its announced length, after `offset` bytes. */
export function createContentCutError(offset: number): AppError {
  return new AppError({
    kind: 'malformed',
    code: 'CONTENT_CUT',
    message: `The content broke off after ${offset} bytes.`,
    retryable: true,
    params: { at: offset },
  })
}

/** Holds back bytes that may be the beginning of a token until that is decided. */
export async function* maskPieces(
  mask: MaskStream,
  pieces: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let result = await pieces.next(); result.done !== true; result = await pieces.next()) {
    const piece = mask.push(result.value)
    if (piece.byteLength > 0) yield piece
  }
  yield mask.end()
}
