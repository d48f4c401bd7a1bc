import type { SafeStorage } from 'electron'
import type { Cipher } from '../services/vault/cipher.ts'

/** The asynchronous calls. Electron before 45 lacks them, and 46 drops the synchronous ones. */
type AsyncStorage = Pick<SafeStorage, 'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync'>

export type KeyringStorage = Partial<AsyncStorage> & Partial<Pick<SafeStorage, 'getSelectedStorageBackend'>>

const PROBE = 'bridge-inspector probe'

/**
 * The operating system's keyring. It is graded by trying it out, because "available" proves nothing on Linux: Chromium falls back to a key
 * that every program knows, and marks what it encrypts with that key `v10`.
 */
export function createKeyring(storage: KeyringStorage, platform: NodeJS.Platform): Cipher {
  const calls = asynchronous(storage)
  return {
    async backend() {
      if (!calls) return { name: 'unavailable', grade: 'none' }
      const name = backendName(storage, platform)
      try {
        if (!(await calls.isAsyncEncryptionAvailable())) return { name, grade: 'none' }
        const bytes = await calls.encryptStringAsync(PROBE)
        if ((await calls.decryptStringAsync(bytes)).result !== PROBE) return { name, grade: 'none' }
        return { name, grade: platform === 'linux' && knownKey(name, bytes) ? 'weak' : 'secure' }
      } catch {
        return { name, grade: 'none' }
      }
    },
    encrypt: (text) => required(calls).encryptStringAsync(text),
    async decrypt(bytes) {
      return (await required(calls).decryptStringAsync(Buffer.from(bytes))).result
    },
  }
}

function asynchronous(storage: KeyringStorage): AsyncStorage | null {
  const { isAsyncEncryptionAvailable, encryptStringAsync, decryptStringAsync } = storage
  return isAsyncEncryptionAvailable && encryptStringAsync && decryptStringAsync ? (storage as AsyncStorage) : null
}

function required(calls: AsyncStorage | null): AsyncStorage {
  if (!calls) throw new Error('This Electron has no asynchronous safeStorage.')
  return calls
}

const knownKey = (name: string, bytes: Uint8Array): boolean =>
  name === 'basic_text' || name === 'unknown' || Buffer.from(bytes.subarray(0, 3)).toString('latin1') === 'v10'

function backendName(storage: KeyringStorage, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'keychain'
  if (platform === 'win32') return 'dpapi'
  return storage.getSelectedStorageBackend?.() ?? 'unknown'
}
