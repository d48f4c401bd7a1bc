import { Readable } from 'node:stream'
import { createBus } from '../../../electron/services/bus.ts'
import { createBridgeClient } from '../../../electron/services/bridge/client/client.ts'
import { resolveRelayedRow } from '../../../electron/services/bridge/client/request-row.ts'
import { createMemoryStore } from '../../../electron/services/traffic/memory-store.ts'
import { createRecorder } from '../../../electron/services/traffic/recorder.ts'
import { startDemoHost, type DemoHostOptions } from '../../../electron/demo-host/server.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import type { ReplaySource } from '../../../electron/core/recordings/replay/replay-timeline.ts'
import { toRecordedExchange, type RecordedExchange } from '../../../shared/recordings/recording.ts'
import type { ComposedApp } from '../program/composed-app.ts'
import { createTarget, testLimits } from './test-client.ts'

export interface SentRequest {
  readonly method?: string
  /** Below the base URL, with the query. */
  readonly path: string
  /** A value is sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface ReceivedResponse {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}

/** Sends requests to a demo host through the program, which records them in its own store. */
export async function startReplayRecording(options: DemoHostOptions = {}) {
  const host = await startDemoHost({ nodes: 40, settleMs: 3_600_000, stepMs: 3_600_000, ...options })
  const recorder = createRecorder({
    createStore: (onChange) =>
      createMemoryStore({ reason: 'TRAFFIC_VISIT', onChange, maxExchanges: 100_000, maxBytes: 1024 ** 3 }),
    bus: createBus(),
    getMaxBodyBytes: () => 64 * 1024 * 1024,
    conceal: (text) => text,
  })
  const client = createBridgeClient({ recorder, limits: () => testLimits })
  const target = createTarget(host.baseUrl, { token: host.token, isReadOnly: false })

  async function send({ method = 'GET', path, body, headers = {} }: SentRequest): Promise<ReceivedResponse> {
    const text = body === undefined ? null : JSON.stringify(body)
    const response = await client.relay(target, {
      endpoint: resolveRelayedRow(method, path, target, null),
      method,
      rawPath: path,
      headers: Object.entries(headers),
      body: text === null ? null : Readable.from([Buffer.from(text)]),
      length: text === null ? null : Buffer.byteLength(text),
      origin: { kind: 'recorded', label: 'test' },
      signal: new AbortController().signal,
      isMasked: true,
    })
    const pieces: Buffer[] = []
    for await (const piece of response.body) pieces.push(piece as Buffer)
    return {
      status: response.status,
      headers: new Headers(response.headers.map(([name, value]): [string, string] => [name, value])),
      bytes: Buffer.concat(pieces),
    }
  }

  async function listExchanges(): Promise<RecordedExchange[]> {
    const { seqs } = await recorder.store.find({}, { by: 'time', descending: false }, 0)
    const exchanges: RecordedExchange[] = []
    for (const seq of seqs) {
      const detail = await recorder.store.exchange({ seq })
      if (detail) exchanges.push(toRecordedExchange(detail))
    }
    return exchanges
  }

  /** @param isRecorded leaves exchanges out of the recording */
  async function toSource(isRecorded: (exchange: RecordedExchange) => boolean = () => true): Promise<ReplaySource> {
    const readBody: BodyReader = async (...body) => (await recorder.store.body(...body, 0, MAX_BODY_BYTES))?.bytes
    return createSource(await listExchanges(), isRecorded, readBody)
  }

  async function close(): Promise<void> {
    client.close()
    await recorder.close()
    await host.close()
  }
  return { host, recorder, send, listExchanges, toSource, close }
}

const MAX_BODY_BYTES = 1024 ** 3

type BodyReader = (seq: number, side: 'request' | 'response') => Promise<Uint8Array | undefined>

function createSource(
  exchanges: readonly RecordedExchange[],
  isRecorded: (exchange: RecordedExchange) => boolean,
  loadBody: BodyReader,
) {
  const bodies = new Map<string, Parameters<BodyReader>>()
  for (const { row, requestBody, responseBody } of exchanges) {
    if (requestBody !== null) bodies.set(requestBody, [row.seq, 'request'])
    if (responseBody !== null) bodies.set(responseBody, [row.seq, 'response'])
  }
  return {
    readExchanges: () => exchanges.filter(isRecorded),
    async readBody(name: string) {
      const place = bodies.get(name)
      const bytes = place && (await loadBody(...place))
      if (!bytes) throw new Error(`no body ${name}`)
      return bytes
    },
  }
}

/** What the traffic store of a running program holds, as a recording. */
export async function readStoredRecording({ call }: ComposedApp) {
  await call('traffic.info', {})
  const { bytes } = await call('traffic.find', {
    filter: { heartbeats: true },
    sort: { by: 'time', descending: false },
  })
  const exchanges: RecordedExchange[] = []
  for (const seq of new Uint32Array(bytes)) exchanges.push(toRecordedExchange(await call('traffic.exchange', { seq })))
  return createSource(
    exchanges,
    () => true,
    async (seq, side) => {
      const body = await call('traffic.body', { seq, side, start: 0, end: MAX_BODY_BYTES })
      return new Uint8Array(body.bytes)
    },
  )
}

/** Writes a recording file with these exchanges and nothing else. */
export async function writeSource(file: string, source: ReplaySource): Promise<void> {
  await writeRecording(file, {
    describe: () => ({
      ...{ createdAt: 0, title: '', span: null, selection: { kind: 'all' }, leftOut: [], redaction: null },
      program: { name: 'test', version: '1' },
      host: { baseUrl: null, name: 'Recorded Notes', version: null },
    }),
    lines: { exchanges: source.readExchanges() },
    loadBody: source.readBody,
  })
}

/** Sends a request to a served recording. */
export async function sendToServed(
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
  { method = 'GET', path, body, headers = {} }: SentRequest,
): Promise<ReceivedResponse> {
  const response = await fetch(baseUrl + path, {
    method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}
