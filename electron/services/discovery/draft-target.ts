import type { ProfileDraft, TokenStatus } from '../../../shared/ipc/profiles.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeTarget } from '../bridge/types.ts'
import { normaliseBaseUrl, originOf } from '../profiles/base-url.ts'
import type { Vault } from '../vault/vault.ts'

interface Services {
  readonly connection: Pick<Connection, 'getProfileTarget'>
  readonly vault: Pick<Vault, 'registerTemporary' | 'status'>
}

const none: TokenStatus = { state: 'none', boundTo: null, backend: null }

/**
 * Where a host that is being entered would be reached. What was kept for the saved profile, its token and its accepted certificate, counts
 * only while scheme, host and port are the same. Throws `PROFILE_UNKNOWN`, `TOKEN_MALFORMED` and what `normaliseBaseUrl` throws.
 */
export function resolveDraftTarget(
  { connection, vault }: Services,
  draft: ProfileDraft,
  token: string | null,
): { target: BridgeTarget; tokenStatus: TokenStatus } {
  const baseUrl = normaliseBaseUrl(draft.baseUrl)
  const origin = originOf(baseUrl)
  const saved = draft.id === undefined ? null : connection.getProfileTarget(draft.id)
  const same = saved !== null && originOf(saved.baseUrl) === origin ? saved : null
  const typed = token === null ? null : vault.registerTemporary(token)
  const kept = same && draft.id !== undefined ? vault.status(draft.id) : none
  return {
    target: {
      baseUrl,
      auth: draft.auth,
      token: typed ? typed.reveal() : (same?.token ?? null),
      tlsFingerprint: same?.tlsFingerprint ?? null,
      isReadOnly: true,
      epoch: 0,
      pathOverrides: same?.pathOverrides ?? {},
      limits: same?.limits ?? null,
    },
    tokenStatus: typed ? { state: 'memory', boundTo: origin, backend: null } : kept,
  }
}
