/**
 * Serves a recording as a host on loopback, with the demo host's own token, faults and delays.
 * What is returned is decided in electron/core/recordings/replay. Read `startServedRecording`
 * first.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { createReplay } from '../../core/recordings/replay/replay.ts'
import { buildReplayTimeline, type ReplaySource } from '../../core/recordings/replay/replay-timeline.ts'
import { DemoAuth } from '../demo-auth.ts'
import type { FaultName } from '../faults.ts'
import { openRecording } from '../../recording-file/recording-file.ts'
import { checkExpansion } from '../../recording-file/zip-reader.ts'
import { startLoopbackServer } from '../loopback-server.ts'
import { BRIDGE_PATH_PREFIX, type DemoLogEntry } from '../request-handler.ts'
import type { DemoHost, DemoHostOptions } from '../server.ts'
import { createRecordedHandler, type ServedRequest } from './recorded-handler.ts'

export type { ServedRequest }

export interface ServedRecordingOptions extends Pick<
  DemoHostOptions,
  'port' | 'token' | 'latencyMs' | 'fault' | 'allowFaultHeader'
> {
  /** Each response takes as long as it took when it was recorded; by default none waits. */
  readonly keepsDelays?: boolean
  readonly observe?: (request: ServedRequest) => void
  /** `end`: all recorded writes are done, so that each read returns its last response. */
  readonly from?: 'start' | 'end'
}

export interface ServedRecording extends Pick<
  DemoHost,
  'baseUrl' | 'port' | 'token' | 'log' | 'setFault' | 'setLatency' | 'restart' | 'close'
> {
  countWrites(): { readonly done: number; readonly recorded: number }
  /** Begins anew: no write is done. */
  rewind(): void
}

const MAX_LOG_ENTRIES = 20_000

/** Serves a path, or a source that the caller keeps open. @throws errors of reading, listening */
export async function startServedRecording(
  recording: string | ReplaySource,
  options: ServedRecordingOptions = {},
): Promise<ServedRecording> {
  if (typeof recording !== 'string') return serveSource(recording, options)
  const file = await openRecording(recording)
  try {
    await checkExpansion(file.zip)
    const served = await serveSource(file, options)
    return { ...served, close: () => served.close().finally(() => file.close()) }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function serveSource(source: ReplaySource, options: ServedRecordingOptions): Promise<ServedRecording> {
  const token = options.token ?? `mnb0.${randomBytes(24).toString('base64url')}`
  let fault: FaultName | null = options.fault ?? null
  let latency = options.latencyMs ?? 0
  const log: DemoLogEntry[] = []
  const timeline = await buildReplayTimeline(source)
  const replay = createReplay(timeline, { from: options.from ?? 'start' })
  const { name = null, version = null } = source.manifest?.host ?? {}
  const handleRequest = createRecordedHandler({
    source,
    timeline,
    replay,
    auth: new DemoAuth(token, null),
    status: {
      app: name ?? 'Recording',
      ...(version === null ? {} : { appVersion: version }),
      enabled: true,
      instanceNonce: randomUUID(),
    },
    fault: () => fault,
    latencyMs: () => latency,
    keepsDelays: options.keepsDelays ?? false,
    allowFaultHeader: options.allowFaultHeader ?? false,
    observe: options.observe,
    restart: () => void server.restart(() => undefined).catch(() => undefined),
    record(entry) {
      if (log.length >= MAX_LOG_ENTRIES) log.shift()
      log.push(entry)
    },
  })
  const server = await startLoopbackServer(
    (request, response) => void handleRequest(request, response),
    options.port ?? 0,
  )
  return {
    baseUrl: `http://127.0.0.1:${server.port}${BRIDGE_PATH_PREFIX}`,
    port: server.port,
    token,
    log,
    setFault(next) {
      fault = next
    },
    setLatency(ms) {
      latency = ms
    },
    restart: (gapMs) => server.restart(() => undefined, gapMs),
    close: () => server.close(),
    countWrites: () => replay.countWrites(),
    rewind: () => replay.rewind(),
  }
}
