import { z } from 'zod'
import { createRefusedError } from '../../../shared/errors.ts'
import { describeError, type Log } from '../files/log.ts'
import type { Cipher } from './cipher.ts'
import type { VaultEntry } from './stored-tokens.ts'
import { TOKEN_PATTERN } from './token.ts'

export type KeyringGrade = 'secure' | 'weak' | 'none'

/** The address is encrypted, too, so that editing the file cannot send the token elsewhere. */
const contentSchema = z.object({ token: z.string().regex(TOKEN_PATTERN), boundTo: z.string() })

/** A keyring may ask the user for a password, for which startup does not wait. */
const KEYRING_TIMEOUT_MS = 3_000

/** The system's keyring may be absent, locked or broken, or not respond at all. */
export function createKeyring(cipher: Cipher | null, log: Log, timeoutMs = KEYRING_TIMEOUT_MS) {
  async function storage(): Promise<{ grade: KeyringGrade; backend: string }> {
    try {
      const backend = cipher && (await withTimeout(timeoutMs, cipher.backend()))
      return backend ? { grade: backend.grade, backend: backend.name } : { grade: 'none', backend: 'memory' }
    } catch (error) {
      log.warn('the keyring did not respond', { reason: describeError(error) })
      return { grade: 'none', backend: 'memory' }
    }
  }

  async function decryptToken(keyring: Cipher, entry: VaultEntry): Promise<string> {
    const text = await keyring.decrypt(Buffer.from(entry.ciphertext, 'base64'))
    const content = contentSchema.parse(JSON.parse(text))
    if (content.boundTo !== entry.boundTo) throw new Error('the address was changed')
    return content.token
  }

  return {
    storage,
    /** @throws VAULT_UNAVAILABLE when nothing can encrypt the token */
    async seal(token: string, boundTo: string): Promise<VaultEntry> {
      const { grade, backend } = await storage()
      if (!cipher || grade === 'none') throw createUnavailableError()
      try {
        const bytes = await withTimeout(timeoutMs, cipher.encrypt(JSON.stringify({ token, boundTo })))
        return { backend, ciphertext: Buffer.from(bytes).toString('base64'), boundTo }
      } catch (error) {
        log.warn('the keyring did not accept a token', { reason: toSafeReason(error) })
        throw createUnavailableError()
      }
    },
    /** Returns the token, or null if not in time; `onLateToken` receives one that comes later. */
    async open(entry: VaultEntry, onLateToken: (token: string) => void): Promise<string | null> {
      if (!cipher) return null
      const decryption = decryptToken(cipher, entry)
      try {
        return await withTimeout(timeoutMs, decryption)
      } catch (error) {
        log.warn('a stored token could not be decrypted', { backend: entry.backend, reason: toSafeReason(error) })
        if (error instanceof KeyringTimeoutError) decryption.then(onLateToken, () => undefined)
        return null
      }
    },
  }
}

class KeyringTimeoutError extends Error {}

async function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new KeyringTimeoutError(`no response within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** The message is left out, because it may contain the token or the encrypted text. */
const toSafeReason = (error: unknown): string =>
  error instanceof KeyringTimeoutError ? error.message : error instanceof Error ? error.name : typeof error

const createUnavailableError = (): Error =>
  createRefusedError(
    'VAULT_UNAVAILABLE',
    'There is no keyring to store the token in. It can be kept in memory for this run.',
  )
