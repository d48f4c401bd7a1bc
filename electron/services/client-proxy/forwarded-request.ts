import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { hasMethodOverride } from '../../../shared/bridge/row-access.ts'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import type { Capabilities } from '../../../shared/bridge/resources/state.ts'
import type { Breakpoints } from '../breakpoints/breakpoints.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient, BridgeTarget, ExchangeRecorder } from '../bridge/types.ts'
import { resolveRelayedRow } from '../bridge/client/request-row.ts'
import { assertPathInside, isAmbiguousPath } from '../bridge/wire/relay-exchange.ts'
import { readBuffers } from '../bridge/wire/http-agents.ts'
import { toHeaderPairs } from '../bridge/exchange-trace.ts'
import type { Origin } from '../../../shared/traffic/exchange.ts'
import type { RelayRequest, RelayResponse } from '../bridge/relay-types.ts'
import { holdRequest, isSameRun } from './held-request.ts'
import { endWithUnreadBody, toRefusal, hasBody, createReadOnlyRefusal, sendRefusal, REFUSALS } from './refusal.ts'
import { NodeAbortController } from '../../core/node-abort.ts'

/**
 * `held`: a person answered the request, or its client gave it up. `locked`: refused, because the
 * profile is read-only.
 */
export type RequestFate = 'passed' | 'refused' | 'locked' | 'held'

export interface ForwardOptions {
  readonly breakpoints: Pick<Breakpoints, 'mayHold' | 'needsRequestBody' | 'readBody' | 'begin' | 'addLapse'>
  readonly recorder: ExchangeRecorder
  readonly client: Pick<BridgeClient, 'relay'>
  readonly connection: Pick<Connection, 'capabilities'>
  readonly target: BridgeTarget
  /** Returns the target at the time of the call; null while no host is connected. */
  readonly getTarget: () => BridgeTarget | null
  /** Path relative to the base URL. */
  readonly rawPath: string
  readonly origin: Origin
  /** True if the client does not hold the host's token, which is then kept from the response. */
  readonly isMasked: boolean
  /** True if the client waits for `100-continue`. */
  readonly expectsContinue: boolean
  readonly stopSignal: AbortSignal
}

/** Up to this size, a locked profile's reads are checked for a body that makes them writes. */
const MAX_CHECKED_BODY_BYTES = 1024 * 1024

/** A failure becomes a response to the client, or ends a response that has begun. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: ForwardOptions,
): Promise<RequestFate> {
  const { client, connection, target, stopSignal } = options
  const received = {
    method: request.method ?? '',
    rawPath: options.rawPath,
    headers: toHeaderPairs(request.rawHeaders),
  }
  const clientAbort = new NodeAbortController()
  const abort = (): void => clientAbort.abort()
  // After a complete response, the request has already ended.
  response.once('close', () => response.writableFinished || abort())
  stopSignal.addEventListener('abort', abort)
  let wasSent = false
  try {
    assertPathInside(received.rawPath)
    const capabilities = connection.capabilities()
    const receivedEndpoint = resolveRelayedRow(received.method, received.rawPath, target, capabilities)
    if (target.isReadOnly && mayWrite(received, receivedEndpoint, target, capabilities)) {
      sendRefusal(request, response, createReadOnlyRefusal(received.method, received.rawPath))
      return 'locked'
    }
    const length = request.headers['content-length'] === undefined ? null : Number(request.headers['content-length'])
    const onContinue = options.expectsContinue ? () => response.writeContinue() : undefined
    const isBodyChecked = target.isReadOnly && hasBody(request)
    if (isBodyChecked && (length ?? 0) <= MAX_CHECKED_BODY_BYTES) onContinue?.()
    const body = !hasBody(request) ? null : isBodyChecked ? await readSmallBody(request, length) : request
    if (isBodyChecked && body === null) {
      sendRefusal(request, response, createReadOnlyRefusal(received.method, received.rawPath))
      return 'locked'
    }
    const call = { method: received.method, path: received.rawPath }
    const mayHold = options.breakpoints.mayHold(call)
    // A short body is shown beside a held response.
    const isBodyWanted =
      (length !== null && length <= MAX_CHECKED_BODY_BYTES) || options.breakpoints.needsRequestBody(call)
    const isBodyRead = isBodyChecked || (mayHold && body !== null && isBodyWanted)
    if (isBodyRead && !isBodyChecked) onContinue?.()
    const holdOptions = { ...options, endpoint: receivedEndpoint, body, isBodyRead, signal: clientAbort.signal }
    const heldRequest = mayHold ? await holdRequest(request, response, holdOptions) : null
    if (heldRequest === 'done') return 'held'
    const { method, rawPath, headers, body: sentBody, mark } = heldRequest ?? { ...received, body, mark: undefined }
    const isOtherRoute = method !== received.method || rawPath !== received.rawPath
    const endpoint = isOtherRoute ? resolveRelayedRow(method, rawPath, target, capabilities) : receivedEndpoint
    // While it was held, the profile may have been locked, the host disconnected or restarted.
    const currentTarget = heldRequest ? options.getTarget() : target
    if (!isSameRun(target, currentTarget)) {
      sendRefusal(request, response, currentTarget ? REFUSALS.hostChanged : REFUSALS.disconnected)
      return 'refused'
    }
    // A body that is still a stream cannot be checked.
    const mayBeWrite = (): boolean =>
      (sentBody !== null && !Buffer.isBuffer(sentBody)) ||
      mayWrite({ ...received, method, rawPath }, endpoint, currentTarget, connection.capabilities())
    if (currentTarget.isReadOnly && mayBeWrite()) {
      sendRefusal(request, response, createReadOnlyRefusal(method, rawPath))
      return 'locked'
    }
    wasSent = true
    const relayResponse = await client.relay(currentTarget, {
      endpoint,
      method,
      rawPath,
      headers: headers.filter(([name]) => !isBodyRead || !/^expect$/i.test(name)),
      body: sentBody,
      length,
      origin: options.origin,
      rule: mark,
      signal: clientAbort.signal,
      isMasked: options.isMasked,
      ...(onContinue && !isBodyRead ? { onContinue } : {}),
    })
    const unsentResponse = heldRequest ? await heldRequest.holdResponse(relayResponse) : relayResponse
    if (unsentResponse) await sendResponse(request, response, unsentResponse)
    return 'passed'
  } catch (error) {
    const refusal = toRefusal(error, received.method, received.rawPath)
    if (response.headersSent) response.destroy()
    else if (!response.destroyed) sendRefusal(request, response, refusal)
    // The bridge client refuses with READ_ONLY before it sends anything.
    if (refusal.code === 'READ_ONLY') return 'locked'
    return wasSent ? 'passed' : 'refused'
  } finally {
    stopSignal.removeEventListener('abort', abort)
  }
}

async function readSmallBody(request: IncomingMessage, length: number | null): Promise<Buffer | null> {
  if ((length ?? 0) > MAX_CHECKED_BODY_BYTES) return null
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).byteLength
    if (size > MAX_CHECKED_BODY_BYTES) return null
  }
  return Buffer.concat(chunks)
}

async function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  relayResponse: RelayResponse,
): Promise<void> {
  response.sendDate = false
  // The unread rest of the request must not be parsed as a new request.
  const closeHeader = !request.complete && hasBody(request) ? ['Connection', 'close'] : []
  response.writeHead(relayResponse.status, relayResponse.statusText, [...relayResponse.headers.flat(), ...closeHeader])
  // The first bytes of the body usually follow at once and go out together with the head.
  setImmediate(() => {
    if (!response.destroyed && !response.writableEnded) response.flushHeaders()
  })
  await pipeBody(relayResponse.body, response)
  endWithUnreadBody(request, response)
}

/** Writes at the pace of the reader without ending the response. Rejects if a side disconnects. */
function pipeBody(body: Readable, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = (): void => {
      body.destroy()
      reject(new Error('the client has left'))
    }
    body.on('data', (chunk: Buffer) => {
      const canContinue = response.write(chunk, (error) => {
        if (!error) readBuffers.giveBack(chunk)
      })
      if (!canContinue) body.pause()
    })
    response.on('drain', () => body.resume())
    response.once('close', onClose)
    body.once('error', reject)
    body.once('end', () => {
      response.off('close', onClose)
      resolve()
    })
    if (response.destroyed) onClose()
  })
}

const READ_METHODS = new Set(['GET', 'HEAD'])

/**
 * True if the head of a request allows for more than a read. A path that a host may read as another
 * path is judged as that other path. A header or parameter that some servers take for the method is
 * judged as the method.
 */
function mayWrite(
  { method, rawPath, headers }: Pick<RelayRequest, 'method' | 'rawPath' | 'headers'>,
  row: Endpoint,
  target: BridgeTarget,
  capabilities: Capabilities | null,
): boolean {
  if (row.access !== 'read') return true
  if (hasMethodOverride({ path: rawPath, headers })) return true
  if (!isAmbiguousPath(rawPath)) return false
  if (!READ_METHODS.has(method)) return true
  const normalizedPath = rawPath
    .replace(/%2f|%5c|\\/gi, '/')
    .replace(/;[^/?]*/g, '')
    .replace(/\/{2,}/g, '/')
    .replace(/\/(?=\?|$)/, '')
  return resolveRelayedRow(method, normalizedPath, target, capabilities).access !== 'read'
}
