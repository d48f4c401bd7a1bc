import { EventEmitter } from 'node:events'
import { concealed, createDispatch, ownCalls } from './handlers/dispatch.ts'
import type { App, Door, Ports } from './handlers/door.ts'
import { createHandlers } from './handlers/index.ts'
import { createListing } from './handlers/listing.ts'
import { createBridgeClient, causedBy, ownOrigin } from './services/bridge/client/client.ts'
import { createConnection } from './services/bridge/connection/connection.ts'
import { ReadAhead } from './services/bridge/reading/read-ahead.ts'
import { createReader } from './services/bridge/reading/reader.ts'
import type { BridgeRequest, ExchangeBegun, ExchangeEnded } from './services/bridge/types.ts'
import { createBus } from './services/bus.ts'
import { createConsoleFiles } from './services/console/console.ts'
import { createContents } from './services/content/service.ts'
import { createDiscovery } from './services/discovery/discovery.ts'
import { realPlaces } from './services/discovery/sources.ts'
import { createFindings } from './services/findings/findings.ts'
import { createLog, describe, fileSink, createPageFaults } from './services/files/log.ts'
import { markInOneGo } from './services/heap.ts'
import { noJournal } from './services/journal/none.ts'
import { openJournal } from './services/journal/sqlite.ts'
import type { StoredOperation } from './services/journal/types.ts'
import { createNotices } from './services/notices.ts'
import { composeOperations } from './compose-operations.ts'
import { WriteLock } from './services/operations/send/lock.ts'
import { composePanel } from './services/panel/compose.ts'
import { createFirstProfile, sharedAddressNotice, type FirstProfile } from './services/profiles/first.ts'
import { createProfiles } from './services/profiles/profiles.ts'
import { Redactor } from './services/redact.ts'
import { createRecording } from './services/recording/recording.ts'
import { createSettings } from './services/settings/settings.ts'
import { listened } from './services/traffic/recorder.ts'
import { composeTraffic } from './compose-traffic.ts'
import { createUpdates } from './services/updates/updates.ts'
import { Uploads } from './services/uploads/uploads.ts'
import { createVault } from './services/vault/vault.ts'
import type { Config } from './config.ts'
import { checkDataDir } from './services/files/data-dir.ts'
import { takeLock } from './services/files/lock.ts'
import { visitDataDir } from './services/files/visit.ts'
import { keepDemoHost } from './demo-host/spawn.ts'

export type { App, Ports }

/** What a service says to those that are built after it. */
interface Signals {
  tokenUnlocked: []
  profileEdited: [profileId: string]
  /** Before a write is sent, and again once it is over. */
  write: [command: BridgeRequest]
  exchangeEnded: [begun: ExchangeBegun, ended: ExchangeEnded]
}

/** Builds the services from the configuration. Throws `DATA_DIR_IN_USE`, the errors of `checkDataDir`, and `TOKEN_MALFORMED`. */
export async function compose(config: Config, ports: Ports): Promise<App> {
  markInOneGo()
  const warnings = [...checkDataDir(config.dataDir), ...config.warnings]
  const { visiting = false } = ports
  const visit = visiting ? visitDataDir(config.dataDir) : null
  const release = visit ? visit.leave : takeLock(config.dataDir, ports.takesProposals ? ports.mode : 'command')
  const dataDir = visit?.dataDir ?? config.dataDir
  const redactor = new Redactor()
  const log = createLog(visiting ? () => undefined : fileSink(dataDir), redactor)
  const conceal = (text: string): string => redactor.conceal(text)
  const holdsToken = (text: string): boolean => redactor.holdsToken(text)
  const bus = createBus((error) => log.error('a listener failed', { reason: describe(error) }))
  const notices = createNotices(bus)
  for (const warning of warnings) notices.add(warning)
  const settings = createSettings(dataDir, bus, notices)
  const signals = new EventEmitter<Signals>()
  const changed = (): void => void signals.emit('tokenUnlocked')
  const vault = await createVault({ dataDir, cipher: ports.cipher, redactor, log, notices, changed })
  const profiles = createProfiles(dataDir, vault, bus, notices)
  signals.on('tokenUnlocked', () => profiles.touched())
  const limits = () => {
    const { connectTimeoutMs, idleTimeoutMs, totalTimeoutMs, responseLimitBytes } = settings.get()
    const within = (ms: number): number => Math.min(ms, config.timeoutMs ?? ms)
    const times = { connectTimeoutMs: within(connectTimeoutMs), idleTimeoutMs: within(idleTimeoutMs) }
    return { ...times, totalTimeoutMs: within(totalTimeoutMs), maxBytes: responseLimitBytes }
  }
  const findings = createFindings(dataDir, bus, notices)
  const around = { bus, notices, log, redactor, settings, onFindings: findings.changed }
  const recorder = composeTraffic({ dataDir, visiting, worker: ports.trafficWorker, ...around })
  const client = createBridgeClient({
    recorder: listened(recorder, (begun, ended) => signals.emit('exchangeEnded', begun, ended)),
    limits,
    version: ports.version,
    onWrite: (command) => signals.emit('write', command),
  })
  const own = causedBy(client, ownOrigin)
  const lock = new WriteLock(profiles, bus, (profileId) => signals.emit('profileEdited', profileId))
  const connection = createConnection({
    ...{ client: own, profiles, vault, bus, log },
    heartbeatMs: () => settings.get().heartbeatMs,
    unlocked: lock.isUnlocked,
  })
  signals.on('profileEdited', (profileId) => connection.edited(profileId))
  const contents = createContents(client, connection, { conceal })
  const ahead = new ReadAhead()
  /** What was read before a write may be stale: whatever was read ahead, and the contents of the cards that `command` names. */
  const forget = (command: string): void => {
    ahead.clear()
    contents.forget(/"note(?:id|ids)"/i.test(command) ? command : null)
  }
  signals.on('write', ({ params, body }) => forget(JSON.stringify([params, body])))
  const journal = visiting ? noJournal(VISIT) : openJournal({ dataDir, notices, log, conceal })
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
    if (topic === 'connection.changed') lock.left(connection.state().profile?.id ?? null)
  })
  const { panel, overrides } = composePanel({
    ...{ dataDir, bus, conceal, connection, client, recorder },
    holdsToken,
    operations: written.operations,
    uploads,
    resources: ports.resources,
    view: ports.panelView,
  })
  const demo = keepDemoHost({ worker: ports.demoWorker, nodes: config.demoNodes, dialect: config.demoDialect })

  const { first: firstProfile, startDemo } = createFirstProfile({
    profiles,
    vault,
    startHost: () => demo.start(),
    demo: config.demo,
    baseUrl: config.baseUrl,
    named: config.profile,
    token: config.token,
  })

  const dispatch = createDispatch(
    createHandlers({
      chooseFile: ports.chooseFile,
      chooseFolder: ports.chooseFolder,
      client: own,
      conceal,
      connection,
      console: createConsoleFiles(dataDir, holdsToken),
      contents,
      findings,
      discovery: createDiscovery({ client: own, profiles, vault, places: realPlaces(ports.env) }),
      info: () => ({
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
      pageFault: createPageFaults(log),
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
    dispatch.leaveAll()
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

  const subscribe: Door['subscribe'] = (listener) =>
    bus.subscribe(({ topic, payload }) => listener({ topic, payload: concealed(payload, conceal) }))

  let first: FirstProfile | null
  let recordingUrl: string | null
  try {
    first = await firstProfile()
    recordingUrl = config.record ? await recording.url() : null
  } catch (error) {
    await dispose()
    throw error
  }
  if (first?.sharedAddress) notices.add(sharedAddressNotice(first.sharedAddress))
  if (first !== null) {
    connection.connect(first.id).catch((error: unknown) => log.error('first connection', { reason: describe(error) }))
  }
  if (ports.takesProposals) await written.agents.listen(ownCalls(dispatch, 'agents'))
  if (config.panel) panel.open(config.panel).catch((error: unknown) => log.warn('panel', { reason: describe(error) }))
  return {
    door: {
      call: dispatch.call,
      cancel: dispatch.cancel,
      listing: createListing(dispatch, () => ahead.clear()),
      leave(caller) {
        dispatch.leave(caller)
        contents.leave(caller)
        uploads.leave(caller)
      },
      subscribe,
    },
    content: contents.serve,
    appearance: () => settings.get(),
    panel,
    notices: notices.list,
    recordingUrl,
    log,
    first,
    dispose,
  }
}

const VISIT = 'This program only reads, and keeps no records.'
