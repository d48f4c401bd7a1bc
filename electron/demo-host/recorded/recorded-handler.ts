import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { toWireError } from '../../../shared/errors.ts'
import { getMember, isObject } from '../../../shared/json/object.ts'
import { parseBodyText } from '../../../shared/operations/prepared-write.ts'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import type { Replay, ReplayResponse } from '../../core/recordings/replay/replay.ts'
import type { ReplaySource, ReplayTimeline } from '../../core/recordings/replay/replay-timeline.ts'
import type { RecordedExchange } from '../../../shared/recordings/recording.ts'
import type { Header } from '../../../shared/traffic/exchange.ts'
import type { DemoAuth } from '../demo-auth.ts'
import { applyReplyFault, isFaultExempt, respondWithFault, type FaultName } from '../faults.ts'
import { sendBytes, sendReply as sendDemoReply } from '../reply-sender.ts'
import { BRIDGE_PATH_PREFIX, getRequestedFault, type DemoLogEntry } from '../request-handler.ts'
import { MAX_FILE_BYTES, readBody } from '../request-parser.ts'
import { DemoError, type DemoReply } from '../state/reply.ts'
import { createNotRecordedReply, UNDERIVED } from './not-recorded.ts'
import {
  isFinalStatus,
  isFaultOfRecording,
  loadReply,
  sendBrokenReply,
  sendReply,
  type RecordedReply,
} from './recorded-reply.ts'

export interface ServedRequest {
  readonly method: string
  /** Below the base URL, with the query. */
  readonly path: string
  /** Null if the contract does not know the request. */
  readonly endpoint: Endpoint | null
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly request: Uint8Array
  readonly status: number
  readonly response: Uint8Array | null
}

interface RecordedHandlerOptions {
  readonly source: ReplaySource
  readonly timeline: ReplayTimeline
  readonly replay: Replay
  readonly auth: DemoAuth
  /** Response to `GET /status` if it was not recorded. */
  readonly status: object
  readonly fault: () => FaultName | null
  readonly latencyMs: () => number
  /** Each response takes as long as it took when it was recorded. */
  readonly keepsDelays: boolean
  readonly allowFaultHeader: boolean
  readonly restart: () => void
  readonly record: (entry: DemoLogEntry) => void
  readonly observe?: ((request: ServedRequest) => void) | undefined
}

/** A recorded delay is not longer than this. */
const MAX_DELAY_MS = 60_000
const MAX_LOGGED_BODY_BYTES = 4_096

/** Responds with the code of the error that was thrown, such as that of a damaged recording. */
function toFailure(error: unknown): DemoError {
  const { code = 'INTERNAL', message } = toWireError(error)
  return new DemoError(500, code, message)
}

/** Handles requests to a served recording. Never rejects. */
export function createRecordedHandler({ source, timeline, replay, auth, ...settings }: RecordedHandlerOptions) {
  return async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request
    const path = url.startsWith(`${BRIDGE_PATH_PREFIX}/`) ? url.slice(BRIDGE_PATH_PREFIX.length) : '/'
    const { endpoint, access } = timeline.parseRequest({ method, path, bodyText: null }, new Map())
    const startedAt = Date.now()
    let body: string | null = null
    let isExecuted = false
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : 0
      settings.record({ method, path: url, endpoint: endpoint?.id ?? null, status, body, isExecuted })
    })
    const requestedFault = settings.allowFaultHeader ? getRequestedFault(request) : null
    const chosenFault = requestedFault ?? settings.fault()
    const isExempt = endpoint?.id === 'status.get' && isFaultExempt(endpoint.id)
    const fault = chosenFault && isFaultOfRecording(chosenFault) && !isExempt ? chosenFault : null
    try {
      await delay(settings.latencyMs())
      const bodyBytes = await readBody(request, endpoint?.isUpload ? MAX_FILE_BYTES : undefined)
      if (access !== 'read' && bodyBytes.byteLength > 0 && bodyBytes.byteLength <= MAX_LOGGED_BODY_BYTES)
        body = bodyBytes.toString()
      if (fault && respondWithFault(fault, request, response)) return
      auth.assertAdmitted(request, endpoint)
      if (!endpoint) auth.assertAuthorized(request)
      const doneBefore = replay.countWrites().done
      const reply = replay.respond({
        method,
        path,
        headers: listHeaders(request),
        bodyText: endpoint?.isUpload ? null : getBodyText(request, endpoint, bodyBytes),
      })
      isExecuted = replay.countWrites().done > doneBefore
      const sentReply = await sendResponse(request, response, reply, fault)
      if (!sentReply) return
      const { status, bytes } = sentReply
      settings.observe?.({ method, path, endpoint, startedAt, request: bodyBytes, status, response: bytes })
    } catch (error) {
      const failure = error instanceof DemoError ? error : toFailure(error)
      sendDemoReply(request, response, failure.reply(), null)
    }
  }

  /** A panel's body is filled in as the host does it. */
  function getBodyText(request: IncomingMessage, endpoint: Parameters<DemoAuth['fillBody']>[1] | null, bytes: Buffer) {
    if (bytes.byteLength === 0 && !(endpoint && auth.isPanel(request))) return null
    const text = bytes.toString()
    const value = bytes.byteLength === 0 ? {} : parseBodyText(text)
    return endpoint && auth.isPanel(request) && isObject(value)
      ? JSON.stringify(auth.fillBody(request, endpoint, value))
      : text
  }

  /** @returns null if the response was changed on purpose */
  async function sendResponse(
    request: IncomingMessage,
    response: ServerResponse,
    reply: ReplayResponse,
    fault: FaultName | null,
  ): Promise<Pick<RecordedReply, 'status' | 'bytes'> | null> {
    const { method = 'GET', url = '/' } = request
    const path = url.slice(BRIDGE_PATH_PREFIX.length)
    const exchange = getExchange(reply)
    if (settings.keepsDelays && exchange) await delay(getRecordedDelay(exchange))
    if (reply.kind === 'broken') {
      await sendBrokenReply(source, reply.exchange, request, response)
      return null
    }
    const loaded = reply.kind === 'not-recorded' ? null : await loadReply(source, reply, replay.chosenRequestIds)
    if (loaded === null) {
      if (isStatus(path) && reply.kind === 'not-recorded') {
        sendOwnStatus(request, response)
        return null
      }
      const missing = reply.kind === 'not-recorded' ? reply : UNDERIVED
      const refusal = createNotRecordedReply(method, path, missing)
      sendDemoReply(request, response, refusal, null)
      return { status: refusal.status, bytes: Buffer.from(refusal.text) }
    }
    if (!isFinalStatus(loaded.status))
      throw new DemoError(
        502,
        'RECORDED_STATUS_UNSENDABLE',
        `The recording has the status ${loaded.status} here, with which no server can end a response.`,
      )
    if (fault === 'reset-after') {
      request.socket.resetAndDestroy()
      return null
    }
    if (fault === 'restart') response.once('close', settings.restart)
    const ownReply = isStatus(path) ? withAuthorization(loaded, auth.isAuthorized(request)) : loaded
    const faulty = fault ? applyFault(fault, exchange, ownReply) : null
    if (faulty === null) {
      sendReply(request, response, ownReply)
      return ownReply
    }
    if (Buffer.isBuffer(faulty)) sendBytes(response, 'application/json', faulty)
    else sendDemoReply(request, response, faulty, fault === 'wrong-content-type' ? 'text/html' : null)
    return null
  }

  function sendOwnStatus(request: IncomingMessage, response: ServerResponse): void {
    const value = { ...settings.status, authorized: auth.isAuthorized(request) }
    sendDemoReply(request, response, { kind: 'json', status: 200, text: JSON.stringify(value) }, null)
  }
}

const delay = async (ms: number): Promise<void> => void (ms > 0 && (await wait(ms)))

const getRecordedDelay = ({ row: { timing, durationMs } }: RecordedExchange): number =>
  Math.min(MAX_DELAY_MS, timing.firstByte ?? durationMs ?? 0)

const isStatus = (path: string): boolean => path.split('?', 1)[0] === '/status'

function getExchange(reply: ReplayResponse): RecordedExchange | null {
  if (reply.kind === 'recorded' || reply.kind === 'not-modified' || reply.kind === 'broken') return reply.exchange
  return reply.kind === 'bytes' ? reply.bytes.head : null
}

function listHeaders({ rawHeaders }: IncomingMessage): Header[] {
  const headers: Header[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''])
  return headers
}

/** Acceptance of the token is a fact about this server, not about the recorded one. */
function withAuthorization(reply: RecordedReply, isAuthorized: boolean): RecordedReply {
  const value = parseBodyText(reply.bytes?.toString() ?? null)
  const authorized = getMember(value, 'authorized')
  if (!isObject(value) || typeof authorized !== 'boolean' || authorized === isAuthorized) return reply
  return { ...reply, bytes: Buffer.from(JSON.stringify({ ...value, authorized: isAuthorized })) }
}

/** @returns null for a fault that does not change this response */
function applyFault(
  fault: FaultName,
  exchange: RecordedExchange | null,
  { status, bytes }: RecordedReply,
): DemoReply | Buffer | null {
  if (!exchange?.row.endpoint || bytes === null || (status !== 200 && status !== 206)) return null
  const reply: DemoReply = /[/+]json$/.test(exchange.row.mediaType)
    ? { kind: 'json', status, text: bytes.toString() }
    : { kind: 'bytes', mimeType: exchange.row.mediaType, bytes }
  const endpointId = exchange.row.endpoint as Parameters<typeof applyReplyFault>[1]
  const faulty = applyReplyFault(fault, endpointId, reply)
  return faulty === reply && fault !== 'wrong-content-type' ? null : faulty
}
