import { AppError, createCancelledError } from '../../../shared/errors.ts'
import type { ResponseMeta } from '../../../shared/ipc/bridge.ts'
import type { BridgeStream } from '../bridge/types.ts'
import type { MaskStream } from '../mask/mask.ts'
import { MAX_ERROR_BYTES } from '../bridge/wire/body-decoder.ts'
import { SNIFF_BYTES, sniffContent, SVG_TYPE, type SniffedContent } from './sniffed-content.ts'
import { createResponseTail, type ResponseTail } from './response-tail.ts'

/** Contents up to this size are held in memory; of larger ones only the beginning is. */
export const MAX_HELD_BYTES = 8 * 1024 * 1024
/** How much of a content too large to keep is read before anybody asks for its bytes. */
const HEAD_BYTES = 65_536
/** A picture's size may come after this many bytes of other data; no more is read to find it. */
const MAX_HEAD_BYTES = 1024 * 1024
const FIRST_CAPACITY = 65_536
const OPENING_BRACE = '{'.charCodeAt(0)

/** What the first answer said, and what its first bytes are. */
export interface ContentHead {
  readonly meta: ResponseMeta
  readonly sniffed: SniffedContent
}

type State = 'arriving' | 'whole' | 'partial' | 'failed'

/**
 * One content of the host as far as it has arrived: arriving, whole, or partial, with its beginning
 * in memory and the rest still at the host. Many readers share it; bytes that have arrived never
 * change.
 */
export class Content {
  state: State = 'arriving'
  /** Total number of bytes, once it is known. */
  total: number | null = null
  /** Whether the host supports Range requests; null until it says so or one is tried. */
  supportsRanges: boolean | null = null
  head: ContentHead | null = null
  #bytes: Buffer = Buffer.alloc(0)
  #size = 0
  #lookAt = SNIFF_BYTES
  #tail: ResponseTail | null = null
  #error: AppError | null = null
  readonly #abort = new AbortController()
  readonly #waiting = new Set<() => void>()

  /** Number of bytes held. */
  get size(): number {
    return this.#size
  }

  get error(): AppError | null {
    return this.#error
  }

  /**
   * Requests the content through `open` and reads what comes. Never rejects: the outcome is the
   * state.
   */
  async load(open: (signal: AbortSignal) => Promise<BridgeStream>): Promise<void> {
    try {
      await this.#take(await open(this.#abort.signal))
    } catch (thrown) {
      this.#error = this.#abort.signal.aborted ? createCancelledError() : toAppError(thrown)
      this.state = 'failed'
      this.#abort.abort()
    }
    this.#tell()
  }

  async #take({ meta, length, body, createMask: mask, assertNoHostError: judge }: BridgeStream): Promise<void> {
    // No part was requested, so there is no telling which one this is, or of what.
    if (meta.status === 206) {
      body.destroy()
      throw createWrongRangeError()
    }
    this.total = length
    if (/\bbytes\b/i.test(meta.headers['accept-ranges'] ?? '')) this.supportsRanges = true
    const most = length !== null && length > MAX_HELD_BYTES ? HEAD_BYTES : MAX_HELD_BYTES
    const pieces = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      this.#append(next.value)
      await this.#look(meta, false)
      this.#tell()
      if (this.#size > most && this.head) {
        const rest = this.isText ? this.#withoutToken(mask(), pieces) : pieces
        this.#tail = createResponseTail(rest, body, this.#size)
        this.state = 'partial'
        return
      }
    }
    this.total = this.#size
    if (this.#size <= MAX_ERROR_BYTES) judge(this.#bytes.subarray(0, this.#size))
    await this.#look(meta, true)
    // A copy without the spare room of the buffer that it grew in.
    const bytes = this.#bytes.subarray(0, this.#size)
    const text = this.isText ? mask() : null
    this.#bytes = text ? Buffer.concat([text.push(bytes), text.end()]) : Buffer.from(bytes)
    this.state = 'whole'
  }

  /**
   * Masks what is held, as far as that is decided, and yields the rest as it comes, masked as well.
   */
  #withoutToken(mask: MaskStream, pieces: AsyncIterator<Buffer>): AsyncIterator<Buffer> {
    this.#bytes = mask.push(this.#bytes.subarray(0, this.#size))
    this.#size = this.#bytes.byteLength
    return maskPieces(mask, pieces)
  }

  /** Only in these can an echoed token be read; pictures and sound contain no words. */
  get isText(): boolean {
    return this.head?.sniffed.kind === 'text' || this.head?.sniffed.mediaType === SVG_TYPE
  }

  #append(piece: Buffer): void {
    const size = this.#size + piece.byteLength
    if (size > this.#bytes.byteLength) {
      const larger = Buffer.allocUnsafeSlow(Math.max(size, this.#bytes.byteLength * 2, FIRST_CAPACITY))
      this.#bytes.copy(larger, 0, 0, this.#size)
      this.#bytes = larger
    }
    piece.copy(this.#bytes, this.#size)
    this.#size = size
  }

  /** Examines the first bytes, once there are enough of them or all have arrived. */
  async #look(meta: ResponseMeta, whole: boolean): Promise<void> {
    if (this.head || (!whole && (this.#size < this.#lookAt || this.#mayBeError()))) return
    const bytes = this.#bytes.subarray(0, Math.min(this.#size, MAX_HEAD_BYTES))
    const sniffed = await sniffContent(bytes, whole, meta.contentType)
    // Doubled each time, so that a host that sends single bytes does not cause an examination for
    // each of them.
    this.#lookAt = this.#size * 2
    if (sniffed.needsMoreBytes && this.#size < MAX_HEAD_BYTES) return
    this.head = { meta, sniffed }
  }

  /**
   * What begins like an object and is short may be an error of the host, which only all of it
   * shows.
   */
  #mayBeError(): boolean {
    return this.#size <= MAX_ERROR_BYTES && this.#bytes[0] === OPENING_BRACE
  }

  /**
   * The bytes from `start` to `end` (exclusive) as far as they are held; they do not change,
   * whatever happens to the content. Text is returned only once it has stopped arriving, because a
   * token may begin in one piece and end in the next.
   */
  readHeld(start: number, end: number): Buffer | null {
    if (this.isText && this.state === 'arriving') return null
    return start < this.#size ? this.#bytes.subarray(start, Math.min(end, this.#size)) : null
  }

  /** The rest of the first answer, for the one reader that has reached its beginning. */
  takeTail(at: number): ResponseTail | null {
    const tail = this.#tail
    if (tail?.offset !== at || !tail.claim()) return null
    this.#tail = null
    return tail
  }

  get hasTail(): boolean {
    return this.#tail !== null && !this.#tail.isGone
  }

  /** Resolves when something has changed. Throws `CANCELLED`. */
  waitForChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(createCancelledError())
      const done = (): void => {
        signal.removeEventListener('abort', stop)
        this.#waiting.delete(done)
        resolve()
      }
      const stop = (): void => {
        this.#waiting.delete(done)
        reject(createCancelledError())
      }
      this.#waiting.add(done)
      signal.addEventListener('abort', stop, { once: true })
    })
  }

  #tell(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  /** Frees its memory; later reads go to the host. */
  freeMemory(): void {
    if (this.state !== 'whole') return
    this.state = 'partial'
    this.#bytes = Buffer.alloc(0)
    this.#size = 0
  }

  /** Stops waiting for the rest of the first answer. */
  dropTail(): void {
    this.#tail?.drop()
    this.#tail = null
  }

  /** Nobody wants it any more: ends what is under way. */
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

const fault = (code: string, message: string): AppError =>
  new AppError({ kind: 'malformed', code, message, retryable: false })

/** What was read earlier and what comes now do not belong to the same content. */
export const createContentChangedError = (): AppError =>
  fault('CONTENT_CHANGED', 'The content has changed on the host since it was opened. Open it again.')

/** The host sent other bytes than those requested. */
export const createWrongRangeError = (): AppError =>
  fault('RANGE_WRONG', 'The host sent other bytes than those requested. They were not used.')

/** The content ended before its announced length. */
export const createContentCutError = (at: number): AppError =>
  new AppError({
    kind: 'malformed',
    code: 'CONTENT_CUT',
    message: `The content broke off after ${at} bytes.`,
    retryable: true,
    params: { at },
  })

/**
 * The pieces of a text with the token masked; what may be the beginning of a token is held back
 * until that is decided.
 */
export async function* maskPieces(
  mask: MaskStream,
  pieces: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    const piece = mask.push(next.value)
    if (piece.byteLength > 0) yield piece
  }
  yield mask.end()
}
