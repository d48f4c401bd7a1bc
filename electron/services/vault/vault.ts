import path from 'node:path'
import { createRefusedError } from '../../../shared/errors.ts'
import type { TokenStatus } from '../../../shared/ipc/profiles.ts'
import type { Log } from '../files/log.ts'
import type { Notices } from '../notices.ts'
import type { Redactor } from '../redactor.ts'
import { Secret } from '../secret.ts'
import type { Cipher } from './cipher.ts'
import { createKeyring, type KeyringGrade } from './keyring.ts'
import { TOKEN_PATTERN } from './token.ts'
import { readTokens, writeTokens, type VaultEntry } from './stored-tokens.ts'

/** Holds tokens. Gives one out only to the service that makes a request, and only for the origin it is bound to. */
export interface Vault {
  status(profileId: string): TokenStatus
  /** The token for exactly this origin (scheme, host, port), or null. */
  getToken(profileId: string, origin: string): Secret | null
  /**
   * Throws `TOKEN_MALFORMED`, `STORE_FAILED`, and `VAULT_UNAVAILABLE` if the token is to be remembered but nothing can encrypt it;
   * nothing has changed then. If two calls overlap, or a `forget` comes in between, the last one counts.
   */
  setToken(profileId: string, token: string, origin: string, remember: boolean): Promise<TokenStatus>
  /** A token that is tried once and not kept; from now on no log or answer shows it. Throws `TOKEN_MALFORMED`. */
  registerTemporary(token: string): Secret
  /** Asks the keyring again for a locked token. */
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
  /** Called when a token is unlocked later than it was asked for. */
  readonly onUnlock?: () => void
  readonly patienceMs?: number
}

/**
 * Keeps tokens in memory, and encrypted in `vault.json` if the user wants that. A token that cannot be decrypted stays on disk unchanged
 * and counts as `locked`, never as missing: a dead keyring must not cost anybody their profile.
 */
export async function createVault(options: Options): Promise<Vault> {
  const { redactor, log, notices } = options
  const file = path.join(options.dataDir, 'vault.json')
  const keyring = createKeyring(options.cipher, log, options.patienceMs)
  const stored = readTokens(file)
  const memory = new Map<string, { secret: Secret; boundTo: string }>()
  const turns = new Map<string, number>()
  let { entries, unknownEntries } = stored as {
    entries: ReadonlyMap<string, VaultEntry>
    unknownEntries: ReadonlyMap<string, unknown>
  }
  if (stored.outcome === 'lost') announce(notices)

  function hold(id: string, token: string, boundTo: string): void {
    redactor.register(token)
    memory.set(id, { secret: new Secret(token), boundTo })
  }

  async function unlock(id: string): Promise<TokenStatus> {
    const entry = entries.get(id)
    if (!entry || memory.has(id)) return status(id)
    const take = (token: string): void => {
      if (entries.get(id) === entry) hold(id, token, entry.boundTo)
    }
    const token = await keyring.open(entry, (late) => {
      take(late)
      options.onUnlock?.()
    })
    if (token !== null) take(token)
    return status(id)
  }

  function status(id: string): TokenStatus {
    const held = memory.get(id)
    const entry = entries.get(id)
    if (held) return { state: entry ? 'stored' : 'memory', boundTo: held.boundTo, backend: entry?.backend ?? null }
    if (entry) return { state: 'locked', boundTo: entry.boundTo, backend: entry.backend }
    return { state: unknownEntries.has(id) ? 'locked' : 'none', boundTo: null, backend: null }
  }

  /** Sets or removes the token of a profile; it is written to disk before it counts. */
  function replace(id: string, entry: VaultEntry | null): void {
    const next = { entries: new Map(entries), unknownEntries: new Map(unknownEntries) }
    const had = [next.entries.delete(id), next.unknownEntries.delete(id)].includes(true)
    if (entry) next.entries.set(id, entry)
    if (entry || had) writeTokens(file, next)
    entries = next.entries
    unknownEntries = next.unknownEntries
  }

  function begin(id: string): () => boolean {
    const turn = (turns.get(id) ?? 0) + 1
    turns.set(id, turn)
    return () => turns.get(id) === turn
  }

  await Promise.all([...entries.keys()].map(unlock))
  return {
    status,
    unlock,
    storage: () => keyring.storage(),
    getToken(id, origin) {
      const held = memory.get(id)
      return held && held.boundTo === origin ? held.secret : null
    },
    registerTemporary(token) {
      const clean = sendable(token)
      redactor.register(clean)
      return new Secret(clean)
    },
    async setToken(id, token, origin, remember) {
      const clean = sendable(token)
      redactor.register(clean)
      const isLatest = begin(id)
      const entry = remember ? await keyring.seal(clean, origin) : null
      if (isLatest()) {
        replace(id, entry)
        hold(id, clean, origin)
      }
      return status(id)
    },
    forgetToken(id) {
      begin(id)
      memory.delete(id)
      replace(id, null)
    },
  }
}

function announce(notices: Notices): void {
  notices.add({
    level: 'warning',
    code: 'VAULT_DAMAGED',
    message: 'The stored tokens could not be read and were set aside. Enter any missing tokens again.',
  })
}

function sendable(token: string): string {
  const clean = token.trim()
  if (TOKEN_PATTERN.test(clean)) return clean
  throw createRefusedError(
    'TOKEN_MALFORMED',
    'The token contains spaces or characters that cannot be sent. Copy it again.',
  )
}
