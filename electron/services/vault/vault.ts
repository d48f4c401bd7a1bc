import path from 'node:path'
import { z } from 'zod'
import { refused } from '../../../shared/errors.ts'
import type { TokenStatus } from '../../../shared/ipc/profiles.ts'
import { isObject, readJson, writeAtomic } from '../files/atomic.ts'
import { describe, type Log } from '../log.ts'
import type { Redactor } from '../redact.ts'
import { Secret } from '../secret.ts'
import type { Cipher } from './cipher.ts'

const entrySchema = z.strictObject({
  backend: z.string(),
  /** base64 */
  ciphertext: z.string(),
  boundTo: z.string(),
})
type Entry = z.infer<typeof entrySchema>

export type Grade = 'secure' | 'weak' | 'none'

/** Holds tokens. Gives one out only to the service that makes a request, and only for the origin that it is bound to. */
export interface Vault {
  status(profileId: string): TokenStatus
  /** The token for exactly this origin (scheme, host, port), or null. */
  tokenFor(profileId: string, origin: string): Secret | null
  /** Throws `VAULT_UNAVAILABLE` when it is to be remembered and there is nothing to encrypt with; then nothing is kept. */
  set(profileId: string, token: string, origin: string, remember: boolean): Promise<TokenStatus>
  forget(profileId: string): void
  storage(): Promise<{ grade: Grade; backend: string }>
}

/**
 * Tokens in memory, and encrypted in `vault.json` where the person wants that. A token that cannot be decrypted stays on
 * disk as it is and counts as `locked`, never as empty: a dead keyring must not cost anybody their profile.
 */
export async function createVault(
  dataDir: string,
  cipher: Cipher | null,
  redactor: Redactor,
  log: Log,
): Promise<Vault> {
  const file = path.join(dataDir, 'vault.json')
  const memory = new Map<string, { secret: Secret; boundTo: string }>()
  const entries = load(file)
  for (const [id, entry] of entries) {
    try {
      if (!cipher) break
      const token = await cipher.decrypt(Buffer.from(entry.ciphertext, 'base64'))
      redactor.register(token)
      memory.set(id, { secret: new Secret(token), boundTo: entry.boundTo })
    } catch (error) {
      log.warn('a stored token could not be decrypted', { profile: id, reason: describe(error) })
    }
  }
  const save = (): void => writeAtomic(file, `${JSON.stringify({ tokens: Object.fromEntries(entries) }, null, 2)}\n`)

  async function storage(): Promise<{ grade: Grade; backend: string }> {
    try {
      const found = await cipher?.backend()
      return found ? { grade: found.grade, backend: found.name } : { grade: 'none', backend: 'memory' }
    } catch (error) {
      log.warn('the keyring did not answer', { reason: describe(error) })
      return { grade: 'none', backend: 'memory' }
    }
  }

  function status(id: string): TokenStatus {
    const held = memory.get(id)
    const entry = entries.get(id)
    if (held) {
      return { state: entry ? 'stored' : 'memory', boundTo: held.boundTo, backend: entry?.backend ?? null }
    }
    if (entry) return { state: 'locked', boundTo: entry.boundTo, backend: entry.backend }
    return { state: 'none', boundTo: null, backend: null }
  }

  return {
    status,
    storage,
    tokenFor(id, origin) {
      const held = memory.get(id)
      return held && held.boundTo === origin ? held.secret : null
    },
    async set(id, token, origin, remember) {
      const clean = token.trim()
      if (!/^[\x21-\x7e]+$/.test(clean)) {
        throw refused('TOKEN_MALFORMED', 'The token holds spaces or characters that cannot be sent. Copy it again.')
      }
      redactor.register(clean)
      if (remember) entries.set(id, await encrypted(clean, origin))
      else entries.delete(id)
      memory.set(id, { secret: new Secret(clean), boundTo: origin })
      save()
      return status(id)
    },
    forget(id) {
      memory.delete(id)
      if (entries.delete(id)) save()
    },
  }

  async function encrypted(token: string, origin: string): Promise<Entry> {
    const { grade, backend } = await storage()
    if (!cipher || grade === 'none') {
      throw refused(
        'VAULT_UNAVAILABLE',
        'There is no keyring to keep the token in. It can be kept in memory for this run.',
      )
    }
    const bytes = await cipher.encrypt(token)
    return { backend, ciphertext: Buffer.from(bytes).toString('base64'), boundTo: origin }
  }
}

function load(file: string): Map<string, Entry> {
  const { value } = readJson(file, isObject)
  const tokens = isObject(value) && isObject(value['tokens']) ? value['tokens'] : {}
  const entries = new Map<string, Entry>()
  for (const [id, entry] of Object.entries(tokens)) {
    const parsed = entrySchema.safeParse(entry)
    if (parsed.success) entries.set(id, parsed.data)
  }
  return entries
}
