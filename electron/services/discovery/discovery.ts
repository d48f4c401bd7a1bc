import { endpoint } from '../../../shared/bridge/endpoints/index.ts'
import { pairSchema } from '../../../shared/bridge/resources/state.ts'
import { AppError, refused } from '../../../shared/errors.ts'
import type { FoundHost } from '../../../shared/ipc/connection.ts'
import type { ProfileView } from '../../../shared/ipc/profiles.ts'
import { probe } from '../bridge/probe.ts'
import type { BridgeClient, BridgeTarget } from '../bridge/types.ts'
import { normaliseBaseUrl, originOf } from '../profiles/base-url.ts'
import type { Profiles } from '../profiles/profiles.ts'
import type { Vault } from '../vault/vault.ts'
import { announcedPorts, localToken, type Places } from './sources.ts'

const FIRST_PORT = 42_340
const PORTS = 20
const defaultAuth = { header: 'Authorization', scheme: 'Bearer' }

interface Options {
  readonly client: BridgeClient
  readonly profiles: Profiles
  readonly vault: Vault
  readonly places: Places
}

/** A target that carries no token: the scan must not hand one to whatever listens on a port. */
const bare = (baseUrl: string): BridgeTarget => ({
  baseUrl,
  auth: defaultAuth,
  token: null,
  tlsFingerprint: null,
  readOnly: true,
  epoch: 0,
  pathOverrides: {},
})

/** Finds hosts on this machine, makes profiles of them, and pairs with hosts in the LAN (observed-0.49). */
export function createDiscovery({ client, profiles, vault, places }: Options) {
  let found: FoundHost[] = []

  async function look(port: number, announced: boolean, signal: AbortSignal): Promise<FoundHost[]> {
    const baseUrl = `http://127.0.0.1:${port}/bridge/v1`
    try {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(300)])
      const { host, latencyMs } = await probe(client, bare(baseUrl), limited)
      if (host.app === null && host.bridgeApiVersion === null) return []
      const tokenSource = localToken(places)?.source ?? null
      const source = announced ? 'bridge.json' : 'port-scan'
      return [{ id: `local-${port}`, baseUrl, source, summary: host, tokenSource, latencyMs }]
    } catch {
      // Nothing there, or something that is no bridge: neither is worth a word.
      return []
    }
  }

  return {
    /** All at once, 300 ms each; connects to nothing and sends no token. */
    async scan(signal: AbortSignal): Promise<FoundHost[]> {
      const announced = announcedPorts(places)
      const ports = new Set([...announced, ...Array.from({ length: PORTS }, (_, at) => FIRST_PORT + at)])
      const results = await Promise.all([...ports].map((port) => look(port, announced.includes(port), signal)))
      found = results.flat()
      return found
    },

    /** Throws `FOUND_GONE` when the host is not among the last scan's. */
    async adopt(foundId: string, useToken: boolean): Promise<ProfileView> {
      const host = found.find((one) => one.id === foundId)
      if (!host) throw refused('FOUND_GONE', 'This host is no longer in the list. Look again.')
      const known = profiles.list().find(({ profile }) => profile.baseUrl === host.baseUrl)
      const name = host.summary.app ?? new URL(host.baseUrl).host
      const { profile } = known ?? profiles.save({ name, baseUrl: host.baseUrl, auth: defaultAuth, readOnly: true })
      const token = useToken ? localToken(places) : null
      if (token) {
        await vault.set(profile.id, token.secret.reveal(), originOf(profile.baseUrl), false)
        profiles.touched()
      }
      return profiles.view(profile.id)
    },

    /** `POST /pair`; every refusal of the host is the same `PAIRING_FAILED`. Throws also `PAIRING_EMPTY`. */
    async pair(
      input: { name: string; baseUrl: string; code: string; deviceName: string },
      signal: AbortSignal,
    ): Promise<ProfileView> {
      const baseUrl = normaliseBaseUrl(input.baseUrl)
      const { value } = await client.requestJson(bare(baseUrl), {
        endpoint: endpoint('pair.post'),
        body: { code: input.code, deviceName: input.deviceName },
        signal,
      })
      const parsed = pairSchema.safeParse(value)
      if (!parsed.success) {
        throw new AppError({
          kind: 'malformed',
          code: 'PAIRING_EMPTY',
          message: 'The host accepted the code but sent no token. Ask the device for a new code.',
          retryable: false,
        })
      }
      const { profile } = profiles.save({ name: input.name, baseUrl, auth: defaultAuth, readOnly: true })
      const { grade } = await vault.storage()
      await vault.set(profile.id, parsed.data.token, originOf(baseUrl), grade === 'secure')
      profiles.touched()
      return profiles.view(profile.id)
    },
  }
}

export type Discovery = ReturnType<typeof createDiscovery>
