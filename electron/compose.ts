import { createDispatch } from './handlers/dispatch.ts'
import type { Door } from './handlers/door.ts'
import { createHandlers } from './handlers/index.ts'
import { createBridgeClient } from './services/bridge/client.ts'
import { createConnection } from './services/bridge/connection.ts'
import { createReader } from './services/bridge/reader.ts'
import { createBus } from './services/bus.ts'
import { createDiscovery } from './services/discovery/discovery.ts'
import { realPlaces } from './services/discovery/sources.ts'
import { createLog, describe, fileSink, type Log } from './services/log.ts'
import { createNotices } from './services/notices.ts'
import { originOf } from './services/profiles/base-url.ts'
import { createProfiles } from './services/profiles/profiles.ts'
import { Redactor } from './services/redact.ts'
import { createSettings } from './services/settings/settings.ts'
import type { Cipher } from './services/vault/cipher.ts'
import { createVault } from './services/vault/vault.ts'
import type { Config } from './config.ts'
import { takeLock } from './services/files/lock.ts'
import { spawnDemoHost, type SpawnedDemoHost } from './demo-host/spawn.ts'

/** What differs between the ways to run; everything that touches Electron or a browser comes in here as a function. */
export interface Ports {
  readonly mode: 'desktop' | 'browser'
  /** The operating system's keyring, or null where there is none. */
  readonly cipher: Cipher | null
  /** The file that runs the demo host in a worker thread. */
  readonly demoWorker: URL
  readonly openExternal: (url: string) => Promise<boolean>
  readonly runtime: Record<string, string>
  readonly version: string
}

export interface App {
  readonly door: Door
  /** For what the way to run has to say itself; redacted like everything else. */
  readonly log: Log
  /** Hash route for a page that has no place of its own to go to. */
  readonly startPlace: string
  dispose(): Promise<void>
}

const auth = { header: 'Authorization', scheme: 'Bearer' }

/** Builds the services from the configuration. Throws `DATA_DIR_IN_USE` and the errors of `normaliseBaseUrl`. */
export async function compose(config: Config, ports: Ports): Promise<App> {
  const release = takeLock(config.dataDir)
  const redactor = new Redactor()
  const log = createLog(fileSink(config.dataDir), redactor)
  const bus = createBus()
  const notices = createNotices(bus)
  const settings = createSettings(config.dataDir, bus, notices)
  const vault = await createVault(config.dataDir, ports.cipher, redactor, log)
  const profiles = createProfiles(config.dataDir, vault, bus, notices)
  const limits = () => {
    const { connectTimeoutMs, idleTimeoutMs, totalTimeoutMs, responseLimitBytes } = settings.get()
    return { connectTimeoutMs, idleTimeoutMs, totalTimeoutMs, maxBytes: responseLimitBytes }
  }
  const client = createBridgeClient({ limits, version: ports.version })
  const connection = createConnection({
    client,
    profiles,
    vault,
    bus,
    log,
    heartbeatMs: () => settings.get().heartbeatMs,
  })
  let demo: Promise<{ host: SpawnedDemoHost; profileId: string }> | null = null

  function startDemo(): Promise<string> {
    demo ??= launchDemo().catch((error: unknown) => {
      demo = null
      throw error
    })
    return demo.then(({ profileId }) => profileId)
  }

  async function launchDemo(): Promise<{ host: SpawnedDemoHost; profileId: string }> {
    const host = await spawnDemoHost({ worker: ports.demoWorker, nodes: config.demoNodes })
    const draft = { name: 'Demo library', baseUrl: host.baseUrl, auth, readOnly: false }
    const { profile } = profiles.save(draft, { demo: true })
    await vault.set(profile.id, host.token, originOf(profile.baseUrl), false)
    profiles.touched()
    return { host, profileId: profile.id }
  }

  async function adoptFlag(baseUrl: string): Promise<string> {
    const known = profiles.save({ ...existing(baseUrl), name: '', baseUrl, auth, readOnly: true })
    const { profile } = known
    if (config.token) await vault.set(profile.id, config.token.reveal(), originOf(profile.baseUrl), false)
    profiles.touched()
    return profile.id
  }

  function existing(baseUrl: string): { id?: string } {
    const same = profiles
      .list()
      .find(({ profile }) => profile.baseUrl === baseUrl || `${baseUrl}/bridge/v1` === profile.baseUrl)
    return same ? { id: same.profile.id } : {}
  }

  /** The profile to connect to when the program starts, if there is one. */
  async function firstProfile(): Promise<string | null> {
    if (config.demo) return startDemo()
    if (config.baseUrl !== null) return adoptFlag(config.baseUrl)
    const usable = profiles
      .list()
      .filter(({ profile, token }) => profile.lastConnectedAt !== null && token.state === 'stored')
    usable.sort((a, b) => (b.profile.lastConnectedAt ?? 0) - (a.profile.lastConnectedAt ?? 0))
    return usable[0]?.profile.id ?? null
  }

  const dispatch = createDispatch(
    createHandlers({
      client,
      connection,
      discovery: createDiscovery({ client, profiles, vault, places: realPlaces() }),
      info: () => ({
        name: 'Bridge Inspector',
        version: ports.version,
        mode: ports.mode,
        platform: process.platform,
        runtime: ports.runtime,
        dataDir: config.dataDir,
        demoRunning: demo !== null,
        notices: notices.list(),
      }),
      notices,
      openExternal: ports.openExternal,
      profiles,
      read: createReader(client, connection),
      settings,
      startDemo,
      vault,
    }),
    log,
  )

  async function dispose(): Promise<void> {
    connection.dispose()
    client.close()
    const running = await demo?.catch(() => null)
    await running?.host.close()
    release()
  }

  let first: string | null
  try {
    first = await firstProfile()
  } catch (error) {
    await dispose()
    throw error
  }
  if (first !== null) {
    connection.connect(first).catch((error: unknown) => log.error('first connection', { reason: describe(error) }))
  }
  return {
    door: { ...dispatch, subscribe: (listener) => bus.subscribe(listener) },
    log,
    startPlace: first === null ? '#/connect' : remembered(settings.get().lastPlace),
    dispose,
  }
}

/** The place that was left last, where it has the form of one. */
const remembered = (place: string): string => (/^#\/[\w/.-]+/.test(place) ? place : '#/library')
