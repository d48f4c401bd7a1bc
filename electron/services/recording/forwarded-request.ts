import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { hasMethodOverride } from '../../../shared/bridge/row-access.ts'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import type { Capabilities } from '../../../shared/bridge/resources/state.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient, BridgeTarget } from '../bridge/types.ts'
import { resolveRelayedRow } from '../bridge/client/request-row.ts'
import { assertPathInside, isAmbiguousPath } from '../bridge/wire/relay-exchange.ts'
import { readBuffers } from '../bridge/wire/http-agents.ts'
import { toHeaderPairs } from '../bridge/exchange-trace.ts'
import type { Origin } from '../../../shared/traffic/exchange.ts'
import type { RelayResponse } from '../bridge/relay-types.ts'
import { endWithUnreadBody, toRefusal, hasBody, createReadOnlyRefusal, sendRefusal } from './refusal.ts'

interface ForwardOptions {
  readonly client: Pick<BridgeClient, 'relay'>
  readonly connection: Pick<Connection, 'capabilities'>
  readonly target: BridgeTarget
  /** Relative to the base URL. */
  readonly rawPath: string
  readonly origin: Origin
  /** The client does not hold the host's token, so it must not learn it. */
  readonly isMasked: boolean
  /** The client waits for `100-continue`. */
  readonly expectsContinue: boolean
  /** Aborted when the recording stops. */
  readonly stopSignal: AbortSignal
}

/** Under the lock the body of a read is read first, because it may say that it is none, up to this many bytes. */
const MAX_JUDGED_BYTES = 1024 * 1024

/**
 * Passes one request on and its answer back. Returns whether the host was asked; every failure is an answer to the client, or breaks one off
 * that has begun.
 */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  how: ForwardOptions,
): Promise<boolean> {
  const { client, connection, target, rawPath, stopSignal: stopped } = how
  const method = request.method ?? ''
  const gone = new AbortController()
  const abort = (): void => gone.abort()
  // Of what was passed on whole, nothing is left to be aborted.
  response.once('close', () => response.writableFinished || abort())
  stopped.addEventListener('abort', abort)
  let asked = false
  try {
    assertPathInside(rawPath)
    const capabilities = connection.capabilities()
    const endpoint = resolveRelayedRow(method, rawPath, target, capabilities)
    if (target.isReadOnly && mayWrite(request, rawPath, endpoint, target, capabilities)) {
      sendRefusal(request, response, createReadOnlyRefusal(method, rawPath))
      return false
    }
    const length = request.headers['content-length'] === undefined ? null : Number(request.headers['content-length'])
    const onContinue = how.expectsContinue ? () => response.writeContinue() : undefined
    const isJudged = target.isReadOnly && hasBody(request)
    if (isJudged && (length ?? 0) <= MAX_JUDGED_BYTES) onContinue?.()
    const body = !hasBody(request) ? null : isJudged ? await smallBody(request, length) : request
    if (isJudged && body === null) {
      sendRefusal(request, response, createReadOnlyRefusal(method, rawPath))
      return false
    }
    asked = true
    const answer = await client.relay(target, {
      endpoint,
      method,
      rawPath,
      headers: toHeaderPairs(request.rawHeaders).filter(([name]) => !isJudged || !/^expect$/i.test(name)),
      body,
      length,
      origin: how.origin,
      signal: gone.signal,
      isMasked: how.isMasked,
      ...(onContinue && !isJudged ? { onContinue } : {}),
    })
    await pass(request, response, answer)
    return true
  } catch (error) {
    if (response.headersSent) response.destroy()
    else if (!response.destroyed) sendRefusal(request, response, toRefusal(error, method, rawPath))
    // Refused before the host was asked.
    return asked && !(toRefusal(error, method, rawPath).code === 'READ_ONLY')
  } finally {
    stopped.removeEventListener('abort', abort)
  }
}

/** The whole body; null for one that is too long to be judged. */
async function smallBody(request: IncomingMessage, length: number | null): Promise<Buffer | null> {
  if ((length ?? 0) > MAX_JUDGED_BYTES) return null
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    pieces.push(piece as Buffer)
    size += (piece as Buffer).byteLength
    if (size > MAX_JUDGED_BYTES) return null
  }
  return Buffer.concat(pieces)
}

async function pass(request: IncomingMessage, response: ServerResponse, answer: RelayResponse): Promise<void> {
  response.sendDate = false
  // What is left of a request that was answered early is not another request.
  const early = !request.complete && hasBody(request) ? ['Connection', 'close'] : []
  response.writeHead(answer.status, answer.statusText, [...answer.headers.flat(), ...early])
  // Usually the first bytes follow at once, and go out together with the head.
  setImmediate(() => {
    if (!response.destroyed && !response.writableEnded) response.flushHeaders()
  })
  await pour(answer.body, response)
  endWithUnreadBody(request, response)
}

/** Writes a body at the pace of its reader, and does not end the response. Fails, as `pipeline` does, if either side breaks off. */
function pour(body: Readable, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      body.destroy()
      reject(new Error('the client has left'))
    }
    body.on('data', (piece: Buffer) => {
      const goesOn = response.write(piece, (error) => {
        if (!error) readBuffers.giveBack(piece)
      })
      if (!goesOn) body.pause()
    })
    response.on('drain', () => body.resume())
    response.once('close', leave)
    body.once('error', reject)
    body.once('end', () => {
      response.off('close', leave)
      resolve()
    })
    if (response.destroyed) leave()
  })
}

const reads = new Set(['GET', 'HEAD'])

/**
 * Whether a request may do something else than read, as far as its head tells. A path that a host may read in another way than we do counts
 * as what it may mean, and so does a header or parameter that some servers take for the method.
 */
function mayWrite(
  request: IncomingMessage,
  rawPath: string,
  row: Endpoint,
  target: BridgeTarget,
  capabilities: Capabilities | null,
): boolean {
  const method = request.method ?? ''
  if (row.access !== 'read') return true
  if (hasMethodOverride({ path: rawPath, headers: toHeaderPairs(request.rawHeaders) })) return true
  if (!isAmbiguousPath(rawPath)) return false
  if (!reads.has(method)) return true
  const plain = rawPath
    .replace(/%2f|%5c|\\/gi, '/')
    .replace(/;[^/?]*/g, '')
    .replace(/\/{2,}/g, '/')
    .replace(/\/(?=\?|$)/, '')
  return resolveRelayedRow(method, plain, target, capabilities).access !== 'read'
}
