// Maps each IPC method to one call of a service. Logic belongs in the services, and the schemas
// of the methods are in shared/ipc. Read this file first, then dispatcher.ts.
import { readHostLimits } from '../../shared/bridge/host-limits.ts'
import { type AppError, createRefusedError } from '../../shared/errors.ts'
import type { AppInfo, PageFault } from '../../shared/ipc/app.ts'
import type { Breakpoints } from '../services/breakpoints/breakpoints.ts'
import type { Connection } from '../services/bridge/connection/connection.ts'
import type { EndpointReader } from '../services/bridge/reading/reader.ts'
import type { BridgeClient } from '../services/bridge/types.ts'
import type { SchemaService } from '../services/contract/schema-service.ts'
import type { ConsoleFiles } from '../services/console/console.ts'
import type { ContentService } from '../services/media/content-service.ts'
import type { Findings } from '../services/findings/findings.ts'
import type { HostDiscovery } from '../services/discovery/host-discovery.ts'
import { diagnoseConnection } from '../services/discovery/doctor.ts'
import { resolveDraftTarget } from '../services/discovery/draft-target.ts'
import { requestInstallCode } from '../services/discovery/install-code.ts'
import type { Notices } from '../services/notices.ts'
import { originOf } from '../services/profiles/base-url.ts'
import type { Overrides } from '../services/panel/overrides/overrides.ts'
import type { Profiles } from '../services/profiles/profiles.ts'
import type { Snapshots } from '../services/snapshots/snapshots.ts'
import type { SettingsService } from '../services/settings/settings.ts'
import type { Updates } from '../services/updates/updates.ts'
import type { Uploads } from '../services/uploads/uploads.ts'
import type { ClientProxy } from '../services/client-proxy/client-proxy.ts'
import type { Recordings } from '../services/recordings/recordings.ts'
import type { Recorder } from '../services/traffic/recorder.ts'
import type { Vault } from '../services/vault/vault.ts'
import { createContentHandlers, createUploadHandlers } from './content.ts'
import { createPanelHandlers, type PanelLab } from './panel.ts'
import { createOperationHandlers, type OperationServices } from './operations.ts'
import { createRecordingsHandlers } from './recordings.ts'
import { createContractHandlers, createFindingHandlers, createTrafficHandlers } from './traffic.ts'
import type { AppPorts, Handlers } from './app-ports.ts'
import type { CallerKeys } from './listing-reader.ts'

type PortName =
  | 'recordingSwitch'
  | 'chooseRecording'
  | 'revealFile'
  | 'revealSaved'
  | 'chooseFile'
  | 'chooseFolder'
  | 'onUnsaved'
  | 'openExternal'

interface Services {
  readonly breakpoints: Breakpoints
  readonly callerKeys: CallerKeys
  readonly client: BridgeClient
  readonly conceal: (text: string) => string
  readonly connection: Connection
  readonly console: ConsoleFiles
  readonly contents: ContentService
  readonly discovery: HostDiscovery
  readonly findings: Findings
  readonly getAppInfo: () => AppInfo
  readonly notices: Notices
  readonly operations: OperationServices
  readonly overrides: Overrides
  readonly panel: PanelLab
  readonly reportPageFault: (fault: PageFault) => void
  readonly profiles: Profiles
  readonly read: EndpointReader
  readonly recorder: Recorder
  readonly clientProxy: ClientProxy
  readonly recordings: Recordings
  readonly ports: Pick<AppPorts, PortName>
  readonly schemas: SchemaService
  readonly settings: SettingsService
  readonly snapshots: Snapshots
  /** Returns the id of the demo host's profile. A running demo host is used again. */
  readonly startDemo: () => Promise<string>
  readonly updates: Updates
  readonly uploads: Uploads
  readonly vault: Vault
}

export function createHandlers(services: Services): Handlers {
  return {
    ...createAppHandlers(services),
    ...createProfileHandlers(services),
    ...createConnectionHandlers(services),
    ...createOperationHandlers(services.operations),
    ...createConsoleHandlers(services.console),
    ...createContentHandlers(services.contents, services.ports.chooseFile),
    ...createPanelHandlers(services.panel, services.overrides, services.ports.chooseFolder),
    ...createBreakpointHandlers(services.breakpoints),
    ...createClientProxyHandlers(services.clientProxy),
    ...createRecordingsHandlers(services),
    ...createTrafficHandlers(services),
    ...createFindingHandlers(services.findings, services.recorder.store, services.conceal),
    ...createContractHandlers(services.recorder.store, services.schemas, services.conceal),
    ...createSnapshotHandlers(services),
    ...createUpdateHandlers(services.updates),
    ...createUploadHandlers(services.uploads),
    'bridge.read': (input, { signal }) => services.read(input, signal),
    'listing.key': (_input, { caller }) => services.callerKeys.issueKey(caller),
    'bridge.limits': () => readHostLimits(services.connection.capabilities()),
  }
}

type HandlersOf<Prefix extends string> = Pick<Handlers, Extract<keyof Handlers, `${Prefix}.${string}`>>

function createAppHandlers({
  getAppInfo,
  notices,
  ports,
  reportPageFault,
  startDemo,
  settings,
}: Services): HandlersOf<'app' | 'settings'> {
  return {
    'app.info': () => getAppInfo(),
    'app.openExternal': async ({ url }) => ({ opened: await ports.openExternal(url) }),
    'app.dismissNotice': ({ id }) => {
      notices.dismiss(id)
      return {}
    },
    'app.revealSaved': () => {
      ports.revealSaved?.()
      return {}
    },
    'app.reportFault': (fault) => {
      reportPageFault(fault)
      return {}
    },
    'app.reportUnsaved': (unsaved) => {
      ports.onUnsaved?.(unsaved)
      return {}
    },
    'app.startDemo': async () => ({ profileId: await startDemo() }),
    'settings.get': () => settings.get(),
    'settings.update': (change) => settings.update(change),
  }
}

/** Reconnects after the token has changed, because the connection's state depends on it. */
function resetConnection({ connection }: Services, profileId: string): void {
  if (connection.state().profile?.id === profileId) void connection.connect(profileId)
}

function createProfileHandlers(services: Services): HandlersOf<'profiles' | 'vault'> {
  const { profiles, vault, connection } = services
  return {
    'profiles.list': () => profiles.list(),
    'profiles.save': async (draft) => {
      const view = profiles.save(draft)
      connection.applyProfileEdit(view.profile.id)
      return view
    },
    'profiles.remove': ({ profileId }) => {
      profiles.get(profileId)
      if (connection.state().profile?.id === profileId) connection.disconnect()
      profiles.remove(profileId)
      return {}
    },
    'vault.storage': () => vault.storage(),
    'vault.set': async ({ profileId, token, remember }) => {
      const status = await vault.setToken(profileId, token, originOf(profiles.get(profileId).baseUrl), remember)
      profiles.publishChange()
      resetConnection(services, profileId)
      return status
    },
    'vault.forget': ({ profileId }) => {
      vault.forgetToken(profileId)
      profiles.publishChange()
      resetConnection(services, profileId)
      return vault.status(profileId)
    },
  }
}

function createConnectionHandlers(services: Services): HandlersOf<'connection' | 'discovery'> {
  const { connection, profiles, discovery, client, vault } = services
  return {
    'connection.get': () => connection.state(),
    'connection.connect': async ({ profileId }) => {
      profiles.get(profileId)
      // The keyring may have been unlocked since startup.
      await vault.unlock(profileId)
      return connection.connect(profileId)
    },
    'connection.disconnect': () => connection.disconnect(),
    'connection.retry': () => connection.retry(),
    'connection.trustCertificate': ({ profileId, fingerprint }) => {
      const { profile, certificate } = connection.state()
      if (profile?.id !== profileId || certificate?.fingerprint !== fingerprint) throw createCertificateUnseenError()
      return profiles.pinCertificate(profileId, fingerprint)
    },
    'connection.installCode': () => requestInstallCode(client, connection),
    'connection.doctor': ({ profileId }, { signal }) =>
      diagnoseConnection(client, connection.getProfileTarget(profileId), vault.status(profileId), signal),
    'connection.test': ({ profile, token }, { signal }) => {
      const { target, tokenStatus } = resolveDraftTarget(services, profile, token)
      return diagnoseConnection(client, target, tokenStatus, signal)
    },
    'discovery.scan': (_, { signal }) => discovery.scan(signal),
    'discovery.adopt': async ({ foundId, useToken, confirmed = false }) => {
      const view = await discovery.adopt(foundId, useToken, confirmed)
      if (useToken) resetConnection(services, view.profile.id)
      return view
    },
    'discovery.pair': async (input, { signal }) => {
      const view = await discovery.pair(input, signal)
      resetConnection(services, view.profile.id)
      return view
    },
  }
}

const createCertificateUnseenError = (): AppError =>
  createRefusedError(
    'CERTIFICATE_UNSEEN',
    'The host no longer presents this certificate. Connect again and compare it.',
  )

function createConsoleHandlers(files: ConsoleFiles): Pick<Handlers, Extract<keyof Handlers, `console.${string}`>> {
  return {
    'console.collections': () => files.readCollections(),
    'console.saveCollection': (collection) => {
      files.saveCollection(collection)
      return {}
    },
    'console.removeCollection': ({ id }) => {
      files.removeCollection(id)
      return {}
    },
    'console.setFolder': ({ folder }) => files.setFolder(folder),
    'console.tabs': () => files.getTabs(),
    'console.saveTabs': (tabs) => {
      files.saveTabs(tabs)
      return {}
    },
  }
}

function createClientProxyHandlers(
  clientProxy: ClientProxy,
): Pick<Handlers, Extract<keyof Handlers, `clientProxy.${string}`>> {
  return {
    'clientProxy.get': () => clientProxy.state(),
    'clientProxy.start': (options) => clientProxy.start(options),
    'clientProxy.name': ({ label }) => clientProxy.setLabel(label),
    'clientProxy.stop': () => clientProxy.stop(),
  }
}

function createBreakpointHandlers(breakpoints: Breakpoints): HandlersOf<'breakpoints'> {
  return {
    'breakpoints.get': () => breakpoints.state(),
    'breakpoints.save': ({ rules }) => breakpoints.save(rules),
    'breakpoints.holdAll': ({ on }) => breakpoints.setHoldingAll(on),
    'breakpoints.held': ({ id }) => breakpoints.getHeld(id),
    'breakpoints.extend': ({ id }) => breakpoints.extend(id),
    'breakpoints.resume': ({ id, resumption }) => {
      breakpoints.resume(id, resumption)
      return {}
    },
    'breakpoints.forgetLapses': () => breakpoints.forgetLapses(),
    'breakpoints.records': ({ exchangeId }) => ({ records: breakpoints.getRecords(exchangeId) }),
  }
}

function createSnapshotHandlers({ snapshots, client, connection }: Services): HandlersOf<'snapshots'> {
  return {
    'snapshots.list': ({ topicid }) => snapshots.list(topicid),
    'snapshots.compare': (input) => snapshots.compare(input),
    'snapshots.marks': (input) => snapshots.marks(input),
    'snapshots.ghosts': (input) => snapshots.ghosts(input),
    'snapshots.forecast': (input) => snapshots.forecast(input),
    'snapshots.take': (input, { signal }) => snapshots.take(input, { client, connection, signal }),
    'snapshots.read': (input) => snapshots.read(input),
    'snapshots.clear': async ({ topicid }) => ({ removed: await snapshots.clear(topicid) }),
  }
}

function createUpdateHandlers(updates: Updates): Pick<Handlers, Extract<keyof Handlers, `updates.${string}`>> {
  return {
    'updates.get': () => updates.state(),
    'updates.check': () => updates.check(),
    'updates.download': () => updates.download(),
    'updates.cancel': () => updates.cancel(),
    'updates.install': () => updates.install(),
  }
}
