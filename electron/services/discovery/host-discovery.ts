import net from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { getEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { pairResponseSchema } from '../../../shared/bridge/resources/state.ts'
import { AppError, createRefusedError } from '../../../shared/errors.ts'
import type { DiscoveredHost } from '../../../shared/ipc/connection.ts'
import type { Profile, ProfileView } from '../../../shared/ipc/profiles.ts'
import { probeHost } from '../bridge/connection/probe.ts'
import { withOrigin } from '../bridge/client/client.ts'
import type { BridgeClient, BridgeTarget } from '../bridge/types.ts'
import { normaliseBaseUrl, originOf } from '../profiles/base-url.ts'
import type { Profiles } from '../profiles/profiles.ts'
import { DEFAULT_AUTH } from '../profiles/stored-profiles.ts'
import type { Secret } from '../secret.ts'
import type { Vault } from '../vault/vault.ts'
import { findPortListener, type PortListener } from './port-listener.ts'
import { readAnnouncedHosts, readLocalToken, type AnnouncedHost, type MachineEnvironment } from './local-sources.ts'

const FIRST_PORT = 42_340
const PORT_COUNT = 20
const PROBE_TIMEOUT_MS = 300

interface Options {
  readonly client: BridgeClient
  readonly profiles: Profiles
  readonly vault: Vault
  readonly environment: MachineEnvironment
  /** Who is listening on a port of this machine. */
  readonly findListener?: (port: number) => PortListener
  /** How long each scanned port has to answer, in milliseconds. */
  readonly probeTimeoutMs?: number
}

/** A target without a token: the scan must not hand one to whatever listens on a port. */
const bare = (baseUrl: string): BridgeTarget => ({
  baseUrl,
  auth: DEFAULT_AUTH,
  token: null,
  tlsFingerprint: null,
  isReadOnly: true,
  epoch: 0,
  pathOverrides: {},
  limits: null,
})

/** What is known about a host that says nothing without a token. */
const silent: DiscoveredHost['summary'] = {
  app: null,
  appVersion: null,
  bridgeApiVersion: null,
  routeCount: null,
  apiFingerprint: null,
  guideHash: null,
  instanceNonce: null,
}

/** Finds hosts on this machine, creates profiles for them, and pairs with hosts on the LAN (observed-0.49). */
export function createHostDiscovery(options: Options) {
  const {
    client,
    profiles,
    vault,
    environment: places,
    findListener: listener = findPortListener,
    probeTimeoutMs: patienceMs = PROBE_TIMEOUT_MS,
  } = options
  const scanning = withOrigin(client, { kind: 'scan', label: null })
  let found: DiscoveredHost[] = []

  async function look(
    port: number,
    announced: readonly AnnouncedHost[],
    signal: AbortSignal,
  ): Promise<DiscoveredHost[]> {
    const baseUrl = `http://127.0.0.1:${port}/bridge/v1`
    const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
    // Where nobody listens no request begins, so traffic shows what was asked of programs, not one line for each free port.
    if (!(await accepts(port, patience))) return []
    const seen = await summaryAt(baseUrl, patience)
    if (!seen) return []
    const { source: tokenSource, problem: tokenProblem } = readLocalToken(places)
    const source = announced.some((one) => one.port === port) ? 'bridge.json' : 'port-scan'
    const doubts = doubtsOf(port, seen.summary.instanceNonce, announced)
    return [{ id: `local-${port}`, baseUrl, source, tokenSource, tokenProblem, ...doubts, ...seen }]
  }

  /** Who is listening on the port now, and why this machine's token may not be meant for them. */
  function doubtsOf(port: number, nonce: string | null, announced: readonly AnnouncedHost[]) {
    const here = announced.filter((one) => one.port === port)
    const who = listener(port)
    const asks: DiscoveredHost['asks'] = []
    if (here.length === 0) asks.push('not-announced')
    // A leftover file names a port that anybody may have taken since.
    else if (!here.some(({ instanceNonce }) => (instanceNonce ?? nonce) === nonce)) asks.push('other-instance')
    if (who.user === 'other') asks.push('other-user')
    return { listener: who, asks }
  }

  /** This machine's token, if this host may have it. Throws `FOUND_ASKS` and `FOUND_CHANGED`. */
  function tokenFor(host: DiscoveredHost, confirmed: boolean): Secret | null {
    const { secret } = readLocalToken(places)
    if (!secret) return null
    const now = doubtsOf(Number(new URL(host.baseUrl).port), host.summary.instanceNonce, readAnnouncedHosts(places))
    if (now.asks.length === 0) return secret
    if (!confirmed) throw createRefusedError('FOUND_ASKS', 'The token on this machine may not be meant for this host.')
    // The user's confirmation covers only what was shown.
    if (isDeepStrictEqual(now, { listener: host.listener, asks: host.asks })) return secret
    throw createRefusedError('FOUND_CHANGED', 'Something has changed since this host was shown. Scan again.')
  }

  async function summaryAt(
    baseUrl: string,
    signal: AbortSignal,
  ): Promise<Pick<DiscoveredHost, 'summary' | 'latencyMs'> | null> {
    const started = performance.now()
    try {
      const { host, latencyMs } = await probeHost(scanning, bare(baseUrl), signal)
      return { summary: host, latencyMs }
    } catch (error) {
      // One that answers even its status only with a token: that, too, is a bridge.
      const closed = error instanceof AppError && error.wire.status === 401 && error.code === 'UNAUTHORIZED'
      return closed ? { summary: silent, latencyMs: performance.now() - started } : null
    }
  }

  /** The code is used up by now, so a keyring that refuses the token must not lose it. */
  async function keep(profileId: string, token: string, origin: string): Promise<void> {
    const { grade } = await vault.storage()
    const remembered = grade === 'secure' ? vault.setToken(profileId, token, origin, true) : Promise.reject(new Error())
    await remembered.catch(() => vault.setToken(profileId, token, origin, false))
  }

  /** The profile with this address, or a new one. */
  const profileOf = (baseUrl: string, name: string): Profile =>
    profiles.list().find(({ profile }) => profile.baseUrl === baseUrl)?.profile ??
    profiles.save({ name, baseUrl, auth: DEFAULT_AUTH, readOnly: true }).profile

  return {
    /** Probes all ports at once, 300 ms each; connects to nothing and sends no token. */
    async scan(signal: AbortSignal): Promise<DiscoveredHost[]> {
      const announced = readAnnouncedHosts(places)
      const ports = new Set([
        ...announced.map(({ port }) => port),
        ...Array.from({ length: PORT_COUNT }, (_, at) => FIRST_PORT + at),
      ])
      const results = await Promise.all([...ports].map((port) => look(port, announced, signal)))
      found = results.flat()
      return found
    },

    /**
     * Throws `FOUND_GONE` if the host was not in the last scan, `FOUND_ASKS` if it would get a token that may not be meant for it and the
     * user has not confirmed that, and `FOUND_CHANGED` if what was confirmed is no longer true. Nothing has changed then.
     */
    async adopt(foundId: string, useToken: boolean, confirmed = false): Promise<ProfileView> {
      const host = found.find((one) => one.id === foundId)
      if (!host) throw createRefusedError('FOUND_GONE', 'This host is no longer in the list. Scan again.')
      const token = useToken ? tokenFor(host, confirmed) : null
      const profile = profileOf(host.baseUrl, host.summary.app ?? new URL(host.baseUrl).host)
      if (token) {
        await vault.setToken(profile.id, token.reveal(), originOf(profile.baseUrl), false)
        profiles.publishChange()
      }
      return profiles.view(profile.id)
    },

    /** `POST /pair`; every refusal by the host is the same `PAIRING_FAILED`. Also throws `PAIRING_EMPTY`. */
    async pair(
      input: { name: string; baseUrl: string; code: string; deviceName: string },
      signal: AbortSignal,
    ): Promise<ProfileView> {
      const baseUrl = normaliseBaseUrl(input.baseUrl)
      const { value } = await client.requestJson(bare(baseUrl), {
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
      const profile = profileOf(baseUrl, input.name)
      await keep(profile.id, parsed.data.token, originOf(baseUrl))
      profiles.publishChange()
      return profiles.view(profile.id)
    },
  }
}

export type HostDiscovery = ReturnType<typeof createHostDiscovery>

/**
 * Whether anything accepts connections at `127.0.0.1:port`. Nothing is sent. False too once `signal` is aborted: until then a port that neither
 * accepts nor refuses has time.
 */
function accepts(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port, signal })
    const end = (accepted: boolean): void => {
      socket.destroy()
      resolve(accepted)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}
