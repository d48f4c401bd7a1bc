import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import path from 'node:path'
import { z } from 'zod'
import { createSigner, type SignSeal } from '../../recording-file/seal.ts'
import { readJsonFile, writeAtomic } from '../files/atomic-file.ts'
import { describeError, type Log } from '../files/log.ts'
import type { Cipher } from '../vault/cipher.ts'
import { createKeyring } from '../vault/keyring.ts'
import { vaultEntrySchema } from '../vault/stored-tokens.ts'

const KEY_FILE = 'recording-key.json'
/** The encrypted text names its use, so that a stored token is never taken for the key. */
const BOUND_TO = 'recording-signing-key'

const fileSchema = z.looseObject({ key: vaultEntrySchema })

interface SigningKey {
  readonly sign: SignSeal
  readonly fingerprint: string
}

interface Options {
  readonly dataDir: string
  readonly cipher: Cipher | null
  readonly log: Log
}

/** The key is made on first use, and kept like a token: encrypted by the keyring, or in memory. */
export function createSigningKeys({ dataDir, cipher, log }: Options): { get(): Promise<SigningKey> } {
  const file = path.join(dataDir, KEY_FILE)
  const keyring = createKeyring(cipher, log)
  let key: Promise<SigningKey> | null = null

  async function loadKey(): Promise<SigningKey> {
    const { value } = readJsonFile(file, (content) => fileSchema.safeParse(content).success)
    const stored = fileSchema.safeParse(value)
    if (stored.success) {
      const text = await keyring.open(stored.data.key, () => {
        key = null
      })
      const privateKey = text === null ? null : parsePrivateKey(text)
      if (privateKey) return describeKey(privateKey)
      log.warn('the stored key for recordings cannot be read, so another one is used for this run', {})
      return describeKey(generateKeyPairSync('ed25519').privateKey)
    }
    const { privateKey } = generateKeyPairSync('ed25519')
    await storeKey(privateKey)
    return describeKey(privateKey)
  }

  async function storeKey(privateKey: KeyObject): Promise<void> {
    try {
      const text = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
      const entry = await keyring.seal(text, BOUND_TO)
      writeAtomic(file, `${JSON.stringify({ key: entry }, null, 2)}\n`, { backup: 'same' })
    } catch (error) {
      log.warn('the key for recordings could not be stored', { reason: describeError(error) })
    }
  }

  return { get: () => (key ??= loadKey()) }
}

function parsePrivateKey(text: string): KeyObject | null {
  try {
    const key = createPrivateKey({ key: Buffer.from(text, 'base64'), type: 'pkcs8', format: 'der' })
    return key.asymmetricKeyType === 'ed25519' ? key : null
  } catch {
    return null
  }
}

function describeKey(privateKey: KeyObject): SigningKey {
  const sign = createSigner(privateKey)
  return { sign, fingerprint: sign.fingerprint }
}
