/**
 * Starts the app's services, both for the desktop (`main.ts`) and for the browser host
 * (`serve.ts`). The files of this folder only connect the parts: the logic is in `services`, and
 * calls of the page are in `handlers`. Read `composeApp` first, then `config.ts`.
 */
import { EventEmitter } from 'node:events'
import { concealTokens, createDispatcher, createInternalCalls } from './handlers/dispatcher.ts'
import type { ComposedApp, IpcDispatcher, AppPorts } from './handlers/ipc-dispatcher.ts'
import { createHandlers } from './handlers/index.ts'
import { createCallerKeys, createListingReader } from './handlers/listing-reader.ts'
import { refuseSending } from './handlers/recorded-session.ts'
import { createBridgeClient, withOrigin, CONNECTION_ORIGIN } from './services/bridge/client/client.ts'
import { createConnection } from './services/bridge/connection/connection.ts'
import { ReadAhead } from './services/bridge/reading/read-ahead.ts'
import { createEndpointReader } from './services/bridge/reading/reader.ts'
import type { BridgeRequest, ExchangeStart, ExchangeEnd } from './services/bridge/types.ts'
import { createBreakpoints } from './services/breakpoints/breakpoints.ts'
import { createBus } from './services/bus.ts'
import { SchemaService } from './services/contract/schema-service.ts'
import { createConsoleFiles } from './services/console/console.ts'
import { createContentService } from './services/media/content-service.ts'
import { createHostDiscovery } from './services/discovery/host-discovery.ts'
import { createMachineEnvironment } from './services/discovery/local-sources.ts'
import { createFindings } from './services/findings/findings.ts'
import { createLog, describeError, createFileSink, createPageFaultLogger } from './services/files/log.ts'
import { preferFullMarkSweep } from './services/heap.ts'
import { createMemoryJournal } from './services/journal/memory-journal.ts'
import { openJournal } from './services/journal/journal.ts'
import type { StoredOperation } from './services/journal/types.ts'
import { createNotices } from './services/notices.ts'
import { composeOperations } from './operations-composition.ts'
import { WriteLock } from './services/operations/send/write-lock.ts'
import { composePanel } from './services/panel/composed-panel.ts'
import {
  createProfileResolver,
  createSharedAddressNotice,
  type FirstProfile,
} from './services/profiles/first-profile.ts'
import { createProfiles } from './services/profiles/profiles.ts'
import { Redactor } from './services/redactor.ts'
import { createRecording, findProcess } from './services/recording/recording.ts'
import type { RecordedHost } from './services/recordings/recorded-host.ts'
import { createRecordings } from './services/recordings/recordings.ts'
import { createSettings } from './services/settings/settings.ts'
import { createSnapshots } from './services/snapshots/snapshots.ts'
import { withEndListeners } from './services/traffic/recorder.ts'
import { composeTraffic } from './traffic-composition.ts'
import { createUpdates } from './services/updates/updates.ts'
import { Uploads } from './services/uploads/uploads.ts'
import { createVault } from './services/vault/vault.ts'
import type { Config } from './config.ts'
import { checkDataDir } from './services/files/data-dir.ts'
import { acquireDataDirLock } from './services/files/data-dir-lock.ts'
import { copyDataDir } from './services/files/data-dir-copy.ts'
import { createDemoHostManager, repeatRequests, spawnDemoHost } from './demo-host/demo-thread.ts'

export type { ComposedApp as App, AppPorts as Ports }

/** Passes events of a service to services that are created after it. */
interface Signals {
  tokenUnlocked: []
  profileEdited: [profileId: string]
  /** Emitted before a write is sent, and a second time after the write has ended. */
  write: [command: BridgeRequest]
  exchangeEnded: [start: ExchangeStart, end: ExchangeEnd]
}

/**
 * @throws DATA_DIR_IN_USE when a different instance uses the data directory.
 * @throws TOKEN_MALFORMED when the configured token has an invalid form.
 * @throws the errors of `checkDataDir`.
 * @param recorded a recording to show in place of a host, with a data directory of its own. Nothing
 *   is sent then but reads to the server of the recording.
 */
export async function composeApp(
  config: Config,
  ports: AppPorts,
  recorded: RecordedHost | null = null,
): Promise<ComposedApp> {
  if (!ports.isEmbedded) preferFullMarkSweep()
  const warnings = [...checkDataDir(config.dataDir), ...config.warnings]
  const { isVisit = false } = ports
  const dataDirCopy = isVisit ? copyDataDir(config.dataDir) : null
  const releaseDataDir = dataDirCopy
    ? dataDirCopy.remove
    : acquireDataDirLock(config.dataDir, ports.acceptsProposals ? ports.mode : 'command')
  const dataDir = dataDirCopy?.dataDir ?? config.dataDir
  const redactor = new Redactor()
  const log = createLog(isVisit ? () => undefined : createFileSink(dataDir), redactor)
  const conceal = (text: string): string => redactor.conceal(text)
  const holdsToken = (text: string): boolean => redactor.holdsToken(text)
  const bus = createBus((error) => log.error('a listener failed', { reason: describeError(error) }))
  const notices = createNotices(bus)
  for (const warning of warnings) notices.add(warning)
  const settings = createSettings(dataDir, bus, notices)
  const signals = new EventEmitter<Signals>()
  const onUnlock = (): void => void signals.emit('tokenUnlocked')
  const vault = await createVault({ dataDir, cipher: ports.cipher, redactor, log, notices, onUnlock })
  const profiles = createProfiles(dataDir, vault, bus, notices)
  signals.on('tokenUnlocked', () => profiles.publishChange())
  const getLimits = () => {
    const { connectTimeoutMs, idleTimeoutMs, totalTimeoutMs, responseLimitBytes } = settings.get()
    const capTimeout = (ms: number): number => Math.min(ms, config.timeoutMs ?? ms)
    const timeouts = { connectTimeoutMs: capTimeout(connectTimeoutMs), idleTimeoutMs: capTimeout(idleTimeoutMs) }
    return { ...timeouts, totalTimeoutMs: capTimeout(totalTimeoutMs), maxBytes: responseLimitBytes }
  }
  const findings = createFindings(dataDir, bus, notices)
  // The findings of a recording are those that it holds: how panels made their calls is not in it.
  const onFindings: typeof findings.applyChange = recorded ? () => undefined : findings.applyChange
  const recorder = composeTraffic({
    ...{ dataDir, isVisit, keepsTraffic: ports.keepsTraffic ?? false, worker: ports.trafficWorker },
    runStartedAt: recorded?.startedAt ?? Date.now(),
    ...{ bus, notices, log, redactor, settings, onFindings },
  })
  const snapshots = createSnapshots({
    ...{ dataDir, isVisit, worker: ports.snapshotWorker },
    ...{ bus, notices, log, settings },
    onTokens: (listener) => redactor.onRegister(listener),
  })
  const liveRecorder = withEndListeners(
    recorder,
    [snapshots.observeExchange, (start, end) => signals.emit('exchangeEnded', start, end)],
    (error) => log.error('an exchange was not followed', { reason: describeError(error) }),
  )
  const client = createBridgeClient({
    ...(recorded ? { standIn: recorded.server } : { recorder: liveRecorder }),
    limits: getLimits,
    version: ports.version,
    onWrite: (command) => signals.emit('write', command),
  })
  const connectionClient = withOrigin(client, CONNECTION_ORIGIN)
  const lock = new WriteLock(profiles, bus, (profileId) => signals.emit('profileEdited', profileId))
  const connection = createConnection({
    ...{ client: connectionClient, profiles, vault, bus, log },
    heartbeatMs: () => settings.get().heartbeatMs,
    isUnlocked: lock.isUnlocked,
  })
  signals.on('profileEdited', (profileId) => connection.applyProfileEdit(profileId))
  const contents = createContentService(client, connection, { conceal })
  const readAhead = new ReadAhead()
  /**
   * Discards cached data that a write may have changed: everything that was read in advance, and
   * the contents of the cards that `command` names.
   */
  const invalidateReads = (command: string): void => {
    readAhead.clear()
    contents.invalidate(/"note(?:id|ids)"/i.test(command) ? command : null)
  }
  signals.on('write', ({ params, body }) => invalidateReads(JSON.stringify([params, body])))
  const journal = isVisit ? createMemoryJournal(VISIT_REASON) : openJournal({ dataDir, notices, log, conceal })
  const getRetention = () => ({ keepDays: settings.get().journalKeepDays, maxMb: settings.get().journalMaxMb })
  // The record of an operation ends only after the host has finished the work that continues after
  // its response.
  const onEnded = ({ noteid, body }: StoredOperation): void =>
    invalidateReads(`${noteid === null ? '' : JSON.stringify({ noteid })} ${body ?? ''}`)
  const uploads = new Uploads(bus)
  const journalOptions = { dataDir, journal, notices, log, conceal, retention: getRetention, onEnded }
  const updates = createUpdates({ updater: ports.updater ?? null, settings, bus, log })
  if (recorded) await recorded.fillJournal(journal)
  const operationServices = composeOperations({
    ...{ client, connection, bus, uploads, isRecorded: recorded !== null },
    ...journalOptions,
    onChange: snapshots.observeChange,
  })
  signals.on('exchangeEnded', (start, end) => operationServices.handleExchange(start, end))
  const breakpoints = createBreakpoints({ bus, holdsToken, recorder, checkHost: connection.retry })
  const recording = createRecording({ client, connection, bus, notices, conceal, breakpoints, recorder, findProcess })
  bus.subscribe(({ topic }) => {
    if (topic !== 'connection.changed') return
    breakpoints.releaseMovedCalls()
    lock.relock(connection.state().profile?.id ?? null)
  })
  const { panel, overrides } = composePanel({
    ...{ dataDir, bus, conceal, connection, client, recorder, breakpoints, settings },
    holdsToken,
    operations: operationServices.operations,
    uploads,
    ports,
    firstRules: ports.overrides ?? [],
  })
  const selectionSources = { store: recorder.store, findings, records: operationServices.records }
  const recordings = createRecordings({
    ...{ ...selectionSources, dataDir, bus, log, conceal, snapshots },
    ...{ cipher: ports.cipher, version: ports.version, chooseFile: ports.chooseFile, repeatRequests },
    getOpened: () => ports.recordingSwitch?.getSources() ?? null,
    getTokens: () => redactor.tokens,
    listNotes: () => panel.listNotes(0).notes,
    listRules: () => [...(ports.overrides ?? []), ...overrides.state().rules],
    serveFile: (file) => spawnDemoHost({ worker: ports.demoWorker, recording: file, from: 'start' }),
  })
  const demoKeeper = createDemoHostManager({
    worker: ports.demoWorker,
    nodes: config.demoNodes,
    dialect: config.demoDialect,
  })

  const { first: resolveFirstProfile, startDemo } = createProfileResolver({
    profiles,
    vault,
    startDemoHost: () => demoKeeper.start(),
    isDemo: config.demo,
    baseUrl: config.baseUrl,
    profileName: config.profile,
    token: config.token,
  })

  const callerKeys = createCallerKeys()
  const handlers = createHandlers({
    breakpoints,
    callerKeys,
    chooseFile: ports.chooseFile,
    chooseFolder: ports.chooseFolder,
    client: connectionClient,
    concealTokens: conceal,
    connection,
    console: createConsoleFiles(dataDir, holdsToken),
    contents,
    findings,
    discovery: createHostDiscovery({
      client: connectionClient,
      profiles,
      vault,
      environment: createMachineEnvironment(ports.env),
    }),
    getAppInfo: () => ({
      name: 'Bridge Inspector',
      version: ports.version,
      mode: ports.mode,
      platform: process.platform,
      runtime: ports.runtime,
      dataDir: config.dataDir,
      demoRunning: demoKeeper.isRunning(),
      opensPanel: config.panel !== null,
      recording: recorded && { title: recorded.title, startedAt: recorded.startedAt },
      notices: notices.list(),
    }),
    notices,
    openExternal: ports.openExternal,
    operations: { ...operationServices, lock, journal },
    reportPageFault: createPageFaultLogger(log),
    overrides,
    panel,
    profiles,
    read: createEndpointReader(client, connection, readAhead),
    recorder,
    recording,
    recordings,
    ports,
    schemas: new SchemaService({ store: recorder.store, resources: ports.resources, version: ports.version }),
    settings,
    snapshots,
    startDemo,
    updates,
    uploads,
    vault,
  })
  const dispatcher = createDispatcher(recorded ? refuseSending(handlers) : handlers, log, conceal)

  async function dispose(): Promise<void> {
    dispatcher.removeAllCallers()
    breakpoints.close()
    panel.close()
    await recording.stop()
    await recordings.close()
    await operationServices.dispose()
    contents.close()
    uploads.close()
    updates.dispose()
    connection.dispose()
    client.close()
    await Promise.all([recorder.close(), snapshots.close()])
    findings.close()
    await demoKeeper.close()
    releaseDataDir()
  }

  const subscribe: IpcDispatcher['subscribe'] = (listener) =>
    bus.subscribe(({ topic, payload }) => listener({ topic, payload: concealTokens(payload, conceal) }))

  let firstProfile: FirstProfile | null
  let recordingUrl: string | null
  try {
    firstProfile = await resolveFirstProfile()
    recordingUrl = config.record ? await recording.startWithUrl() : null
  } catch (error) {
    await dispose()
    throw error
  }
  if (firstProfile?.sharedAddress) notices.add(createSharedAddressNotice(firstProfile.sharedAddress))
  if (firstProfile !== null) {
    connection
      .connect(firstProfile.id)
      .catch((error: unknown) => log.error('first connection', { reason: describeError(error) }))
  }
  const filled = { store: recorder.store, findings, snapshots, operations: operationServices, log, notices }
  const whenFilled = recorded?.fill(filled) ?? Promise.resolve()
  if (ports.acceptsProposals) await operationServices.agents.listen(createInternalCalls(dispatcher, 'agents'))
  if (config.panel)
    panel.open(config.panel).catch((error: unknown) => log.warn('panel', { reason: describeError(error) }))
  return {
    dispatcher: {
      call: dispatcher.call,
      cancel: dispatcher.cancel,
      readListing: createListingReader(dispatcher, () => readAhead.clear()),
      findCaller: callerKeys.findCaller,
      removeCaller(caller) {
        dispatcher.removeCaller(caller)
        callerKeys.revokeKey(caller)
        contents.releasePage(caller)
        uploads.dropAll(caller)
      },
      subscribe,
    },
    contentReader: contents.serve,
    getAppearance: () => settings.get(),
    panel,
    endCallers: recorder.endCallers,
    listNotices: notices.list,
    addNotice: notices.add,
    recordingUrl,
    log,
    firstProfile,
    selectionSources,
    whenFilled,
    dispose,
  }
}

const VISIT_REASON = 'This program only reads, and keeps no records.'
