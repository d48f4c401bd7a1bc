import { z } from 'zod'
import { createRefusedError } from '../../../shared/errors.ts'
import { describeError, type Log } from '../files/log.ts'
import type { Cipher } from './cipher.ts'
import type { VaultEntry } from './stored-tokens.ts'
import { TOKEN_PATTERN } from './token.ts'

export type KeyringGrade = 'secure' | 'weak' | 'none'

/** The operating system's keyring made predictable: it may be absent, locked or broken, or not respond at all. */
interface Keyring {
  storage(): Promise<{ grade: KeyringGrade; backend: string }>
  /** Throws `VAULT_UNAVAILABLE`. */
  seal(token: string, boundTo: string): Promise<VaultEntry>
  /** The token, or null if it is not available now; `late` receives it if it comes after all. */
  open(entry: VaultEntry, late: (token: string) => void): Promise<string | null>
}

/** What is encrypted: the address is included, so that editing the file cannot send the token elsewhere. */
const contentSchema = z.object({ token: z.string().regex(TOKEN_PATTERN), boundTo: z.string() })

/** A keyring may ask the user for a password; startup does not wait for that. */
const KEYRING_TIMEOUT_MS = 3_000

export function createKeyring(cipher: Cipher | null, log: Log, patienceMs = KEYRING_TIMEOUT_MS): Keyring {
  async function storage(): Promise<{ grade: KeyringGrade; backend: string }> {
    try {
      const found = cipher && (await within(patienceMs, cipher.backend()))
      return found ? { grade: found.grade, backend: found.name } : { grade: 'none', backend: 'memory' }
    } catch (error) {
      log.warn('the keyring did not respond', { reason: describeError(error) })
      return { grade: 'none', backend: 'memory' }
    }
  }

  async function decrypted(source: Cipher, entry: VaultEntry): Promise<string> {
    const text = await source.decrypt(Buffer.from(entry.ciphertext, 'base64'))
    const content = contentSchema.parse(JSON.parse(text))
    if (content.boundTo !== entry.boundTo) throw new Error('the address was changed')
    return content.token
  }

  return {
    storage,
    async seal(token, boundTo) {
      const { grade, backend } = await storage()
      if (!cipher || grade === 'none') throw unavailable()
      try {
        const bytes = await within(patienceMs, cipher.encrypt(JSON.stringify({ token, boundTo })))
        return { backend, ciphertext: Buffer.from(bytes).toString('base64'), boundTo }
      } catch (error) {
        log.warn('the keyring did not accept a token', { reason: nameOf(error) })
        throw unavailable()
      }
    },
    async open(entry, late) {
      if (!cipher) return null
      const coming = decrypted(cipher, entry)
      try {
        return await within(patienceMs, coming)
      } catch (error) {
        log.warn('a stored token could not be decrypted', { backend: entry.backend, reason: nameOf(error) })
        if (error instanceof Impatience) coming.then(late, () => undefined)
        return null
      }
    },
  }
}

class Impatience extends Error {}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Impatience(`no response within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, patience])
  } finally {
    clearTimeout(timer)
  }
}

/** Never the message: it may contain what was to be encrypted or parsed. */
const nameOf = (error: unknown): string =>
  error instanceof Impatience ? error.message : error instanceof Error ? error.name : typeof error

const unavailable = (): Error =>
  createRefusedError(
    'VAULT_UNAVAILABLE',
    'There is no keyring to store the token in. It can be kept in memory for this run.',
  )
