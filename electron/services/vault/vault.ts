// Holds tokens in memory, and encrypted on disk if the user wants that. When a token is sent is
// decided in services/bridge. Read this file first, then keyring.ts.
import path from 'node:path'
import { createRefusedError } from '../../../shared/errors.ts'
import type { TokenStatus } from '../../../shared/ipc/profiles.ts'
import type { Bus } from '../bus.ts'
import type { Log } from '../files/log.ts'
import type { Notices } from '../notices.ts'
import type { Redactor } from '../redactor.ts'
import { Secret } from '../secret.ts'
import type { Cipher } from './cipher.ts'
import { createKeyring, type KeyringGrade } from './keyring.ts'
import { TOKEN_PATTERN } from './token.ts'
import { readTokens, writeTokens, type VaultEntry } from './stored-tokens.ts'

/** A token is given only to the service that makes a request, for the origin it is bound to. */
export interface Vault {
  status(profileId: string): TokenStatus
  /** Returns the token for exactly this origin (scheme, host, port); null if there is none. */
  getToken(profileId: string, origin: string): Secret | null
  /**
   * Sets a token. Nothing changes if it throws. The last of overlapping calls of `setToken` and
   * `forgetToken` wins.
   * @throws TOKEN_MALFORMED when it cannot be sent
   * @throws STORE_FAILED when it cannot be written
   * @throws VAULT_UNAVAILABLE when it is to be remembered but nothing can encrypt it
   */
  setToken(profileId: string, token: string, origin: string, remember: boolean): Promise<TokenStatus>
  /** The token is used once, not stored, but hidden in logs. @throws TOKEN_MALFORMED */
  registerTemporary(token: string): Secret
  /** Requests a locked token from the keyring again. */
  unlock(profileId: string): Promise<TokenStatus>
  forgetToken(profileId: string): void
  storage(): Promise<{ grade: KeyringGrade; backend: string }>
}

interface Options {
  readonly dataDir: string
  readonly cipher: Cipher | null
  readonly redactor: Redactor
  readonly log: Log
  readonly notices: Notices
  readonly bus: Pick<Bus, 'publish'>
  readonly patienceMs?: number
}

/**
 * Stores tokens in memory, and encrypted in `vault.json` if the user wants that. A token that
 * cannot be decrypted stays on disk unchanged and counts as `locked`, never as missing, so that a
 * broken keyring costs nobody their profile.
 */
export async function createVault(options: Options): Promise<Vault> {
  const { redactor, log, notices } = options
  const file = path.join(options.dataDir, 'vault.json')
  const keyring = createKeyring(options.cipher, log, options.patienceMs)
  const stored = readTokens(file)
  const memory = new Map<string, { secret: Secret; boundTo: string }>()
  const latestTurns = new Map<string, number>()
  let { entries, unknownEntries } = stored as {
    entries: ReadonlyMap<string, VaultEntry>
    unknownEntries: ReadonlyMap<string, unknown>
  }
  if (stored.outcome === 'lost') addDamageNotice(notices)

  function holdToken(id: string, token: string, boundTo: string): void {
    redactor.register(token)
    memory.set(id, { secret: new Secret(token), boundTo })
  }

  async function unlock(id: string): Promise<TokenStatus> {
    const entry = entries.get(id)
    if (!entry || memory.has(id)) return status(id)
    const holdIfCurrent = (token: string): void => {
      if (entries.get(id) === entry) holdToken(id, token, entry.boundTo)
    }
    const token = await keyring.open(entry, (lateToken) => {
      holdIfCurrent(lateToken)
      options.bus.publish('vault.unlocked', id)
    })
    if (token !== null) holdIfCurrent(token)
    return status(id)
  }

  function status(id: string): TokenStatus {
    const heldToken = memory.get(id)
    const entry = entries.get(id)
    if (heldToken)
      return { state: entry ? 'stored' : 'memory', boundTo: heldToken.boundTo, backend: entry?.backend ?? null }
    if (entry) return { state: 'locked', boundTo: entry.boundTo, backend: entry.backend }
    return { state: unknownEntries.has(id) ? 'locked' : 'none', boundTo: null, backend: null }
  }

  /** Sets or removes the token of a profile. It writes to disk first. */
  function replace(id: string, entry: VaultEntry | null): void {
    const nextTokens = { entries: new Map(entries), unknownEntries: new Map(unknownEntries) }
    const hadEntry = [nextTokens.entries.delete(id), nextTokens.unknownEntries.delete(id)].includes(true)
    if (entry) nextTokens.entries.set(id, entry)
    if (entry || hadEntry) writeTokens(file, nextTokens)
    entries = nextTokens.entries
    unknownEntries = nextTokens.unknownEntries
  }

  function beginTurn(id: string): () => boolean {
    const turn = (latestTurns.get(id) ?? 0) + 1
    latestTurns.set(id, turn)
    return () => latestTurns.get(id) === turn
  }

  await Promise.all([...entries.keys()].map(unlock))
  return {
    status,
    unlock,
    storage: () => keyring.storage(),
    getToken(id, origin) {
      const heldToken = memory.get(id)
      return heldToken && heldToken.boundTo === origin ? heldToken.secret : null
    },
    registerTemporary(token) {
      const trimmed = validateToken(token)
      redactor.register(trimmed)
      return new Secret(trimmed)
    },
    async setToken(id, token, origin, remember) {
      const trimmed = validateToken(token)
      redactor.register(trimmed)
      const isLatest = beginTurn(id)
      const entry = remember ? await keyring.seal(trimmed, origin) : null
      if (isLatest()) {
        replace(id, entry)
        holdToken(id, trimmed, origin)
      }
      return status(id)
    },
    forgetToken(id) {
      beginTurn(id)
      memory.delete(id)
      replace(id, null)
    },
  }
}

function addDamageNotice(notices: Notices): void {
  notices.add({
    level: 'warning',
    code: 'VAULT_DAMAGED',
    message: 'The stored tokens could not be read and were set aside. Enter any missing tokens again.',
  })
}

function validateToken(token: string): string {
  const trimmed = token.trim()
  if (TOKEN_PATTERN.test(trimmed)) return trimmed
  throw createRefusedError(
    'TOKEN_MALFORMED',
    'The token contains spaces or characters that cannot be sent. Copy it again.',
  )
}
