import { EventEmitter } from 'node:events'
import { concealTokens, createDispatcher, createInternalCalls } from './handlers/dispatcher.ts'
import type { ComposedApp, IpcDispatcher, AppPorts } from './handlers/ipc-dispatcher.ts'
import { createHandlers } from './handlers/index.ts'
import { createCallerKeys, createListingReader } from './handlers/listing-reader.ts'
import { createBridgeClient, withOrigin, CONNECTION_ORIGIN } from './services/bridge/client/client.ts'
import { createConnection } from './services/bridge/connection/connection.ts'
import { ReadAhead } from './services/bridge/reading/read-ahead.ts'
import { createReader } from './services/bridge/reading/reader.ts'
import type { BridgeRequest, ExchangeStart, ExchangeEnd } from './services/bridge/types.ts'
import { createBus } from './services/bus.ts'
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
import { createRecording } from './services/recording/recording.ts'
import { createSettings } from './services/settings/settings.ts'
import { withEndListener } from './services/traffic/recorder.ts'
import { composeTraffic } from './traffic-composition.ts'
import { createUpdates } from './services/updates/updates.ts'
import { Uploads } from './services/uploads/uploads.ts'
import { createVault } from './services/vault/vault.ts'
import type { Config } from './config.ts'
import { checkDataDir } from './services/files/data-dir.ts'
import { acquireDataDirLock } from './services/files/data-dir-lock.ts'
import { copyDataDir } from './services/files/data-dir-copy.ts'
import { createDemoKeeper } from './demo-host/demo-thread.ts'

export type { ComposedApp as App, AppPorts as Ports }

/** What a service says to those that are built after it. */
interface Signals {
  tokenUnlocked: []
  profileEdited: [profileId: string]
  /** Before a write is sent, and again once it is over. */
  write: [command: BridgeRequest]
  exchangeEnded: [begun: ExchangeStart, ended: ExchangeEnd]
}

/** Builds the services from the configuration. Throws `DATA_DIR_IN_USE`, the errors of `checkDataDir`, and `TOKEN_MALFORMED`. */
export async function composeApp(config: Config, ports: AppPorts): Promise<ComposedApp> {
  preferFullMarkSweep()
  const warnings = [...checkDataDir(config.dataDir), ...config.warnings]
  const { isVisit: visiting = false } = ports
  const visit = visiting ? copyDataDir(config.dataDir) : null
  const release = visit
    ? visit.remove
    : acquireDataDirLock(config.dataDir, ports.acceptsProposals ? ports.mode : 'command')
  const dataDir = visit?.dataDir ?? config.dataDir
  const redactor = new Redactor()
  const log = createLog(visiting ? () => undefined : createFileSink(dataDir), redactor)
  const conceal = (text: string): string => redactor.conceal(text)
  const holdsToken = (text: string): boolean => redactor.holdsToken(text)
  const bus = createBus((error) => log.error('a listener failed', { reason: describeError(error) }))
  const notices = createNotices(bus)
  for (const warning of warnings) notices.add(warning)
  const settings = createSettings(dataDir, bus, notices)
  const signals = new EventEmitter<Signals>()
  const changed = (): void => void signals.emit('tokenUnlocked')
  const vault = await createVault({ dataDir, cipher: ports.cipher, redactor, log, notices, onUnlock: changed })
  const profiles = createProfiles(dataDir, vault, bus, notices)
  signals.on('tokenUnlocked', () => profiles.publishChange())
  const limits = () => {
    const { connectTimeoutMs, idleTimeoutMs, totalTimeoutMs, responseLimitBytes } = settings.get()
    const within = (ms: number): number => Math.min(ms, config.timeoutMs ?? ms)
    const times = { connectTimeoutMs: within(connectTimeoutMs), idleTimeoutMs: within(idleTimeoutMs) }
    return { ...times, totalTimeoutMs: within(totalTimeoutMs), maxBytes: responseLimitBytes }
  }
  const findings = createFindings(dataDir, bus, notices)
  const around = { bus, notices, log, redactor, settings, onFindings: findings.applyChange }
  const recorder = composeTraffic({ dataDir, visiting, worker: ports.trafficWorker, ...around })
  const client = createBridgeClient({
    recorder: withEndListener(recorder, (begun, ended) => signals.emit('exchangeEnded', begun, ended)),
    limits,
    version: ports.version,
    onWrite: (command) => signals.emit('write', command),
  })
  const own = withOrigin(client, CONNECTION_ORIGIN)
  const lock = new WriteLock(profiles, bus, (profileId) => signals.emit('profileEdited', profileId))
  const connection = createConnection({
    ...{ client: own, profiles, vault, bus, log },
    heartbeatMs: () => settings.get().heartbeatMs,
    isUnlocked: lock.isUnlocked,
  })
  signals.on('profileEdited', (profileId) => connection.applyProfileEdit(profileId))
  const contents = createContentService(client, connection, { conceal })
  const ahead = new ReadAhead()
  /** What was read before a write may be stale: whatever was read ahead, and the contents of the cards that `command` names. */
  const forget = (command: string): void => {
    ahead.clear()
    contents.invalidate(/"note(?:id|ids)"/i.test(command) ? command : null)
  }
  signals.on('write', ({ params, body }) => forget(JSON.stringify([params, body])))
  const journal = visiting ? createMemoryJournal(VISIT_REASON) : openJournal({ dataDir, notices, log, conceal })
  const retention = () => ({ keepDays: settings.get().journalKeepDays, maxMb: settings.get().journalMaxMb })
  // Once a record has ended, whatever the host did long after its answer is done too.
  const onEnded = ({ noteid, body }: StoredOperation): void =>
    forget(`${noteid === null ? '' : JSON.stringify({ noteid })} ${body ?? ''}`)
  const uploads = new Uploads(bus)
  const journaling = { dataDir, journal, notices, log, conceal, retention, onEnded }
  const updates = createUpdates({ updater: ports.updater ?? null, settings, bus, log })
  const written = composeOperations({ client, connection, bus, uploads, ...journaling })
  signals.on('exchangeEnded', (begun, ended) => written.noteExchange(begun, ended))
  const recording = createRecording({ client, connection, bus, notices, conceal })
  bus.subscribe(({ topic }) => {
    if (topic === 'connection.changed') lock.relock(connection.state().profile?.id ?? null)
  })
  const { panel, overrides } = composePanel({
    ...{ dataDir, bus, conceal, connection, client, recorder },
    holdsToken,
    operations: written.operations,
    uploads,
    resources: ports.resources,
    view: ports.panelView,
  })
  const demo = createDemoKeeper({ worker: ports.demoWorker, nodes: config.demoNodes, dialect: config.demoDialect })

  const { first: firstProfile, startDemo } = createProfileResolver({
    profiles,
    vault,
    startDemoHost: () => demo.start(),
    isDemo: config.demo,
    baseUrl: config.baseUrl,
    profileName: config.profile,
    token: config.token,
  })

  const callerKeys = createCallerKeys()
  const dispatch = createDispatcher(
    createHandlers({
      callerKeys,
      chooseFile: ports.chooseFile,
      chooseFolder: ports.chooseFolder,
      client: own,
      concealTokens: conceal,
      connection,
      console: createConsoleFiles(dataDir, holdsToken),
      contents,
      findings,
      discovery: createHostDiscovery({
        client: own,
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
        demoRunning: demo.isRunning(),
        opensPanel: config.panel !== null,
        notices: notices.list(),
      }),
      notices,
      openExternal: ports.openExternal,
      operations: { ...written, lock, journal },
      reportPageFault: createPageFaultLogger(log),
      overrides,
      panel,
      profiles,
      read: createReader(client, connection, ahead),
      recorder,
      recording,
      settings,
      startDemo,
      updates,
      uploads,
      vault,
    }),
    log,
    conceal,
  )

  async function dispose(): Promise<void> {
    dispatch.removeAllCallers()
    panel.close()
    await recording.stop()
    await written.dispose()
    contents.close()
    uploads.close()
    updates.dispose()
    connection.dispose()
    client.close()
    await recorder.close()
    findings.close()
    await demo.close()
    release()
  }

  const subscribe: IpcDispatcher['subscribe'] = (listener) =>
    bus.subscribe(({ topic, payload }) => listener({ topic, payload: concealTokens(payload, conceal) }))

  let first: FirstProfile | null
  let recordingUrl: string | null
  try {
    first = await firstProfile()
    recordingUrl = config.record ? await recording.startWithUrl() : null
  } catch (error) {
    await dispose()
    throw error
  }
  if (first?.sharedAddress) notices.add(createSharedAddressNotice(first.sharedAddress))
  if (first !== null) {
    connection
      .connect(first.id)
      .catch((error: unknown) => log.error('first connection', { reason: describeError(error) }))
  }
  if (ports.acceptsProposals) await written.agents.listen(createInternalCalls(dispatch, 'agents'))
  if (config.panel)
    panel.open(config.panel).catch((error: unknown) => log.warn('panel', { reason: describeError(error) }))
  return {
    dispatcher: {
      call: dispatch.call,
      cancel: dispatch.cancel,
      readListing: createListingReader(dispatch, () => ahead.clear()),
      findCaller: callerKeys.findCaller,
      removeCaller(caller) {
        dispatch.removeCaller(caller)
        callerKeys.revokeKey(caller)
        contents.releasePage(caller)
        uploads.dropAll(caller)
      },
      subscribe,
    },
    contentReader: contents.serve,
    getAppearance: () => settings.get(),
    panel,
    listNotices: notices.list,
    recordingUrl,
    log,
    firstProfile: first,
    dispose,
  }
}

const VISIT_REASON = 'This program only reads, and keeps no records.'
