import type { ProfileDraft, TokenStatus } from '../../../shared/ipc/profiles.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeTarget } from '../bridge/types.ts'
import { normaliseBaseUrl, originOf } from '../profiles/base-url.ts'
import type { Vault } from '../vault/vault.ts'

interface Services {
  readonly connection: Pick<Connection, 'getProfileTarget'>
  readonly vault: Pick<Vault, 'registerTemporary' | 'status'>
}

const NO_TOKEN: TokenStatus = { state: 'none', boundTo: null, backend: null }

/**
 * Returns the target for a host whose address is still being entered. The token and the accepted
 * certificate of the saved profile count only while scheme, host and port are the same.
 * @throws PROFILE_UNKNOWN, TOKEN_MALFORMED, and the errors of `normaliseBaseUrl`
 */
export function resolveDraftTarget(
  { connection, vault }: Services,
  draft: ProfileDraft,
  token: string | null,
): { target: BridgeTarget; tokenStatus: TokenStatus } {
  const baseUrl = normaliseBaseUrl(draft.baseUrl)
  const origin = originOf(baseUrl)
  const saved = draft.id === undefined ? null : connection.getProfileTarget(draft.id)
  const sameOriginTarget = saved !== null && originOf(saved.baseUrl) === origin ? saved : null
  const typedToken = token === null ? null : vault.registerTemporary(token)
  const savedStatus = sameOriginTarget && draft.id !== undefined ? vault.status(draft.id) : NO_TOKEN
  return {
    target: {
      baseUrl,
      auth: draft.auth,
      token: typedToken ? typedToken.reveal() : (sameOriginTarget?.token ?? null),
      tlsFingerprint: sameOriginTarget?.tlsFingerprint ?? null,
      isReadOnly: true,
      epoch: 0,
      pathOverrides: sameOriginTarget?.pathOverrides ?? {},
      limits: sameOriginTarget?.limits ?? null,
    },
    tokenStatus: typedToken ? { state: 'memory', boundTo: origin, backend: null } : savedStatus,
  }
}
