/**
 * Starts the app's services, both for the desktop (`main.ts`) and for the browser host
 * (`serve.ts`). The files of this folder only connect the parts: the logic is in `services`, and
 * calls of the page are in `handlers`. Read `composeApp` first, then `config.ts`.
 */
import { fileURLToPath } from 'node:url'
import { composeBase, type BaseServices } from './base-composition.ts'
import { composeBridge, type BridgeServices } from './bridge-composition.ts'
import type { Config } from './config.ts'
import { createDemoHostManager, repeatRequests, spawnDemoHost } from './demo-host/demo-thread.ts'
import { concealTokens, createDispatcher, createInternalCalls } from './handlers/dispatcher.ts'
import { createHandlers } from './handlers/index.ts'
import type { AppPorts, ComposedApp, Handlers, IpcDispatcher } from './handlers/app-ports.ts'
import { createCallerKeys, createListingReader, type CallerKeys } from './handlers/listing-reader.ts'
import { refuseSending } from './handlers/recorded-session.ts'
import { composeOperations } from './operations-composition.ts'
import { createBreakpoints } from './services/breakpoints/breakpoints.ts'
import { createConsoleFiles } from './services/console/console.ts'
import { SchemaService } from './services/contract/schema-service.ts'
import { createHostDiscovery } from './services/discovery/host-discovery.ts'
import { createMachineEnvironment } from './services/discovery/local-sources.ts'
import { createPageFaultLogger, describeError } from './services/files/log.ts'
import { preferFullMarkSweep } from './services/heap.ts'
import { openJournal } from './services/journal/journal.ts'
import { createMemoryJournal } from './services/journal/memory-journal.ts'
import { composePanel } from './services/panel/composed-panel.ts'
import { PanelPictures } from './services/panel/panel-pictures.ts'
import {
  createProfileResolver,
  createSharedAddressNotice,
  type FirstProfile,
} from './services/profiles/first-profile.ts'
import { createClientProxy, findProcess } from './services/client-proxy/client-proxy.ts'
import type { RecordedHost } from './services/recordings/recorded-host.ts'
import { createRecordings } from './services/recordings/recordings.ts'
import { createUpdates } from './services/updates/updates.ts'
import { Uploads } from './services/uploads/uploads.ts'
import { PAGE_TEMPLATE } from '../shared/recordings/recording.ts'

export type { OverridableCall, ProgramRule } from './services/panel/call/types.ts'
export type { ComposedApp as App, AppPorts as Ports }

type Services = Awaited<ReturnType<typeof composeServices>>

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
  const services = await composeServices(config, ports, recorded)
  const { bus, log, conceal, notices, contents, uploads, panel, recorder, readAhead, operationServices } = services
  const callerKeys = createCallerKeys()
  const handlers = composeHandlers(services, { config, ports, recorded, callerKeys })
  const dispatcher = createDispatcher(recorded ? refuseSending(handlers) : handlers, log, conceal)

  async function dispose(): Promise<void> {
    dispatcher.removeAllCallers()
    await disposeServices(services)
  }

  const { firstProfile, clientProxyUrl } = await connectFirst(services, config).catch(async (error: unknown) => {
    await dispose()
    throw error
  })
  const whenFilled =
    recorded?.fill({ ...services, store: recorder.store, operations: operationServices }) ?? Promise.resolve()
  // Agents read what the pages show.
  const shownDispatcher: Pick<IpcDispatcher, 'call'> = {
    call: (caller, request) => (ports.recordingSwitch?.getDispatcher() ?? dispatcher).call(caller, request),
  }
  if (ports.acceptsProposals) await operationServices.agents.listen(createInternalCalls(shownDispatcher, 'agents'))
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
      subscribe: (listener) =>
        bus.subscribe(({ topic, payload }) => listener({ topic, payload: concealTokens(payload, conceal) })),
    },
    contentReader: contents.serve,
    getAppearance: () => services.settings.get(),
    panel,
    endCallers: recorder.endCallers,
    listNotices: notices.list,
    addNotice: notices.add,
    clientProxyUrl,
    log,
    firstProfile,
    selectionSources: services.selectionSources,
    whenFilled,
    dispose,
  }
}

async function composeServices(config: Config, ports: AppPorts, recorded: RecordedHost | null) {
  const base = await composeBase(config, ports)
  const bridge = composeBridge(base, config, ports, recorded)
  const writes = await composeWrites(base, bridge, recorded)
  const callers = composeCallers(base, bridge, writes, ports)
  const { recorder, findings, snapshots } = bridge
  const pictures =
    ports.takePanelPicture &&
    new PanelPictures({
      ...base,
      recorder,
      findings,
      take: ports.takePanelPicture,
      isEnabled: () => base.settings.get().panelPictures,
      getCaller: () => callers.panel.state().caller,
    })
  const selectionSources = { store: recorder.store, findings, records: writes.operationServices.records }
  const recordings = createRecordings({
    ...base,
    ...selectionSources,
    snapshots,
    cipher: ports.cipher,
    version: ports.version,
    pageTemplate: fileURLToPath(new URL(PAGE_TEMPLATE, ports.resources)),
    chooseFile: ports.chooseFile,
    repeatRequests,
    getOpened: () => ports.recordingSwitch?.getSources() ?? null,
    getTokens: () => base.redactor.tokens,
    listNotes: () => callers.panel.listNotes(0).notes,
    listPictures: async () => (await pictures?.list()) ?? [],
    listRules: () => [
      ...Array.from(ports.overrides ?? []).flatMap(({ rule }) => rule ?? []),
      ...callers.overrides.state().rules,
    ],
    serveFile: (file) => spawnDemoHost({ worker: ports.demoWorker, recording: file, from: 'start' }),
  })
  const demoKeeper = createDemoHostManager({
    worker: ports.demoWorker,
    nodes: config.demoNodes,
    dialect: config.demoDialect,
  })
  const { first: resolveFirstProfile, startDemo } = createProfileResolver({
    profiles: base.profiles,
    vault: base.vault,
    startDemoHost: () => demoKeeper.start(),
    isDemo: config.demo,
    baseUrl: config.baseUrl,
    profileName: config.profile,
    token: config.token,
  })
  const updates = createUpdates({ ...base, updater: ports.updater ?? null })
  return {
    ...base,
    ...bridge,
    ...writes,
    ...callers,
    pictures,
    selectionSources,
    recordings,
    demoKeeper,
    resolveFirstProfile,
    startDemo,
    updates,
  }
}

const VISIT_REASON = 'This program only reads, and keeps no records.'

async function composeWrites(base: BaseServices, bridge: BridgeServices, recorded: RecordedHost | null) {
  const { settings } = base
  const journal = base.isVisit ? createMemoryJournal(VISIT_REASON) : openJournal(base)
  await recorded?.fillJournal(journal)
  const uploads = new Uploads(base.bus)
  const operationServices = composeOperations({
    ...base,
    client: bridge.client,
    connection: bridge.connection,
    journal,
    uploads,
    isRecorded: recorded !== null,
    retention: () => ({ keepDays: settings.get().journalKeepDays, maxMb: settings.get().journalMaxMb }),
  })
  return { journal, uploads, operationServices }
}

/** Creates what lets other programs call the host: recorded clients and panels. */
function composeCallers(
  base: BaseServices,
  bridge: BridgeServices,
  { operationServices, uploads }: Awaited<ReturnType<typeof composeWrites>>,
  ports: AppPorts,
) {
  const { client, connection, recorder } = bridge
  const breakpoints = createBreakpoints({ ...base, recorder, checkHost: connection.retry })
  const calls = { ...base, client, connection, recorder, breakpoints }
  const clientProxy = createClientProxy({ ...calls, findProcess })
  base.bus.on('connection.changed', () => {
    breakpoints.releaseMovedCalls()
    bridge.lock.relock(connection.state().profile?.id ?? null)
  })
  const { operations } = operationServices
  const panels = composePanel({ ...calls, operations, uploads, ports, firstRules: ports.overrides ?? [] })
  return { ...panels, breakpoints, clientProxy }
}

interface HandlerOptions {
  readonly config: Config
  readonly ports: AppPorts
  readonly recorded: RecordedHost | null
  readonly callerKeys: CallerKeys
}

function composeHandlers(services: Services, { config, ports, recorded, callerKeys }: HandlerOptions): Handlers {
  const { connectionClient: client, recorder, log, lock, journal, notices } = services
  return createHandlers({
    ...services,
    client,
    ports,
    callerKeys,
    console: createConsoleFiles(services.dataDir, services.holdsToken),
    discovery: createHostDiscovery({ ...services, client, environment: createMachineEnvironment(ports.env) }),
    getAppInfo: () => ({
      name: 'Bridge Inspector',
      version: ports.version,
      mode: ports.mode,
      platform: process.platform,
      runtime: ports.runtime,
      dataDir: config.dataDir,
      demoRunning: services.demoKeeper.isRunning(),
      opensPanel: config.panel !== null,
      recording: recorded && { title: recorded.title, startedAt: recorded.startedAt },
      notices: notices.list(),
    }),
    operations: { ...services.operationServices, lock, journal },
    reportPageFault: createPageFaultLogger(log),
    schemas: new SchemaService({ store: recorder.store, resources: ports.resources, version: ports.version }),
  })
}

/** Opens the connection and the listener that the flags ask for. */
async function connectFirst(services: Services, config: Config) {
  const { connection, clientProxy, notices, log } = services
  const firstProfile: FirstProfile | null = await services.resolveFirstProfile()
  const clientProxyUrl = config.record ? await clientProxy.startWithUrl() : null
  if (firstProfile?.sharedAddress) notices.add(createSharedAddressNotice(firstProfile.sharedAddress))
  if (firstProfile !== null) {
    connection
      .connect(firstProfile.id)
      .catch((error: unknown) => log.error('first connection', { reason: describeError(error) }))
  }
  return { firstProfile, clientProxyUrl }
}

async function disposeServices(services: Services): Promise<void> {
  services.breakpoints.close()
  services.pictures?.close()
  services.panel.close()
  await services.clientProxy.stop()
  await services.recordings.close()
  await services.operationServices.dispose()
  services.contents.close()
  services.uploads.close()
  services.updates.dispose()
  services.connection.dispose()
  services.client.close()
  await Promise.all([services.recorder.close(), services.snapshots.close()])
  services.findings.close()
  await services.demoKeeper.close()
  services.releaseDataDir()
}
