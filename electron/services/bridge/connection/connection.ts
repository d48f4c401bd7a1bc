import { isDeepStrictEqual } from 'node:util'
import { compareCapabilities } from '../../../../shared/bridge/capabilities.ts'
import { readHostLimits } from '../../../../shared/bridge/host-limits.ts'
import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import { AppError, createRefusedError, toWireError } from '../../../../shared/errors.ts'
import type { ConnectionState } from '../../../../shared/ipc/connection.ts'
import type { Bus } from '../../bus.ts'
import { describeError, type Log } from '../../files/log.ts'
import { originOf } from '../../profiles/base-url.ts'
import { filterValidRoutePaths } from '../../profiles/route-paths.ts'
import type { Profile } from '../../../../shared/ipc/profiles.ts'
import type { Profiles } from '../../profiles/profiles.ts'
import type { Vault } from '../../vault/vault.ts'
import { computeBackoffMs, createHeartbeatTimer } from './heartbeat.ts'
import { getHostIdentity } from './host-changes.ts'
import { probeHost, readCapabilities, TokenRefusedError, toTokenError } from './probe.ts'
import { withOrigin } from '../client/client.ts'
import { waitMs } from '../client/retry.ts'
import {
  beginConnection,
  recordFailure,
  createConnectionMachine,
  endConnection,
  recordSuccess,
  type ConnectionMachine,
} from './connection-machine.ts'
import { CertificateError } from '../wire/certificate.ts'
import type { BridgeClient, BridgeTarget } from '../types.ts'

export interface Connection {
  state(): ConnectionState
  /** Where to send requests now. Throws `NOT_CONNECTED`. */
  target(): BridgeTarget
  /** What the connected host lists; null until it has been read. */
  capabilities(): Capabilities | null
  /** Where requests of a profile go, connected or not (for the doctor). Throws `PROFILE_UNKNOWN`. */
  getProfileTarget(profileId: string): BridgeTarget
  /** Starts over, even for the profile that is connected. Resolves when the first attempt is decided. Throws `PROFILE_UNKNOWN`. */
  connect(profileId: string): Promise<ConnectionState>
  /** A profile was edited: if it is the connected one and now leads elsewhere, starts over. Throws `PROFILE_UNKNOWN`. */
  applyProfileEdit(profileId: string): void
  disconnect(): ConnectionState
  /** Tries now instead of later; joins an attempt that is already under way. */
  retry(): Promise<ConnectionState>
  /** A request failed in a way that says something about the connection: checks soon instead of at the next beat. */
  checkSoon(error: AppError): void
  dispose(): void
}

interface Options {
  readonly client: BridgeClient
  readonly profiles: Profiles
  readonly vault: Vault
  readonly bus: Bus
  readonly log: Log
  readonly heartbeatMs: () => number
  /** Whether a permanently read-only profile has been unlocked for this run. */
  readonly isUnlocked?: (profile: Pick<Profile, 'id' | 'baseUrl'>) => boolean
}

/** Errors for capabilities that arrived in full but are unusable. */
const unreadable: ReadonlySet<string> = new Set(['CAPABILITIES_MALFORMED', 'NOT_JSON', 'TOO_DEEP'])

/** Keeps one connection: a light heartbeat while online, backoff with jitter while offline, automatic recovery. */
export function createConnection(options: Options): Connection {
  const { client, profiles, vault, bus, log } = options
  const beating = withOrigin(client, { kind: 'heartbeat', label: null })
  const pulse = createHeartbeatTimer(() => void beat())
  let machine = createConnectionMachine(Date.now())
  /** Of the host whose capabilities were read; null until they are. */
  let identity: string | null = null
  let overrides: BridgeTarget['pathOverrides'] = {}
  let listed: Capabilities | null = null
  let failures = 0
  let recorded = false
  let disposed = false
  let running: { abort: AbortController; done: Promise<void> } | null = null

  function transition(next: ConnectionMachine): void {
    const { phase, epoch } = next.publicState
    if (phase !== machine.publicState.phase) log.info('connection', { phase, epoch })
    machine = next
    bus.publish('connection.changed', next.publicState)
  }

  function targetFor(profileId: string): BridgeTarget {
    const profile = profiles.get(profileId)
    const isConnected = machine.publicState.profile?.id === profile.id
    return {
      baseUrl: profile.baseUrl,
      auth: profile.auth,
      token: vault.getToken(profile.id, originOf(profile.baseUrl))?.reveal() ?? null,
      tlsFingerprint: profile.tlsFingerprint,
      isReadOnly: profile.readOnly && options.isUnlocked?.(profile) !== true,
      epoch: machine.publicState.epoch,
      instanceNonce: isConnected ? (machine.publicState.host?.instanceNonce ?? null) : null,
      pathOverrides: {
        ...(isConnected ? overrides : {}),
        ...filterValidRoutePaths(profile.paths),
      },
      limits: isConnected ? listed && readHostLimits(listed) : null,
    }
  }

  /** One attempt; a second caller joins the one under way. */
  function beat(): Promise<void> {
    if (running) return running.done
    const { profile, phase } = machine.publicState
    if (!profile) return Promise.resolve()
    const slept = pulse.beginAttempt(options.heartbeatMs()) && phase === 'online'
    const abort = new AbortController()
    const done = attempt(profile.id, abort.signal, slept).finally(() => {
      if (running?.abort === abort) running = null
    })
    running = { abort, done }
    return done
  }

  async function attempt(profileId: string, signal: AbortSignal, slept: boolean): Promise<void> {
    try {
      const { baseUrl } = profiles.get(profileId)
      await waitMs(pulse.getRequiredWaitMs(baseUrl), signal)
      if (signal.aborted) return
      pulse.recordAttempt(baseUrl)
      const target = targetFor(profileId)
      const isFirst = failures === 0 && machine.publicState.phase !== 'online'
      const found = await probeHost(isFirst ? client : beating, target, signal)
      if (found.isAuthorized === false) throw new TokenRefusedError()
      const isNew = identity !== getHostIdentity(found.host) || machine.publicState.phase !== 'online'
      const capabilities = found.capabilities ?? (isNew ? await capabilitiesOf(target, signal) : null)
      if (signal.aborted) return
      if (capabilities ?? isNew) {
        listed = capabilities
        overrides = capabilities ? compareCapabilities(capabilities).pathOverrides : {}
        identity = getHostIdentity(found.host)
      }
      failures = 0
      transition(current(profileId, recordSuccess(machine, { ...found, hasSlept: slept }, Date.now())))
      pulse.schedule(options.heartbeatMs())
    } catch (thrown) {
      if (!signal.aborted) fail(profileId, thrown)
    }
  }

  /**
   * What the host lists; null if that cannot be read, because the status has shown that this is a bridge and the table knows its routes.
   * Throws errors that say something about the connection.
   */
  async function capabilitiesOf(target: BridgeTarget, signal: AbortSignal): Promise<Capabilities | null> {
    try {
      return (await readCapabilities(client, target, signal)).capabilities
    } catch (error) {
      if (!(error instanceof AppError) || !unreadable.has(error.code ?? '')) throw error
      log.warn('the capabilities could not be read', { code: error.code })
      return null
    }
  }

  /** The machine with the profile as it is now; the connection is recorded once. */
  function current(profileId: string, next: ConnectionMachine): ConnectionMachine {
    let profile = profiles.get(profileId)
    if (!recorded) {
      recorded = true
      try {
        profile = profiles.markConnected(profileId)
      } catch (error) {
        // A full disk is no reason not to connect.
        log.warn('the connection could not be recorded', { reason: describeError(error) })
      }
    }
    return { ...next, publicState: { ...next.publicState, profile } }
  }

  function fail(profileId: string, thrown: unknown): void {
    if (!(thrown instanceof AppError)) log.error('heartbeat failed', { reason: describeError(thrown) })
    const refusedToken = thrown instanceof AppError && thrown.wire.status === 401
    const error = refusedToken ? toTokenError(thrown, vault.status(profileId)) : toWireError(thrown)
    failures += 1
    const certificate = thrown instanceof CertificateError ? { ...thrown.certificate } : null
    const nextTryAt = certificate
      ? null
      : pulse.schedule(computeBackoffMs(failures, refusedToken, error.retryAfterSeconds))
    const phase = refusedToken ? 'unauthorized' : 'offline'
    transition(recordFailure(machine, { phase, error, nextTryAt, certificate }, Date.now()))
  }

  function stop(): void {
    pulse.stop()
    running?.abort.abort()
    running = null
  }

  async function connect(profileId: string): Promise<ConnectionState> {
    const profile = profiles.get(profileId)
    stop()
    if (machine.lastHost?.baseUrl !== profile.baseUrl) {
      overrides = {}
      listed = null
    }
    identity = null
    failures = 0
    recorded = false
    transition(beginConnection(machine, profile, Date.now()))
    await beat()
    return machine.publicState
  }

  return {
    state: () => machine.publicState,
    capabilities: () => listed,
    connect,
    getProfileTarget: targetFor,
    target() {
      const { profile } = machine.publicState
      if (!profile)
        throw createRefusedError('NOT_CONNECTED', 'Not connected to a host. Choose one on the Connect page.')
      return targetFor(profile.id)
    },
    applyProfileEdit(profileId) {
      const now = profiles.get(profileId)
      const before = machine.publicState.profile
      if (before?.id !== now.id) return
      const parts = ({ baseUrl, auth, paths = {} }: Profile): unknown => [baseUrl, auth, paths]
      const same = isDeepStrictEqual(parts(before), parts(now))
      if (same) transition({ ...machine, publicState: { ...machine.publicState, profile: now } })
      else void connect(now.id)
    },
    disconnect() {
      stop()
      transition(endConnection(machine, Date.now()))
      try {
        profiles.markDisconnected()
      } catch (error) {
        log.warn('the disconnect could not be recorded', { reason: describeError(error) })
      }
      return machine.publicState
    },
    async retry() {
      if (!running) failures = 0
      await beat()
      return machine.publicState
    },
    checkSoon(error) {
      const { kind, status, code } = error.wire
      // If the host does not say whether the token is good, something that needs it will be requested.
      if (status === 401) identity = null
      // What was under way when the program ended still fails.
      if (disposed) return
      const telling = kind === 'offline' || kind === 'timeout' || status === 401 || code === 'TRUNCATED'
      if (telling && machine.publicState.phase === 'online' && !running) pulse.schedule(0)
    },
    dispose() {
      disposed = true
      stop()
    },
  }
}
