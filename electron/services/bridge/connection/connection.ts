// Maintains the connection to the host of a profile, with heartbeats and reconnecting.
// Requests are sent in bridge/client; finding hosts is in services/discovery.
// Read connection-machine.ts first, then this file.
import { isDeepStrictEqual } from 'node:util'
import { compareCapabilities, findUnlistedReadIds } from '../../../../shared/bridge/capabilities.ts'
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
import { NodeAbortController } from '../../../core/node-abort.ts'

export interface Connection {
  state(): ConnectionState
  /** @throws NOT_CONNECTED */
  target(): BridgeTarget
  /** Null until the capabilities have been read. */
  capabilities(): Capabilities | null
  /** Returns a profile's target, connected or not (for the doctor). @throws PROFILE_UNKNOWN */
  getProfileTarget(profileId: string): BridgeTarget
  /** Connects anew; resolves when the first attempt has ended. @throws PROFILE_UNKNOWN */
  connect(profileId: string): Promise<ConnectionState>
  /** Reconnects if the connected profile has a new address or login. @throws PROFILE_UNKNOWN */
  applyProfileEdit(profileId: string): void
  disconnect(): ConnectionState
  /** Starts an attempt at once, or joins the running attempt. */
  retry(): Promise<ConnectionState>
  /** Checks the connection soon if the error of a request may be due to the connection. */
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
  /** True if a permanently read-only profile has been unlocked for this run. */
  readonly isUnlocked?: (profile: Pick<Profile, 'id' | 'baseUrl'>) => boolean
}

/** Codes of errors for capabilities that arrived in full but are unusable. */
const UNREADABLE_CODES: ReadonlySet<string> = new Set(['CAPABILITIES_MALFORMED', 'NOT_JSON', 'TOO_DEEP'])

/**
 * Maintains one connection: a heartbeat while online, backoff with jitter while offline, and
 * automatic recovery. This folder decides whether a host is connected, and sends only heartbeats
 * and reads of capabilities. Read `connection-machine.ts` next.
 */
export function createConnection(options: Options): Connection {
  const { client, profiles, vault, bus, log } = options
  const heartbeatClient = withOrigin(client, { kind: 'heartbeat', label: null })
  const heartbeatTimer = createHeartbeatTimer(() => void startAttempt())
  let machine = createConnectionMachine(Date.now())
  /** Identity of the host whose capabilities were read; null until then. */
  let hostIdentity: string | null = null
  let pathOverrides: BridgeTarget['pathOverrides'] = {}
  let hostCapabilities: Capabilities | null = null
  let unlistedReadIds: ReadonlySet<string> = new Set()
  let failures = 0
  let isConnectionRecorded = false
  let isDisposed = false
  let currentAttempt: { controller: AbortController; done: Promise<void> } | null = null

  function transition(next: ConnectionMachine): void {
    const { phase, epoch } = next.publicState
    if (phase !== machine.publicState.phase) log.info('connection', { phase, epoch })
    machine = next
    bus.publish('connection.changed', next.publicState)
  }

  function buildTarget(profileId: string): BridgeTarget {
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
        ...(isConnected ? pathOverrides : {}),
        ...filterValidRoutePaths(profile.paths),
      },
      limits: isConnected ? hostCapabilities && readHostLimits(hostCapabilities) : null,
      ...(isConnected ? { unlistedReadIds } : {}),
    }
  }

  function startAttempt(): Promise<void> {
    if (currentAttempt) return currentAttempt.done
    const { profile, phase } = machine.publicState
    if (!profile) return Promise.resolve()
    const hasSlept = heartbeatTimer.beginAttempt(options.heartbeatMs()) && phase === 'online'
    const controller = new NodeAbortController()
    const done = runAttempt(profile.id, controller.signal, hasSlept).finally(() => {
      if (currentAttempt?.controller === controller) currentAttempt = null
    })
    currentAttempt = { controller, done }
    return done
  }

  async function runAttempt(profileId: string, signal: AbortSignal, hasSlept: boolean): Promise<void> {
    try {
      const { baseUrl } = profiles.get(profileId)
      await waitMs(heartbeatTimer.getRequiredWaitMs(baseUrl), signal)
      if (signal.aborted) return
      heartbeatTimer.recordAttempt(baseUrl)
      const target = buildTarget(profileId)
      const isFirst = failures === 0 && machine.publicState.phase !== 'online'
      const probe = await probeHost(isFirst ? client : heartbeatClient, target, signal)
      if (probe.isAuthorized === false) throw new TokenRefusedError()
      const isNewHost = hostIdentity !== getHostIdentity(probe.host) || machine.publicState.phase !== 'online'
      const capabilities = probe.capabilities ?? (isNewHost ? await tryReadCapabilities(target, signal) : null)
      if (signal.aborted) return
      if (capabilities ?? isNewHost) {
        hostCapabilities = capabilities
        pathOverrides = capabilities ? compareCapabilities(capabilities).pathOverrides : {}
        const unlistedIds = capabilities ? findUnlistedReadIds(capabilities) : new Set<string>()
        // A host may answer its status without listing it.
        if (probe.capabilities === null) unlistedIds.delete('status.get')
        unlistedReadIds = unlistedIds
        hostIdentity = getHostIdentity(probe.host)
      }
      failures = 0
      transition(withCurrentProfile(profileId, recordSuccess(machine, { ...probe, hasSlept }, Date.now())))
      heartbeatTimer.schedule(options.heartbeatMs())
    } catch (thrown) {
      if (!signal.aborted) onAttemptFailed(profileId, thrown)
    }
  }

  /**
   * Reads the capabilities; null if they are unusable. The status has then shown that this is a
   * bridge, and the endpoint table knows its routes.
   * @throws Errors that concern the connection, such as a timeout or a refused token.
   */
  async function tryReadCapabilities(target: BridgeTarget, signal: AbortSignal): Promise<Capabilities | null> {
    try {
      return (await readCapabilities(client, target, signal)).capabilities
    } catch (error) {
      if (!(error instanceof AppError) || !UNREADABLE_CODES.has(error.code ?? '')) throw error
      log.warn('the capabilities could not be read', { code: error.code })
      return null
    }
  }

  /** Adds the current profile. The first call of a connection also records it in the profile. */
  function withCurrentProfile(profileId: string, next: ConnectionMachine): ConnectionMachine {
    let profile = profiles.get(profileId)
    if (!isConnectionRecorded) {
      isConnectionRecorded = true
      try {
        profile = profiles.markConnected(profileId)
      } catch (error) {
        // A full disk must not end the connection.
        log.warn('the connection could not be recorded', { reason: describeError(error) })
      }
    }
    return { ...next, publicState: { ...next.publicState, profile } }
  }

  function onAttemptFailed(profileId: string, thrown: unknown): void {
    if (!(thrown instanceof AppError)) log.error('heartbeat failed', { reason: describeError(thrown) })
    const isTokenRefused = thrown instanceof AppError && thrown.wire.status === 401
    const error = isTokenRefused ? toTokenError(thrown, vault.status(profileId)) : toWireError(thrown)
    failures += 1
    const certificate = thrown instanceof CertificateError ? { ...thrown.certificate } : null
    const nextTryAt = certificate
      ? null
      : heartbeatTimer.schedule(computeBackoffMs(failures, isTokenRefused, error.retryAfterSeconds))
    const phase = isTokenRefused ? 'unauthorized' : 'offline'
    transition(recordFailure(machine, { phase, error, nextTryAt, certificate }, Date.now()))
  }

  function stopAttempts(): void {
    heartbeatTimer.stop()
    currentAttempt?.controller.abort()
    currentAttempt = null
  }

  async function connect(profileId: string): Promise<ConnectionState> {
    const profile = profiles.get(profileId)
    stopAttempts()
    if (machine.lastHost?.baseUrl !== profile.baseUrl) {
      pathOverrides = {}
      hostCapabilities = null
      unlistedReadIds = new Set()
    }
    hostIdentity = null
    failures = 0
    isConnectionRecorded = false
    transition(beginConnection(machine, profile, Date.now()))
    await startAttempt()
    return machine.publicState
  }

  return {
    state: () => machine.publicState,
    capabilities: () => hostCapabilities,
    connect,
    getProfileTarget: buildTarget,
    target() {
      const { profile } = machine.publicState
      if (!profile)
        throw createRefusedError('NOT_CONNECTED', 'Not connected to a host. Choose one on the Connect page.')
      return buildTarget(profile.id)
    },
    applyProfileEdit(profileId) {
      const profile = profiles.get(profileId)
      const previous = machine.publicState.profile
      if (previous?.id !== profile.id) return
      const pickTargetFields = ({ baseUrl, auth, paths = {} }: Profile): unknown => [baseUrl, auth, paths]
      const isSameTarget = isDeepStrictEqual(pickTargetFields(previous), pickTargetFields(profile))
      if (isSameTarget) transition({ ...machine, publicState: { ...machine.publicState, profile } })
      else void connect(profile.id)
    },
    disconnect() {
      stopAttempts()
      transition(endConnection(machine, Date.now()))
      try {
        profiles.markDisconnected()
      } catch (error) {
        log.warn('the disconnect could not be recorded', { reason: describeError(error) })
      }
      return machine.publicState
    },
    async retry() {
      if (!currentAttempt) failures = 0
      await startAttempt()
      return machine.publicState
    },
    checkSoon(error) {
      const { kind, status, code } = error.wire
      // Unknown whether the host accepts the token, until the capabilities are read with it.
      if (status === 401) hostIdentity = null
      // Running requests still fail after the program has ended.
      if (isDisposed) return
      const concernsConnection = kind === 'offline' || kind === 'timeout' || status === 401 || code === 'TRUNCATED'
      if (concernsConnection && machine.publicState.phase === 'online' && !currentAttempt) heartbeatTimer.schedule(0)
    },
    dispose() {
      isDisposed = true
      stopAttempts()
    },
  }
}
