import type { BaseServices } from './base-composition.ts'
import type { Config } from './config.ts'
import type { AppPorts } from './handlers/app-ports.ts'
import { CONNECTION_ORIGIN, createBridgeClient, withOrigin } from './services/bridge/client/client.ts'
import { createConnection, type Connection } from './services/bridge/connection/connection.ts'
import { ReadAhead } from './services/bridge/reading/read-ahead.ts'
import { createEndpointReader } from './services/bridge/reading/reader.ts'
import type { BridgeClient, RequestLimits } from './services/bridge/types.ts'
import { createFindings } from './services/findings/findings.ts'
import { createContentService } from './services/media/content-service.ts'
import { WriteLock } from './services/operations/send/write-lock.ts'
import type { RecordedHost } from './services/recordings/recorded-host.ts'
import { createSnapshots } from './services/snapshots/snapshots.ts'
import { withPublishedEnds } from './services/traffic/recorder.ts'
import { composeTraffic } from './traffic-composition.ts'

export type BridgeServices = ReturnType<typeof composeBridge>

/** Creates what sends requests to a host, what keeps them, and what reads for pages. */
export function composeBridge(base: BaseServices, config: Config, ports: AppPorts, recorded: RecordedHost | null) {
  const { bus, settings, redactor } = base
  const findings = createFindings(base.dataDir, bus, base.notices)
  const recorder = composeTraffic({
    ...base,
    keepsTraffic: ports.keepsTraffic ?? false,
    worker: ports.trafficWorker,
    runStartedAt: recorded?.startedAt ?? Date.now(),
    recordingEndedAt: recorded?.endedAt,
    // A recording holds its findings, but not how panels made their calls.
    onFindings: recorded ? () => undefined : findings.applyChange,
    listFindingSeqs: findings.listShownSeqs,
  })
  const snapshots = createSnapshots({
    ...base,
    worker: ports.snapshotWorker,
    onTokens: (listener) => redactor.onRegister(listener),
  })
  bus.on('bridge.exchangeEnded', ({ start, end }) => snapshots.observeExchange(start, end))
  bus.on('operations.changedData', ({ change, source }) => snapshots.observeChange(change, source))
  const client = createBridgeClient({
    ...(recorded ? { standIn: recorded.server } : { recorder: withPublishedEnds(recorder, bus) }),
    limits: () => getRequestLimits(base, config),
    version: ports.version,
    onWrite: (request) => bus.publish('bridge.write', request),
  })
  const connectionClient = withOrigin(client, CONNECTION_ORIGIN)
  const lock = new WriteLock(base.profiles, bus)
  const connection = createConnection({
    ...base,
    client: connectionClient,
    heartbeatMs: () => settings.get().heartbeatMs,
    isUnlocked: lock.isUnlocked,
  })
  bus.on('profiles.lockChanged', (profileId) => connection.applyProfileEdit(profileId))
  const reading = composeReading(base, client, connection)
  return { ...reading, findings, recorder, snapshots, client, connectionClient, lock, connection }
}

function composeReading({ bus, conceal }: BaseServices, client: BridgeClient, connection: Connection) {
  const contents = createContentService(client, connection, { conceal })
  const readAhead = new ReadAhead()
  /** Discards what was read in advance, and the contents of the cards that `command` names. */
  function invalidateReads(command: string): void {
    readAhead.clear()
    contents.invalidate(/"note(?:id|ids)"/i.test(command) ? command : null)
  }
  bus.on('bridge.write', ({ params, body }) => invalidateReads(JSON.stringify([params, body])))
  // The record ends only after the host's work that continues after its response.
  bus.on('operations.ended', ({ noteid, body }) =>
    invalidateReads(`${noteid === null ? '' : JSON.stringify({ noteid })} ${body ?? ''}`),
  )
  return { contents, readAhead, read: createEndpointReader(client, connection, readAhead) }
}

function getRequestLimits({ settings }: BaseServices, { timeoutMs }: Config): RequestLimits {
  const { connectTimeoutMs, idleTimeoutMs, totalTimeoutMs, responseLimitBytes } = settings.get()
  const capTimeout = (ms: number): number => Math.min(ms, timeoutMs ?? ms)
  return {
    connectTimeoutMs: capTimeout(connectTimeoutMs),
    idleTimeoutMs: capTimeout(idleTimeoutMs),
    totalTimeoutMs: capTimeout(totalTimeoutMs),
    maxBytes: responseLimitBytes,
  }
}
