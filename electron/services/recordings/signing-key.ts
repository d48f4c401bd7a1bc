import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import path from 'node:path'
import { z } from 'zod'
import { isObject } from '../../../shared/json/object.ts'
import { readJsonFile, writeAtomic } from '../files/atomic-file.ts'
import type { Log } from '../files/log.ts'
import type { Cipher } from '../vault/cipher.ts'
import { createKeyring } from '../vault/keyring.ts'

interface Options {
  readonly dataDir: string
  /** Null if nothing can encrypt; the key is then kept in memory for this run. */
  readonly cipher: Cipher | null
  readonly log: Log
}

/** Names the key in the encrypted text, as an address names a token. */
const BOUND_TO = 'recordings'
const storedSchema = z.object({ backend: z.string(), ciphertext: z.string(), boundTo: z.literal(BOUND_TO) })

/**
 * Returns a function that gets the private key with which this data directory signs recordings. The
 * key is made on first use, and stored as tokens are: encrypted with the keyring, or not at all.
 */
export function createSigningKeyReader({ dataDir, cipher, log }: Options): () => Promise<KeyObject> {
  const file = path.join(dataDir, 'signing-key.json')
  const keyring = createKeyring(cipher, log)
  let reading: Promise<KeyObject> | null = null

  async function readKey(): Promise<KeyObject> {
    const { value } = readJsonFile(file, isObject)
    const stored = storedSchema.safeParse(value)
    const text = stored.success ? await keyring.open(stored.data, () => undefined) : null
    if (text !== null) return toKey(text)
    const { privateKey } = generateKeyPairSync('ed25519')
    // A key that cannot be decrypted now may be needed again, so it is not replaced.
    if (!stored.success) await storeKey(privateKey)
    return privateKey
  }

  async function storeKey(privateKey: KeyObject): Promise<void> {
    try {
      const text = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url')
      const sealed = await keyring.seal(text, BOUND_TO)
      writeAtomic(file, `${JSON.stringify(sealed, null, 2)}\n`, { backup: 'same' })
    } catch {
      log.info('the key for signing recordings is kept in memory only')
    }
  }

  return () => (reading ??= readKey())
}

const toKey = (text: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(text, 'base64url'), type: 'pkcs8', format: 'der' })
