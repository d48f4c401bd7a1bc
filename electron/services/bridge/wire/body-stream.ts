import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { AppError, createCancelledError } from '../../../../shared/errors.ts'
import { toExchangeError, createTimeoutError } from './wire-errors.ts'
import type { MaskStream } from '../../mask/mask.ts'
import type { RequestLimits } from '../types.ts'

export interface StreamedBody {
  readonly body: Readable
  /** Resolves when the body is over, with the number of decoded bytes and, if it ended early, the reason. */
  readonly completion: Promise<{ readonly receivedBytes: number; readonly error: AppError | null }>
}

interface BodyStreamOptions {
  readonly url: URL
  readonly limits: RequestLimits
  readonly signal?: AbortSignal | undefined
  /** Sees each piece before it is passed on; whoever keeps one makes a copy. */
  readonly onPiece?: (piece: Buffer) => void
  /** Masks what is passed on. Only where `source` is the answer itself. */
  readonly mask?: MaskStream | null
  /** How many bytes may wait for the reader; without it, what Node reads at once. */
  readonly maxBufferedBytes?: number
  /** A body that is still being sent: while its bytes move, the host is busy, not silent. */
  readonly source?: { readonly getLastMoveMs: () => number } | undefined
}

/**
 * The body of an answer for a reader that sets its own pace. `source` yields its decoded bytes. The idle limit counts only while bytes
 * are wanted and none come: a paused video does not make a silent host. A body that breaks off fails; it never simply ends.
 */
export function createBodyStream(response: IncomingMessage, source: Readable, around: BodyStreamOptions): StreamedBody {
  const { url, limits, signal, onPiece, mask, maxBufferedBytes: ahead, source: sending } = around
  let received = 0
  let isFlowing = false
  let timer: NodeJS.Timeout | null = null
  let over: (outcome: Awaited<StreamedBody['completion']>) => void = () => undefined
  const ended: StreamedBody['completion'] = new Promise((resolve) => {
    over = resolve
  })

  const fail = (error: unknown): void => {
    const ours = error instanceof AppError ? error : toExchangeError(error, url.host, received)
    body.destroy(ours)
  }
  const wait = (ms: number): void => {
    timer = setTimeout(expired, ms)
  }
  const rest = (): void => {
    if (timer) clearTimeout(timer)
    timer = null
  }
  const expired = (): void => {
    const left = (sending?.getLastMoveMs() ?? 0) + limits.idleTimeoutMs - performance.now()
    if (sending && left > 0) wait(left)
    else fail(createTimeoutError('idle', limits.idleTimeoutMs, url.host))
  }
  const abort = (): void => fail(createCancelledError())

  const take = (piece: Buffer): void => {
    received += piece.byteLength
    onPiece?.(piece)
    let isWanted = true
    const pass = (part: Buffer): void => {
      isWanted = body.push(part)
    }
    if (mask) mask.pushOwned(piece, pass)
    else pass(piece)
    if (isWanted) return void timer?.refresh()
    rest()
    source.pause()
  }

  const body = new Readable({
    ...(ahead === undefined ? {} : { highWaterMark: ahead }),
    read() {
      if (timer === null && !source.readableEnded) wait(limits.idleTimeoutMs)
      if (isFlowing) return void source.resume()
      isFlowing = true
      source.on('data', take)
    },
    destroy(error, done) {
      rest()
      signal?.removeEventListener('abort', abort)
      source.off('data', take)
      // A body that had arrived in full leaves its connection to the next request.
      const whole = response.complete && source.readableEnded
      if (!whole) {
        source.destroy()
        response.destroy()
      }
      over({
        receivedBytes: received,
        error: error instanceof AppError ? error : whole ? null : createCancelledError(),
      })
      done(error)
    },
  })

  // It may break off while nobody is reading; the next reader is told.
  body.on('error', () => undefined)
  source.once('end', () => {
    rest()
    if (!response.complete) return fail(brokenOff())
    const last = mask?.end()
    if (last?.byteLength) body.push(last)
    body.push(null)
  })
  source.once('error', fail)
  source.once('close', () => {
    if (!source.readableEnded) fail(brokenOff())
  })
  if (signal?.aborted) queueMicrotask(abort)
  else signal?.addEventListener('abort', abort, { once: true })
  return { body, completion: ended }
}

const brokenOff = (): Error =>
  Object.assign(new Error('the connection was closed'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
