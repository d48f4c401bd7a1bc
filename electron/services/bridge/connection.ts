import { compareCapabilities } from '../../../shared/bridge/capabilities.ts'
import { AppError, refused, toWire } from '../../../shared/errors.ts'
import type { ConnectionState } from '../../../shared/ipc/connection.ts'
import type { Bus } from '../bus.ts'
import { describe, type Log } from '../log.ts'
import { originOf } from '../profiles/base-url.ts'
import type { Profiles } from '../profiles/profiles.ts'
import type { Vault } from '../vault/vault.ts'
import { probe, readCapabilities } from './probe.ts'
import { began, failed, initialState, stopped, succeeded } from './state.ts'
import { CertificateError } from './tls.ts'
import type { BridgeClient, BridgeTarget } from './types.ts'

export interface Connection {
  state(): ConnectionState
  /** Where to send requests now. Throws `NOT_CONNECTED`. */
  target(): BridgeTarget
  /** Where requests of one profile go, connected or not (the doctor). Throws `PROFILE_UNKNOWN`. */
  targetFor(profileId: string): BridgeTarget
  /** Resolves when the first attempt is decided. Throws `PROFILE_UNKNOWN`. */
  connect(profileId: string): Promise<ConnectionState>
  disconnect(): ConnectionState
  retry(): Promise<ConnectionState>
  /** A request failed in a way that says something of the connection: looks again soon instead of at the next beat. */
  nudge(error: AppError): void
  dispose(): void
}

interface Options {
  readonly client: BridgeClient
  readonly profiles: Profiles
  readonly vault: Vault
  readonly bus: Bus
  readonly log: Log
  readonly heartbeatMs: () => number
}

/** Attempts are never closer together than this, whatever nudges. */
const LEAST_MS = 400
const BACKOFF_FIRST_MS = 500
const BACKOFF_LONGEST_MS = 10_000

/** Keeps one connection: a light heartbeat while online, backoff with jitter while not, recovery by itself. */
export function createConnection(options: Options): Connection {
  const { client, profiles, vault, bus, log } = options
  let state = initialState(Date.now())
  let pathOverrides: Readonly<Record<string, string>> = {}
  let fingerprint: string | null = null
  let knowsCapabilities = false
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let plannedAt = 0
  let lastAttemptAt = 0
  let running: { abort: AbortController; done: Promise<void> } | null = null

  function become(next: ConnectionState): void {
    if (next.phase !== state.phase) log.info('connection', { phase: next.phase, epoch: next.epoch })
    state = next
    bus.publish('connection.changed', state)
  }

  function plan(ms: number): void {
    clearTimeout(timer)
    const wait = Math.max(ms, lastAttemptAt + LEAST_MS - Date.now())
    plannedAt = Date.now() + wait
    timer = setTimeout(() => void beat(), wait)
  }

  function targetFor(profileId: string): BridgeTarget {
    const profile = profiles.get(profileId)
    return {
      baseUrl: profile.baseUrl,
      auth: profile.auth,
      token: vault.tokenFor(profile.id, originOf(profile.baseUrl))?.reveal() ?? null,
      tlsFingerprint: profile.tlsFingerprint,
      readOnly: profile.readOnly,
      epoch: state.epoch,
      pathOverrides,
    }
  }

  /** One attempt; a second caller joins the one under way. */
  function beat(): Promise<void> {
    if (running) return running.done
    const { profile } = state
    if (!profile) return Promise.resolve()
    clearTimeout(timer)
    const abort = new AbortController()
    const late = plannedAt > 0 && Date.now() - plannedAt > Math.max(10_000, 3 * options.heartbeatMs())
    lastAttemptAt = Date.now()
    const done = attempt(profile.id, abort.signal, late && state.phase === 'online').finally(() => {
      if (running?.abort === abort) running = null
    })
    running = { abort, done }
    return done
  }

  async function attempt(profileId: string, signal: AbortSignal, slept: boolean): Promise<void> {
    try {
      const target = targetFor(profileId)
      const found = await probe(client, target, signal)
      if (found.authorized === false) throw unauthorized()
      if (found.capabilities) learn(found.capabilities, null)
      else if (!knowsCapabilities || found.host.apiFingerprint !== fingerprint || state.phase !== 'online') {
        const { capabilities } = await readCapabilities(client, target, signal)
        learn(capabilities, found.host.apiFingerprint)
      }
      if (signal.aborted) return
      const first = state.phase !== 'online'
      failures = 0
      const current = profiles.get(profileId)
      become({ ...succeeded(state, found.host, found.latencyMs, Date.now(), slept), profile: current })
      if (first) become({ ...state, profile: profiles.patch(profileId, { lastConnectedAt: Date.now() }).profile })
      plan(options.heartbeatMs())
    } catch (thrown) {
      if (!signal.aborted) fail(thrown)
    }
  }

  function learn(capabilities: Parameters<typeof compareCapabilities>[0], apiFingerprint: string | null): void {
    pathOverrides = compareCapabilities(capabilities).pathOverrides
    fingerprint = apiFingerprint
    knowsCapabilities = true
  }

  function fail(thrown: unknown): void {
    if (!(thrown instanceof AppError)) log.error('heartbeat failed', { reason: describe(thrown) })
    const error = toWire(thrown)
    const refusedToken = error.status === 401
    failures += 1
    const ceiling = refusedToken ? 30_000 : Math.min(BACKOFF_LONGEST_MS, BACKOFF_FIRST_MS * 2 ** (failures - 1))
    const wait = ceiling * (0.75 + Math.random() * 0.25)
    const asks = thrown instanceof CertificateError
    const phase = refusedToken ? 'unauthorized' : 'offline'
    become({
      ...failed(state, phase, error, asks ? null : Date.now() + wait, Date.now()),
      certificate: asks ? { ...thrown.certificate } : null,
    })
    if (!asks) plan(wait)
  }

  function stop(): void {
    clearTimeout(timer)
    plannedAt = 0
    running?.abort.abort()
    running = null
  }

  return {
    state: () => state,
    targetFor,
    target() {
      if (!state.profile) {
        throw refused('NOT_CONNECTED', 'Not connected to a host. Choose one on the Connect page.')
      }
      return targetFor(state.profile.id)
    },
    async connect(profileId) {
      const profile = profiles.get(profileId)
      stop()
      if (state.profile?.id !== profile.id) pathOverrides = {}
      knowsCapabilities = false
      fingerprint = null
      failures = 0
      become(began(state, profile, Date.now()))
      await beat()
      return state
    },
    disconnect() {
      stop()
      become(stopped(state, Date.now()))
      return state
    },
    async retry() {
      if (state.profile && !running) {
        failures = 0
        await beat()
      } else await running?.done
      return state
    },
    nudge(error) {
      const telling = error.kind === 'offline' || error.wire.status === 401 || error.code === 'TRUNCATED'
      if (telling && state.phase === 'online' && !running) plan(0)
    },
    dispose: stop,
  }
}

const unauthorized = (): AppError =>
  new AppError({
    kind: 'host',
    code: 'UNAUTHORIZED',
    status: 401,
    message: 'The host does not accept the token of this profile. Set it again on the Connect page.',
    retryable: false,
  })
