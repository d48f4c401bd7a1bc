// Finds hosts, checks connections to them, and gets tokens from them. Connecting to a saved profile
// is in services/bridge/connection. Read this file first, then doctor.ts.
import net from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { getEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { pairResponseSchema } from '../../../shared/bridge/resources/state.ts'
import { AppError, createRefusedError } from '../../../shared/errors.ts'
import type { DiscoveredHost } from '../../../shared/ipc/connection.ts'
import type { Profile, ProfileView } from '../../../shared/ipc/profiles.ts'
import { hasBridgeMark, probeHost } from '../bridge/connection/probe.ts'
import { withOrigin } from '../bridge/client/client.ts'
import type { BridgeClient, BridgeTarget } from '../bridge/types.ts'
import { normaliseBaseUrl, originOf } from '../profiles/base-url.ts'
import type { Profiles } from '../profiles/profiles.ts'
import { DEFAULT_AUTH } from '../profiles/stored-profiles.ts'
import type { Secret } from '../secret.ts'
import type { Vault } from '../vault/vault.ts'
import { findPortListener, type PortListener } from './port-listener.ts'
import { readAnnouncedHosts, readLocalToken, type AnnouncedHost, type MachineEnvironment } from './local-sources.ts'
import { NodeAbortSignal } from '../../core/node-abort.ts'

const FIRST_PORT = 42_340
const PORT_COUNT = 20
const PROBE_TIMEOUT_MS = 300

interface Options {
  readonly client: BridgeClient
  readonly profiles: Profiles
  readonly vault: Vault
  readonly environment: MachineEnvironment
  /** Finds out which user listens on a port of this machine. */
  readonly findListener?: (port: number) => PortListener
  /** Milliseconds that each scanned port has to respond. */
  readonly probeTimeoutMs?: number
}

/** A target without a token, because the scan must not send a token to an unknown program. */
const createAnonymousTarget = (baseUrl: string): BridgeTarget => ({
  baseUrl,
  auth: DEFAULT_AUTH,
  token: null,
  tlsFingerprint: null,
  isReadOnly: true,
  epoch: 0,
  pathOverrides: {},
  limits: null,
})

/** The summary of a host that reports nothing without a token. */
const EMPTY_SUMMARY: DiscoveredHost['summary'] = {
  app: null,
  appVersion: null,
  bridgeApiVersion: null,
  routeCount: null,
  apiFingerprint: null,
  guideHash: null,
  instanceNonce: null,
}

/** Finds hosts on this machine, creates their profiles, and pairs on the LAN (observed-0.49). */
export function createHostDiscovery(options: Options) {
  const {
    client,
    profiles,
    vault,
    environment,
    findListener: findListener = findPortListener,
    probeTimeoutMs: probeTimeoutMs = PROBE_TIMEOUT_MS,
  } = options
  const scanClient = withOrigin(client, { kind: 'scan', label: null })
  let foundHosts: DiscoveredHost[] = []

  async function probePort(
    port: number,
    announced: readonly AnnouncedHost[],
    signal: AbortSignal,
  ): Promise<DiscoveredHost[]> {
    const baseUrl = `http://127.0.0.1:${port}/bridge/v1`
    const timeout = NodeAbortSignal.any([signal, NodeAbortSignal.timeout(probeTimeoutMs)])
    // A closed port gets no request, and so no line in the traffic list.
    if (!(await canConnect(port, timeout))) return []
    const status = await readStatus(baseUrl, timeout)
    if (!status) return []
    const { source: tokenSource, problem: tokenProblem } = readLocalToken(environment)
    const source = announced.some((host) => host.port === port) ? 'bridge.json' : 'port-scan'
    const tokenCheck = checkTokenOwnership(port, status.summary.instanceNonce, announced)
    return [{ id: `local-${port}`, baseUrl, source, tokenSource, tokenProblem, ...tokenCheck, ...status }]
  }

  /** Finds out who listens on the port, and why the token may not be meant for that program. */
  function checkTokenOwnership(port: number, nonce: string | null, announced: readonly AnnouncedHost[]) {
    const announcedHere = announced.filter((host) => host.port === port)
    const owner = findListener(port)
    const doubts: DiscoveredHost['asks'] = []
    if (announcedHere.length === 0) doubts.push('not-announced')
    // The file may be old, and a different program may listen on its port by now.
    else if (!announcedHere.some(({ instanceNonce }) => (instanceNonce ?? nonce) === nonce))
      doubts.push('other-instance')
    if (owner.user === 'other') doubts.push('other-user')
    return { listener: owner, asks: doubts }
  }

  /**
   * Returns this machine's token if this host may have it.
   * @throws FOUND_ASKS when the user has to confirm it
   * @throws FOUND_CHANGED when the confirmation is outdated
   */
  function getTokenForHost(host: DiscoveredHost, isConfirmed: boolean): Secret | null {
    const { secret } = readLocalToken(environment)
    if (!secret) return null
    const currentCheck = checkTokenOwnership(
      Number(new URL(host.baseUrl).port),
      host.summary.instanceNonce,
      readAnnouncedHosts(environment),
    )
    if (currentCheck.asks.length === 0) return secret
    if (!isConfirmed)
      throw createRefusedError('FOUND_ASKS', 'The token on this machine may not be meant for this host.')
    // The user's confirmation covers only the facts that were shown.
    if (isDeepStrictEqual(currentCheck, { listener: host.listener, asks: host.asks })) return secret
    throw createRefusedError('FOUND_CHANGED', 'Something has changed since this host was shown. Scan again.')
  }

  async function readStatus(
    baseUrl: string,
    signal: AbortSignal,
  ): Promise<Pick<DiscoveredHost, 'summary' | 'latencyMs'> | null> {
    const startedAt = performance.now()
    try {
      const probe = await probeHost(scanClient, createAnonymousTarget(baseUrl), signal)
      return hasBridgeMark(probe) ? { summary: probe.host, latencyMs: probe.latencyMs } : null
    } catch (error) {
      // A bridge may require the token even for its status.
      const isLocked = error instanceof AppError && error.wire.status === 401 && error.code === 'UNAUTHORIZED'
      return isLocked ? { summary: EMPTY_SUMMARY, latencyMs: performance.now() - startedAt } : null
    }
  }

  /** The pairing code is used up, so a keyring that refuses the token must not lose it. */
  async function storeToken(profileId: string, token: string, origin: string): Promise<void> {
    const { grade } = await vault.storage()
    const storing = grade === 'secure' ? vault.setToken(profileId, token, origin, true) : Promise.reject(new Error())
    await storing.catch(() => vault.setToken(profileId, token, origin, false))
  }

  /** Returns the profile with this address, or a new one. */
  const getOrCreateProfile = (baseUrl: string, name: string): Profile =>
    profiles.list().find(({ profile }) => profile.baseUrl === baseUrl)?.profile ??
    profiles.save({ name, baseUrl, auth: DEFAULT_AUTH, readOnly: true }).profile

  return {
    /** Probes all ports at once. Connects to no host and sends no token. */
    async scan(signal: AbortSignal): Promise<DiscoveredHost[]> {
      const announced = readAnnouncedHosts(environment)
      const ports = new Set([
        ...announced.map(({ port }) => port),
        ...Array.from({ length: PORT_COUNT }, (_, index) => FIRST_PORT + index),
      ])
      const results = await Promise.all([...ports].map((port) => probePort(port, announced, signal)))
      foundHosts = results.flat()
      return foundHosts
    },

    /**
     * Creates a profile for a found host. Nothing changes if it throws.
     * @throws FOUND_GONE when the host was not in the last scan
     * @throws FOUND_ASKS when the token may not be meant for this host and the user has not
     *   confirmed it
     * @throws FOUND_CHANGED when the confirmed facts have changed
     */
    async adopt(foundId: string, shouldUseToken: boolean, isConfirmed = false): Promise<ProfileView> {
      const host = foundHosts.find((candidate) => candidate.id === foundId)
      if (!host) throw createRefusedError('FOUND_GONE', 'This host is no longer in the list. Scan again.')
      const token = shouldUseToken ? getTokenForHost(host, isConfirmed) : null
      const profile = getOrCreateProfile(host.baseUrl, host.summary.app ?? new URL(host.baseUrl).host)
      if (token) {
        await vault.setToken(profile.id, token.reveal(), originOf(profile.baseUrl), false)
        profiles.publishChange()
      }
      return profiles.view(profile.id)
    },

    /** Every refusal is `PAIRING_FAILED`. @throws PAIRING_EMPTY if no token comes with success */
    async pair(
      input: { name: string; baseUrl: string; code: string; deviceName: string },
      signal: AbortSignal,
    ): Promise<ProfileView> {
      const baseUrl = normaliseBaseUrl(input.baseUrl)
      const { value } = await client.requestJson(createAnonymousTarget(baseUrl), {
        endpoint: getEndpoint('pair.post'),
        body: { code: input.code, deviceName: input.deviceName },
        signal,
      })
      const parsed = pairResponseSchema.safeParse(value)
      if (!parsed.success || !/^[\x21-\x7e]+$/.test(parsed.data.token.trim())) {
        throw new AppError({
          kind: 'malformed',
          code: 'PAIRING_EMPTY',
          message: 'The host accepted the code but sent no token. Ask the device for a new code.',
          retryable: false,
        })
      }
      const profile = getOrCreateProfile(baseUrl, input.name)
      await storeToken(profile.id, parsed.data.token, originOf(baseUrl))
      profiles.publishChange()
      return profiles.view(profile.id)
    },
  }
}

export type HostDiscovery = ReturnType<typeof createHostDiscovery>

/** True if `127.0.0.1:port` accepts; sends nothing. False if undecided when `signal` aborts. */
function canConnect(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port, signal })
    const finish = (isAccepted: boolean): void => {
      socket.destroy()
      resolve(isAccepted)
    }
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
  })
}
