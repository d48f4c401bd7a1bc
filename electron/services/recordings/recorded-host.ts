import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { fromWireError, toWireError } from '../../../shared/errors.ts'
import type { Finding } from '../../../shared/protocol/finding.ts'
import {
  toExchangeDetail,
  type RecordedExchange,
  type RecordedOperation,
} from '../../../shared/recordings/recording.ts'
import type { RecordingFile } from '../../recording-file/recording-file.ts'
import { resolveRelayedRow } from '../bridge/client/request-row.ts'
import { isJsonType } from '../bridge/client/response.ts'
import type { ExchangeEnd, ExchangeStart } from '../bridge/types.ts'
import type { StandInAddress } from '../bridge/wire/http-agents.ts'
import type { Log } from '../files/log.ts'
import type { Notices } from '../notices.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import type { Findings } from '../findings/findings.ts'
import type { Journal, StoredOperation } from '../journal/types.ts'
import type { RawBody, RawEntry } from '../traffic/entry.ts'
import type { TrafficStore } from '../traffic/traffic-store.ts'

/** Services that are filled with what a recording holds. */
export interface FilledServices {
  readonly store: Pick<TrafficStore, 'add' | 'listBodies' | 'recordInitiator'>
  readonly findings: Pick<Findings, 'applyChange'>
  readonly log: Log
  readonly notices: Pick<Notices, 'add'>
  /** Receive each listing, so that snapshots of study sets are made of them. */
  readonly snapshots: Pick<Snapshots, 'observeExchange' | 'list'>
  /** Receive each write, so that changes between snapshots have their cause. */
  readonly operations: { handleExchange(start: ExchangeStart, end: ExchangeEnd): void }
}

/** A recording in place of a host. */
export interface RecordedHost {
  /** What the person called it; empty if nothing. */
  readonly title: string
  /** Start of the first exchange, in epoch milliseconds. */
  readonly startedAt: number
  /** Where the recording is served. */
  readonly server: StandInAddress
  /** Adds the recorded operations to an empty journal. */
  fillJournal(journal: Journal): Promise<void>
  /**
   * Adds everything else. A notice says where the file cannot be read any further.
   * @throws the errors of reading it
   */
  fill(services: FilledServices): Promise<void>
  /** Whether an exchange was only saved so that the recording can be opened. */
  isContext(seq: number): boolean
  /** Ends the filling. */
  stop(): void
}

/** Bytes of bodies that wait in memory until the threads of traffic and snapshots took them. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024

/**
 * @param baseUrl the address that the recorded host had, as the connection names it
 */
export function createRecordedHost(file: RecordingFile, baseUrl: string, server: StandInAddress): RecordedHost {
  const abort = new AbortController()
  const contexts = new Set<number>()

  async function fillServices(services: FilledServices): Promise<void> {
    const { store, findings, snapshots, operations } = services
    const seqs = new Map<number, number>()
    let waitingBytes = 0
    let waitingSeqs: number[] = []
    for await (const exchange of file.readExchanges()) {
      const [request, response] = [await readBody(exchange, 'request'), await readBody(exchange, 'response')]
      waitingBytes += countBytes(request) + countBytes(response)
      if (waitingBytes > MAX_WAITING_BYTES) {
        // They take what they are sent in order, so a response means that nothing waits any more.
        // Large bodies would wait until nothing else is to do, if they were not asked for.
        await Promise.all([store.listBodies(waitingSeqs), snapshots.list(undefined)])
        waitingBytes = 0
        waitingSeqs = []
      }
      if (abort.signal.aborted) return
      const seq = seqs.size + 1
      seqs.set(exchange.row.seq, seq)
      waitingSeqs.push(seq)
      if (exchange.context === true) contexts.add(seq)
      const { start, end } = toObservedExchange(exchange, request, response, baseUrl)
      snapshots.observeExchange(start, end)
      operations.handleExchange(start, end)
      store.add(toRawEntry(exchange, request, response))
      if (exchange.initiator) store.recordInitiator(exchange.row.id, exchange.initiator)
    }
    const recordedFindings: Finding[] = []
    for await (const finding of file.readLines('findings')) {
      const exchanges = finding.exchanges.flatMap((seq) => seqs.get(seq) ?? [])
      if (exchanges.length > 0) recordedFindings.push({ ...finding, exchanges })
    }
    findings.applyChange({ kind: 'all', findings: recordedFindings })
  }

  /** Returns a copy that only the receiver uses. */
  async function readBody(exchange: RecordedExchange, side: 'request' | 'response'): Promise<Uint8Array | null> {
    const hash = exchange[`${side}Body`]
    return hash === null ? null : file.readBody(hash)
  }

  return {
    title: file.manifest.title,
    startedAt: file.manifest.span?.from ?? file.manifest.createdAt,
    server,
    async fillJournal(journal) {
      for await (const operation of file.readLines('operations')) {
        const stored = toStoredOperation(operation)
        for (const [place, event] of operation.events.entries()) {
          if (place === 0) journal.create(stored, event)
          else journal.append(stored.id, place, event)
        }
        journal.setSeen(stored.id, true)
      }
    },
    fill(services) {
      const filled = fillServices(services)
      filled.catch((error: unknown) => reportDamage(error, services))
      return filled
    },
    isContext: (seq) => contexts.has(seq),
    stop: () => abort.abort(),
  }
}

function reportDamage(error: unknown, { log, notices }: FilledServices): void {
  const { message, params } = toWireError(error)
  log.error('a recording could not be read to its end', { reason: message })
  notices.add({ level: 'error', code: 'RECORDING_CUT', message, params: { entry: '', ...params } })
}

const countBytes = (bytes: Uint8Array | null): number => bytes?.byteLength ?? 0

const toStoredOperation = ({ summary, method, path, body, instanceNonce }: RecordedOperation): StoredOperation => ({
  id: summary.id,
  endpoint: summary.endpoint,
  source: summary.origin,
  profileId: summary.profileId,
  profileName: summary.profileName,
  host: summary.host,
  method,
  path,
  body,
  createdAt: summary.createdAt,
  requestId: summary.requestId,
  topicid: summary.topicid,
  noteid: summary.noteid,
  instanceNonce,
  caller: summary.caller,
})

function toRawEntry(exchange: RecordedExchange, request: Uint8Array | null, response: Uint8Array | null): RawEntry {
  const { row, requestHeaders, responseHeaders, error, ...sides } = toExchangeDetail(exchange)
  const toRawBody = (side: 'request' | 'response', bytes: Uint8Array | null): RawBody => {
    const { total, missing, mediaType } = sides[side]
    return { total, missing, mediaType, bytes: bytes && new Uint8Array(bytes), isJson: isJsonType(mediaType) }
  }
  return {
    row,
    beganAt: row.startedAt,
    endedAt: row.startedAt + (row.durationMs ?? 0),
    requestHeaders,
    responseHeaders,
    error,
    request: toRawBody('request', request),
    response: toRawBody('response', response),
    token: null,
  }
}

/**
 * Converts an exchange to the form in which services observe those of this program.
 * @param baseUrl replaces the exchange's host if both are the same host
 */
function toObservedExchange(
  { row, requestHeaders, responseHeaders, error, ...sides }: RecordedExchange,
  request: Uint8Array | null,
  response: Uint8Array | null,
  baseUrl: string,
): { readonly start: ExchangeStart; readonly end: ExchangeEnd } {
  const endpoint =
    findEndpointById(row.endpoint ?? '') ?? resolveRelayedRow(row.method, row.path, { pathOverrides: {} }, null)
  return {
    start: {
      id: row.id,
      group: row.group,
      attempt: row.attempt,
      startedAt: row.startedAt,
      origin: row.origin,
      endpoint,
      method: row.method,
      path: row.path,
      target: {
        baseUrl: isSameHost(row.host, baseUrl) ? baseUrl : row.host,
        auth: { header: 'authorization', scheme: 'Bearer' },
        token: null,
        tlsFingerprint: null,
        isReadOnly: true,
        epoch: row.epoch,
        instanceNonce: row.instance,
        pathOverrides: {},
        limits: null,
      },
      headers: requestHeaders,
      body: request && Buffer.from(request),
      fileBytes: null,
      ...(row.rule === null ? {} : { rule: row.rule }),
    },
    end: {
      durationMs: row.durationMs ?? 0,
      timing: row.timing,
      isComplete: row.state === 'answered',
      status: row.status,
      wireBytes: row.wireBytes,
      requestHeaders,
      responseHeaders,
      body: response,
      receivedBytes: row.bytes,
      missing: sides.response.missing,
      hostCode: row.errorCode,
      error: error && fromWireError(error),
    },
  }
}

/** The scheme may differ, because a recording is served without TLS. */
const isSameHost = (host: string, baseUrl: string): boolean =>
  host.replace(/^https?:/, '') === baseUrl.replace(/^https?:/, '')
