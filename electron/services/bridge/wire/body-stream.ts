import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { AppError, createCancelledError } from '../../../../shared/errors.ts'
import { toExchangeError, createTimeoutError } from './wire-errors.ts'
import type { MaskStream } from '../../mask/mask.ts'
import type { RequestLimits } from '../types.ts'

export interface StreamedBody {
  readonly body: Readable
  /** Resolves at the body's end, with the decoded bytes and the error of an early end. */
  readonly completion: Promise<{ readonly receivedBytes: number; readonly error: AppError | null }>
}

interface BodyStreamOptions {
  readonly url: URL
  readonly limits: RequestLimits
  readonly signal?: AbortSignal | undefined
  /** Called with each piece before it is passed on. The piece must be copied to be kept. */
  readonly onPiece?: (piece: Buffer) => void
  /** Masks the token in the body. Only possible if `source` is the response itself. */
  readonly mask?: MaskStream | null
  /** Maximum bytes that wait for the reader. Default: Node's own limit. */
  readonly maxBufferedBytes?: number
  /** A request body on its way. While its bytes move, the host does not count as silent. */
  readonly source?: { readonly getLastMoveMs: () => number } | undefined
}

/**
 * Creates the body of a response for a reader that sets its own pace. The idle limit counts only
 * while bytes are wanted, so a paused video does not time out. A body that breaks off ends with an
 * error.
 * @param source Yields the decoded bytes of the response.
 */
export function createBodyStream(
  response: IncomingMessage,
  source: Readable,
  options: BodyStreamOptions,
): StreamedBody {
  const { url, limits, signal, onPiece, mask, maxBufferedBytes, source: requestBody } = options
  let receivedBytes = 0
  let isFlowing = false
  let timer: NodeJS.Timeout | null = null
  let resolveCompletion: (outcome: Awaited<StreamedBody['completion']>) => void = () => undefined
  const completion: StreamedBody['completion'] = new Promise((resolve) => {
    resolveCompletion = resolve
  })

  const fail = (error: unknown): void => {
    const appError = error instanceof AppError ? error : toExchangeError(error, url.host, receivedBytes)
    body.destroy(appError)
  }
  const startTimer = (ms: number): void => {
    timer = setTimeout(onTimer, ms)
  }
  const stopTimer = (): void => {
    if (timer) clearTimeout(timer)
    timer = null
  }
  const onTimer = (): void => {
    const remainingMs = (requestBody?.getLastMoveMs() ?? 0) + limits.idleTimeoutMs - performance.now()
    if (requestBody && remainingMs > 0) startTimer(remainingMs)
    else fail(createTimeoutError('idle', limits.idleTimeoutMs, url.host))
  }
  const onAbort = (): void => fail(createCancelledError())

  const onData = (piece: Buffer): void => {
    receivedBytes += piece.byteLength
    onPiece?.(piece)
    let isWanted = true
    const pushPart = (part: Buffer): void => {
      isWanted = body.push(part)
    }
    if (mask) mask.pushOwned(piece, pushPart)
    else pushPart(piece)
    if (isWanted) return void timer?.refresh()
    stopTimer()
    source.pause()
  }

  const body = new Readable({
    ...(maxBufferedBytes === undefined ? {} : { highWaterMark: maxBufferedBytes }),
    read() {
      if (timer === null && !source.readableEnded) startTimer(limits.idleTimeoutMs)
      if (isFlowing) return void source.resume()
      isFlowing = true
      source.on('data', onData)
    },
    destroy(error, done) {
      stopTimer()
      signal?.removeEventListener('abort', onAbort)
      source.off('data', onData)
      // A body that arrived in full leaves its connection to the next request.
      const isWhole = response.complete && source.readableEnded
      if (!isWhole) {
        source.destroy()
        response.destroy()
      }
      resolveCompletion({
        receivedBytes,
        error: error instanceof AppError ? error : isWhole ? null : createCancelledError(),
      })
      done(error)
    },
  })

  // The body may break off while nobody reads it; the next reader sees the error.
  body.on('error', () => undefined)
  source.once('end', () => {
    stopTimer()
    if (!response.complete) return fail(createBrokenOffError())
    const lastPart = mask?.end()
    if (lastPart?.byteLength) body.push(lastPart)
    body.push(null)
  })
  source.once('error', fail)
  source.once('close', () => {
    if (!source.readableEnded) fail(createBrokenOffError())
  })
  // Bytes that are not decoded yet show that the host is slow, not silent.
  if (source !== response) response.on('data', () => timer?.refresh())
  if (signal?.aborted) queueMicrotask(onAbort)
  else signal?.addEventListener('abort', onAbort, { once: true })
  return { body, completion }
}

const createBrokenOffError = (): Error =>
  Object.assign(new Error('the connection was closed'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
