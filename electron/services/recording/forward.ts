import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { hasMethodOverride } from '../../../shared/bridge/access.ts'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import type { Capabilities } from '../../../shared/bridge/resources/state.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient, BridgeTarget } from '../bridge/types.ts'
import { relayedRow } from '../bridge/client/row-of.ts'
import { assertInside, isAmbiguous } from '../bridge/wire/relay-exchange.ts'
import { readBuffers } from '../bridge/wire/agents.ts'
import { pairs } from '../bridge/trace.ts'
import type { Origin } from '../../../shared/traffic/exchange.ts'
import type { RelayAnswer } from '../bridge/relay-types.ts'
import { endUnread, failureOf, hasBody, lockedRefusal, refuse } from './refusal.ts'

interface Forwarding {
  readonly client: Pick<BridgeClient, 'relay'>
  readonly connection: Pick<Connection, 'capabilities'>
  readonly target: BridgeTarget
  /** Relative to the base URL. */
  readonly rawPath: string
  readonly origin: Origin
  /** The client does not hold the host's token, so it must not learn it. */
  readonly masked: boolean
  /** The client waits for `100-continue`. */
  readonly waits: boolean
  /** Aborted when the recording stops. */
  readonly stopped: AbortSignal
}

/** Under the lock the body of a read is read first, because it may say that it is none, up to this many bytes. */
const MOST_JUDGED = 1024 * 1024

/**
 * Passes one request on and its answer back. Returns whether the host was asked; every failure is an answer to the client, or breaks one off
 * that has begun.
 */
export async function forward(request: IncomingMessage, response: ServerResponse, how: Forwarding): Promise<boolean> {
  const { client, connection, target, rawPath, stopped } = how
  const method = request.method ?? ''
  const gone = new AbortController()
  const abort = (): void => gone.abort()
  // Of what was passed on whole, nothing is left to be aborted.
  response.once('close', () => response.writableFinished || abort())
  stopped.addEventListener('abort', abort)
  let asked = false
  try {
    assertInside(rawPath)
    const capabilities = connection.capabilities()
    const endpoint = relayedRow(method, rawPath, target, capabilities)
    if (target.readOnly && mayWrite(request, rawPath, endpoint, target, capabilities)) {
      refuse(request, response, lockedRefusal(method, rawPath))
      return false
    }
    const length = request.headers['content-length'] === undefined ? null : Number(request.headers['content-length'])
    const onContinue = how.waits ? () => response.writeContinue() : undefined
    const isJudged = target.readOnly && hasBody(request)
    if (isJudged && (length ?? 0) <= MOST_JUDGED) onContinue?.()
    const body = !hasBody(request) ? null : isJudged ? await smallBody(request, length) : request
    if (isJudged && body === null) {
      refuse(request, response, lockedRefusal(method, rawPath))
      return false
    }
    asked = true
    const answer = await client.relay(target, {
      endpoint,
      method,
      rawPath,
      headers: pairs(request.rawHeaders).filter(([name]) => !isJudged || !/^expect$/i.test(name)),
      body,
      length,
      origin: how.origin,
      signal: gone.signal,
      masked: how.masked,
      ...(onContinue && !isJudged ? { onContinue } : {}),
    })
    await pass(request, response, answer)
    return true
  } catch (error) {
    if (response.headersSent) response.destroy()
    else if (!response.destroyed) refuse(request, response, failureOf(error, method, rawPath))
    // Refused before the host was asked.
    return asked && !(failureOf(error, method, rawPath).code === 'READ_ONLY')
  } finally {
    stopped.removeEventListener('abort', abort)
  }
}

/** The whole body; null for one that is too long to be judged. */
async function smallBody(request: IncomingMessage, length: number | null): Promise<Buffer | null> {
  if ((length ?? 0) > MOST_JUDGED) return null
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    pieces.push(piece as Buffer)
    size += (piece as Buffer).byteLength
    if (size > MOST_JUDGED) return null
  }
  return Buffer.concat(pieces)
}

async function pass(request: IncomingMessage, response: ServerResponse, answer: RelayAnswer): Promise<void> {
  response.sendDate = false
  // What is left of a request that was answered early is not another request.
  const early = !request.complete && hasBody(request) ? ['Connection', 'close'] : []
  response.writeHead(answer.status, answer.statusText, [...answer.headers.flat(), ...early])
  // Usually the first bytes follow at once, and go out together with the head.
  setImmediate(() => {
    if (!response.destroyed && !response.writableEnded) response.flushHeaders()
  })
  await pour(answer.body, response)
  endUnread(request, response)
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
  if (hasMethodOverride({ path: rawPath, headers: pairs(request.rawHeaders) })) return true
  if (!isAmbiguous(rawPath)) return false
  if (!reads.has(method)) return true
  const plain = rawPath
    .replace(/%2f|%5c|\\/gi, '/')
    .replace(/;[^/?]*/g, '')
    .replace(/\/{2,}/g, '/')
    .replace(/\/(?=\?|$)/, '')
  return relayedRow(method, plain, target, capabilities).access !== 'read'
}
