import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { fromWireError, toWireError } from '../../../shared/errors.ts'
import type { Finding } from '../../../shared/protocol/finding.ts'
import {
  toExchangeDetail,
  type RecordedExchange,
  type RecordedOperation,
} from '../../../shared/recordings/recording.ts'
import { hasLeftForHost } from '../../../shared/panel/panel.ts'
import type { RecordingFile } from '../../recording-file/recording-file.ts'
import { MAX_BODY_BYTES } from '../../recording-file/recording-reader.ts'
import type { EntryPlace } from '../../recording-file/zip-file.ts'
import { resolveRecordedRow } from '../bridge/client/request-row.ts'
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
import { NodeAbortController } from '../../core/node-abort.ts'

export interface FilledServices {
  readonly store: Pick<TrafficStore, 'add' | 'rows' | 'recordInitiator'>
  readonly findings: Pick<Findings, 'applyChange'>
  readonly log: Log
  readonly notices: Pick<Notices, 'add'>
  /** Receive each listing, so that snapshots of study sets are made of them. */
  readonly snapshots: Pick<Snapshots, 'observeExchange' | 'list'>
  /** Receive each write, so that changes between snapshots have their cause. */
  readonly operations: { handleExchange(start: ExchangeStart, end: ExchangeEnd): void }
}

export type RecordedHost = ReturnType<typeof createRecordedHost>

interface BodyPlaces {
  readonly request: EntryPlace | null
  readonly response: EntryPlace | null
}

/** Exchanges, and bytes of their bodies, that wait for the threads of traffic and snapshots. */
const MAX_WAITING_BYTES = 2 * 1024 * 1024
const MAX_WAITING_EXCHANGES = 100

/** A recording in place of a host; `baseUrl` is the recorded host's, as the connection names it. */
export function createRecordedHost(file: RecordingFile, baseUrl: string, server: StandInAddress) {
  const abort = new NodeAbortController()
  const contexts = new Set<number>()

  async function fillServices(services: FilledServices): Promise<void> {
    const { store, findings, snapshots } = services
    const seqs = new Map<number, number>()
    let waitingBytes = 0
    let waitingCount = 0
    for await (const exchange of file.readExchanges()) {
      const bodies = { request: findBody(exchange.requestBody), response: findBody(exchange.responseBody) }
      waitingBytes += (bodies.request?.entry.size ?? 0) + (bodies.response?.entry.size ?? 0)
      waitingCount += 1
      if (waitingBytes > MAX_WAITING_BYTES || waitingCount > MAX_WAITING_EXCHANGES) {
        // They take what they are sent in order, so a response means that nothing waits any more.
        await Promise.all([store.rows([]), snapshots.list(undefined)])
        waitingBytes = 0
        waitingCount = 0
      }
      if (abort.signal.aborted) return
      const seq = seqs.size + 1
      seqs.set(exchange.row.seq, seq)
      if (exchange.context === true) contexts.add(seq)
      await observe(exchange, bodies, services)
      store.add(toRawEntry(exchange, bodies))
      if (exchange.initiator) store.recordInitiator(exchange.row.id, exchange.initiator)
    }
    const recordedFindings: Finding[] = []
    for await (const finding of file.readLines('findings')) {
      const exchanges = finding.exchanges.flatMap((seq) => seqs.get(seq) ?? [])
      if (exchanges.length > 0) recordedFindings.push({ ...finding, exchanges })
    }
    findings.applyChange({ kind: 'all', findings: recordedFindings })
  }

  /** @returns null also for a body that is too large to be shown */
  function findBody(name: string | null): EntryPlace | null {
    const entry = name === null ? null : file.findBody(name)
    return entry && entry.size <= MAX_BODY_BYTES ? { fd: file.zip.fd, entry } : null
  }

  /** Bodies of other exchanges than these are read by the thread of the store alone. */
  async function observe(
    exchange: RecordedExchange,
    bodies: BodyPlaces,
    { snapshots, operations }: FilledServices,
  ): Promise<void> {
    const { row } = exchange
    const endpoint = resolveRecordedRow(row, null)
    const isUsed = row.origin.kind === 'heartbeat' || endpoint.access !== 'read' || endpoint.navigationMember !== null
    const readBody = async (place: EntryPlace | null): Promise<Uint8Array | null> =>
      isUsed && place ? file.zip.readWhole(place.entry.name, MAX_BODY_BYTES) : null
    const [request, response] = [await readBody(bodies.request), await readBody(bodies.response)]
    const { start, end } = toObservedExchange(exchange, endpoint, request, response, baseUrl)
    snapshots.observeExchange(start, end, bodies.response ?? undefined)
    if (hasLeftForHost(row)) operations.handleExchange(start, end)
  }

  return {
    /** The person's title; empty if there is none. */
    title: file.manifest.title,
    /** Start of the first exchange, in epoch milliseconds. */
    startedAt: file.manifest.span?.from ?? file.manifest.createdAt,
    endedAt: file.manifest.span?.to ?? file.manifest.createdAt,
    server,
    /** Adds the recorded operations to an empty journal. */
    async fillJournal(journal: Journal): Promise<void> {
      for await (const operation of file.readLines('operations')) {
        const stored = toStoredOperation(operation)
        for (const [place, event] of operation.events.entries()) {
          if (place === 0) journal.create(stored, event)
          else journal.append(stored.id, place, event)
        }
        journal.setSeen(stored.id, true)
      }
    },
    /** Adds everything else; a notice says where the file breaks off. @throws errors of reading */
    fill(services: FilledServices): Promise<void> {
      const filled = fillServices(services)
      filled.catch((error: unknown) => reportDamage(error, services))
      return filled
    },
    /** The exchange was only saved so that the recording can be opened. */
    isContext: (seq: number): boolean => contexts.has(seq),
    stop: (): void => abort.abort(),
  }
}

function reportDamage(error: unknown, { log, notices }: FilledServices): void {
  const { message, params } = toWireError(error)
  log.error('a recording could not be read to its end', { reason: message })
  notices.add({ level: 'error', code: 'RECORDING_CUT', message, params: { entry: '', ...params } })
}

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

function toRawEntry(exchange: RecordedExchange, places: BodyPlaces): RawEntry {
  const { row, requestHeaders, responseHeaders, error, ...sides } = toExchangeDetail(exchange)
  const toRawBody = (side: 'request' | 'response'): RawBody => {
    const { total, missing, mediaType } = sides[side]
    const place = places[side]
    const body = { total, missing, mediaType, bytes: null, isJson: isJsonType(mediaType) }
    if (place) return { ...body, place }
    return exchange[`${side}Body`] === null ? body : { ...body, missing: 'limit' }
  }
  return {
    row,
    beganAt: row.startedAt,
    endedAt: row.startedAt + (row.durationMs ?? 0),
    requestHeaders,
    responseHeaders,
    error,
    request: toRawBody('request'),
    response: toRawBody('response'),
    token: null,
  }
}

/** Converts to what services observe; `baseUrl` replaces the host's address if it is that host. */
function toObservedExchange(
  { row, requestHeaders, responseHeaders, error, ...sides }: RecordedExchange,
  endpoint: Endpoint,
  request: Uint8Array | null,
  response: Uint8Array | null,
  baseUrl: string,
): { readonly start: ExchangeStart; readonly end: ExchangeEnd } {
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
